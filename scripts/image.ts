/**
 * Runs the steps of deploy/Dockerfile without Docker, in a temporary folder: `pnpm image`.
 *
 * Absolute paths are below the folder of their stage. A line names a step that needs a root file
 * system and is not run (`docs/decisions/0089-checked-files.md`).
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { plainEnvironment, read, root } from "./repository.ts"

const folder = await mkdtemp(join(tmpdir(), "pawl-image-"))
const port = 14_020
const nobody = 65_534

const shell = (command: string, cwd: string) =>
  promisify(execFile)("bash", ["-euo", "pipefail", "-c", command], {
    cwd,
    maxBuffer: 64 * 1024 * 1024,
    // The environment has none of pnpm's variables, and the Node that runs this.
    env: {
      ...plainEnvironment,
      PATH: `${join(process.execPath, "..")}:${process.env["PATH"]}`
    }
  })

interface Step {
  readonly name: string
  readonly rest: string
}

const steps: ReadonlyArray<Step> = read("deploy/Dockerfile")
  .replaceAll(/^#.*\n/gmu, "")
  .replaceAll(/\\\n\s*/gu, "")
  .split("\n")
  .flatMap((line) => {
    const [, name, rest] = /^([A-Z]+) +(.+)$/u.exec(line) ?? []
    return name === undefined || rest === undefined ? [] : [{ name, rest }]
  })

const image: Record<string, string> = {}
let stage = ""
let directory = "/"
const at = (path: string, of = stage) =>
  join(folder, of, path.startsWith("/") ? path : join(directory, path))

const run = async ({ name, rest }: Step): Promise<"ok" | "not run"> => {
  const [first = "", second = "", third = ""] = rest.split(" ")
  switch (name) {
    case "FROM":
      stage = rest.split(" AS ")[1] ?? "final"
      directory = "/"
      await mkdir(at("/"), { recursive: true })
      return "ok"
    case "WORKDIR":
      directory = rest
      await mkdir(at(rest), { recursive: true })
      return "ok"
    case "COPY":
      if (first === ".") {
        await shell(
          `git ls-files -co --exclude-standard -z | tar -c --null -T - | tar -x -C ${at(second)}`,
          root
        )
      } else {
        const [, from = ""] = first.split("=")
        await cp(at(second, from), at(third), { recursive: true, verbatimSymlinks: true })
      }
      return "ok"
    case "RUN":
      if (stage === "final") return "not run"
      await shell(rest, at("."))
      return "ok"
    default:
      image[name] = rest
      return "ok"
  }
}

const start = async (): Promise<string> => {
  const here = (words: ReadonlyArray<string>) =>
    words.map((word) => word.replace("/app/", `${at("/app/")}/`).replace("4020", String(port)))
  const list = (name: string) => here(JSON.parse(image[name] ?? "[]") as ReadonlyArray<string>)
  const [, ...entry] = list("ENTRYPOINT")
  const args = [...entry, ...list("CMD"), "--port", String(port)]
  if (image["USER"] === undefined || image["USER"] === "root") throw new Error("USER is root")
  // The user may not be able to read the folder of this Node.
  const node = join(folder, "node")
  await cp(process.execPath, node)
  await shell(`chmod -R a+rX ${folder}`, folder)
  const child = spawn(node, args, {
    cwd: "/",
    ...(process.getuid?.() === 0 && { uid: nobody, gid: nobody }),
    env: {
      PAWL_BASE_URL: "http://127.0.0.1:9/api",
      PAWL_MERCHANT_KEY: "key",
      PAWL_MERCHANT_SECRET: "secret"
    }
  })
  let output = ""
  child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()))
  child.stderr.on("data", (bytes: Buffer) => (output += bytes.toString()))
  const ended = once(child, "exit")
  const [, check = "[]"] = /CMD (\[.+\])$/u.exec(image["HEALTHCHECK"] ?? "") ?? []
  const [, ...health] = here(JSON.parse(check) as ReadonlyArray<string>)
  const began = performance.now()
  for (let isHealthy = false; !isHealthy;) {
    if (child.exitCode !== null || performance.now() - began > 30_000) throw new Error(output)
    isHealthy = await promisify(execFile)(process.execPath, health).then(
      () => true,
      () => sleep(100, false)
    )
  }
  const healthyAfter = Math.round(performance.now() - began)
  child.kill("SIGTERM")
  const [code] = (await ended) as [number | null]
  if (code !== 0) throw new Error(`it ended with ${code}\n${output}`)
  const { stdout: size } = await shell("du -sm app | cut -f1", at("/"))
  return `healthy after ${healthyAfter} ms as uid ${process.getuid?.() === 0 ? nobody : process.getuid?.()}, ended with 0; ${size.trim()} MB of packages`
}

try {
  for (const step of steps) {
    const began = performance.now()
    const result = await run(step)
    const line = `${step.name} ${step.rest}`
    console.log(
      `${result.padEnd(8)}${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${line.slice(0, 90)}`
    )
  }
  console.log(`image: ${await start()}`)
} finally {
  await rm(folder, { recursive: true })
}
