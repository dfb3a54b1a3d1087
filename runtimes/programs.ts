import { execFile, spawn } from "node:child_process"
import { basename } from "node:path"
import { promisify } from "node:util"
import { plainEnvironment } from "../scripts/repository.ts"

/** An empty project has none of pnpm's variables. */
export const run = async (
  program: string,
  args: ReadonlyArray<string>,
  cwd: string
): Promise<string> => {
  try {
    const { stdout } = await promisify(execFile)(program, args, {
      cwd,
      timeout: 180_000,
      maxBuffer: 64 * 1024 * 1024,
      env: plainEnvironment
    })
    return stdout
  } catch (error) {
    const { stderr = "", stdout = "" } = error as { stdout?: string; stderr?: string }
    const output = `${stdout}${stderr}`.trim() || String(error)
    throw new Error(`${basename(program)} ${args.join(" ")}\n${output}`, { cause: error })
  }
}

/** Starts a program; `line` is what it prints after `ready`. */
export const start = (
  program: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env = process.env
) => {
  const child = spawn(program, args, { cwd, env })
  const line = new Promise<string>((resolve, reject) => {
    let output = ""
    const read = (text: string) => {
      output += text
      const [first] = /^ready .*$/mu.exec(output) ?? []
      if (first !== undefined) resolve(first.slice("ready ".length))
    }
    child.stdout.setEncoding("utf8").on("data", read)
    child.stderr.setEncoding("utf8").on("data", read)
    child.once("exit", (code) =>
      reject(new Error(`${args.join(" ")} ended with ${code}\n${output}`))
    )
  })
  return { child, line }
}
