import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join, relative } from "node:path"

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export type Program = Effect.Success<ReturnType<typeof start>>

const root = join(import.meta.dirname, "../..")

/**
 * Returns the bundle of a program, if the test run made one (`scripts/vitest/programs.ts`), else
 * the program.
 */
export const bundleOf = (program: string): string => {
  const folder = process.env["PAWL_BUNDLES"]
  if (folder === undefined) return program
  const bundle = join(folder, relative(root, program)).replace(/\.ts$/u, ".mjs")
  return existsSync(bundle) ? bundle : program
}

/**
 * Starts a program, or any bundle of it, in the environment of the tests, changed by `env`. It is
 * killed when the scope ends.
 */
export const start = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>> = {}
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        // oxlint-disable-next-line no-unused-vars -- both would change the output of the program
        const { FORCE_COLOR, NODE_OPTIONS, ...inherited } = process.env
        const child = spawn(command, args.map(bundleOf), {
          env: { ...inherited, ...env },
          stdio: "pipe"
        })
        const exited = once(child, "close").then(
          ([code, signal]: ReadonlyArray<unknown>) => ({ code, signal }) as Exit
        )
        return { child, exited }
      }),
      ({ child, exited }) =>
        Effect.promise(() => {
          child.kill("SIGKILL")
          return exited
        })
    ),
    ({ child, exited }) => {
      const output = { stdout: "", stderr: "" }
      let changed = Promise.withResolvers<void>()
      const change = () => {
        changed.resolve()
        changed = Promise.withResolvers<void>()
      }
      for (const name of ["stdout", "stderr"] as const)
        child[name].setEncoding("utf8").on("data", (text: string) => {
          output[name] += text
          change()
        })
      let hasExited = false
      child.once("close", () => {
        hasExited = true
        change()
      })
      const lineOf = (name: keyof typeof output) => (pattern: RegExp) =>
        Effect.promise(async () => {
          for (;;) {
            const match = pattern.exec(output[name])
            if (match !== null) return match[1] ?? match[0]
            if (hasExited) {
              const all = `${output.stdout}${output.stderr}`
              throw new Error(`The program ended before it printed ${pattern}:\n${all}`)
            }
            await changed.promise
          }
        })
      return {
        child,
        /** Waits for output that matches. Returns the first group, or the whole match. */
        line: lineOf("stdout"),
        errorLine: lineOf("stderr"),
        exited: Effect.promise(() => exited),
        stdout: () => output.stdout,
        stderr: () => output.stderr
      }
    }
  )

export const run = (...program: Parameters<typeof start>) =>
  start(...program).pipe(
    Effect.tap(({ child }) => Effect.sync(() => child.stdin.end())),
    Effect.flatMap(({ exited, stderr, stdout }) =>
      Effect.map(exited, (exit) => ({ ...exit, stdout: stdout(), stderr: stderr() }))
    ),
    Effect.scoped
  )
