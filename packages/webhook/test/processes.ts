/**
 * Child processes and their output.
 */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"

/** Starts a program and collects its output. It is killed when the scope ends. */
export const start = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        // oxlint-disable-next-line no-unused-vars -- these would change the output
        const { NODE_OPTIONS, FORCE_COLOR, ...inherited } = process.env
        const child = spawn(command, args, {
          env: { ...inherited, ...env },
          stdio: ["ignore", "pipe", "pipe"]
        })
        const exited = once(child, "close").then(([code, signal]) => ({ code, signal }))
        return { child, exited }
      }),
      ({ child, exited }) =>
        Effect.promise(() => {
          child.kill("SIGKILL")
          return exited
        })
    ),
    ({ child, exited }) => {
      let out = ""
      let err = ""
      let changed = Promise.withResolvers<void>()
      const change = () => {
        changed.resolve()
        changed = Promise.withResolvers<void>()
      }
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        out += text
        change()
      })
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        err += text
        change()
      })
      void exited.then(change)
      /** Waits until a line of stdout matches; returns the match of the first group. */
      const line = (pattern: RegExp) =>
        Effect.promise(async () => {
          for (;;) {
            const match = pattern.exec(out)
            if (match) return match[1] ?? match[0]
            if (child.exitCode !== null)
              throw new Error(`The process ended before it printed ${pattern}:\n${out}${err}`)
            await changed.promise
          }
        })
      return {
        child,
        line,
        exited: Effect.promise(() => exited),
        out: () => out,
        err: () => err
      }
    }
  )
