/**
 * `pawl-receiver` as processes of their own, that are killed one by one.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { once } from "node:events"
import { secret } from "./Service.ts"

const bin = new URL("../../../packages/webhook/src/bin/pawl-receiver.ts", import.meta.url).pathname

/** What the receiver's admin endpoint says of a transaction. */
export interface Believed {
  readonly status: string | null
  readonly told: string | null
  readonly claimed: ReadonlyArray<string>
  readonly callbacks: number
}

/** A receiver that was started; `port` is undefined when it ended before it served. */
export interface Started {
  readonly ready: Promise<number | undefined>
  /** Ends it with SIGKILL, and waits until it is gone. */
  readonly kill: () => Promise<void>
  /** Its resident memory in MiB. */
  readonly memory: () => number
  /** All it said on stderr, as far as there is room. */
  readonly complaints: () => string
}

/** Starts receivers that report to one service; those that are left end with the scope. */
export const make = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => new Set<ChildProcess>()),
    (alive) =>
      Effect.promise(async () => {
        await Promise.all(
          [...alive].map((child) => {
            const gone = once(child, "exit")
            child.kill("SIGKILL")
            return gone
          })
        )
      })
  ),
  (alive) =>
    (baseUrl: string, args: ReadonlyArray<string>): Started => {
      // oxlint-disable-next-line no-unused-vars -- these would change what a program says
      const { NODE_OPTIONS, FORCE_COLOR, ...inherited } = process.env
      const child = spawn(process.execPath, [bin, "--port", "0", ...args], {
        env: {
          ...inherited,
          PAWL_MERCHANT_KEY: "sandbox-key",
          PAWL_MERCHANT_SECRET: secret,
          PAWL_MERCHANT_SECRET_PREVIOUS: "",
          PAWL_FORWARD_SECRET: "",
          PAWL_BASE_URL: baseUrl
        },
        stdio: ["ignore", "pipe", "pipe"]
      })
      alive.add(child)
      const exited = (async () => {
        await once(child, "exit")
        alive.delete(child)
      })()
      let complaints = ""
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        complaints = (complaints + text).slice(-4000)
      })
      const ready = new Promise<number | undefined>((resolve) => {
        let out = ""
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          if (out.includes("\n")) return
          out += text
          const port = /^ready http:\/\/127\.0\.0\.1:(\d+)\S*\n/u.exec(out)?.[1]
          if (port !== undefined) resolve(Number(port))
        })
        void exited.then(() => resolve(undefined))
      })
      return {
        ready,
        kill: () => {
          child.kill("SIGKILL")
          return exited
        },
        memory: () => {
          const status = readFileSync(`/proc/${child.pid}/status`, "utf8")
          return Math.round(Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? 0) / 1024)
        },
        complaints: () => complaints
      }
    }
)

/** Error raised when a receiver ended before it served. */
export class NotStarted extends Data.TaggedError("NotStarted")<{ readonly message: string }> {}

/** Waits until a receiver serves, and returns its port. */
export const serving = ({ complaints, ready }: Started): Effect.Effect<number, NotStarted> =>
  Effect.flatMap(
    Effect.promise(() => ready),
    (port) =>
      port === undefined
        ? Effect.fail(new NotStarted({ message: `A receiver did not start: ${complaints()}` }))
        : Effect.succeed(port)
  )

/** Asks a receiver what it believes of an APM payment. */
export const believed = async (port: number, id: string): Promise<Believed | undefined> => {
  const response = await fetch(`http://127.0.0.1:${port}/transactions/apm/${id}`)
  if (response.status !== 200) {
    await response.body?.cancel()
    return undefined
  }
  return (await response.json()) as Believed
}
