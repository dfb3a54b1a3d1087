/**
 * Programs as processes of their own, and what they say.
 */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"

/** Starts a program; what it prints is kept, and it is killed when the scope ends. */
export const start = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        // oxlint-disable-next-line no-unused-vars -- these would change what a program says
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
      /** Waits until a line of its stdout matches, and gives back what the first group did. */
      const line = (pattern: RegExp) =>
        Effect.promise(async () => {
          for (;;) {
            const match = pattern.exec(out)
            if (match) return match[1] ?? match[0]
            if (child.exitCode !== null)
              throw new Error(`It ended before it said ${pattern}:\n${out}${err}`)
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
