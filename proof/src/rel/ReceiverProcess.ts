/** Processes of `pawl-receiver`. */
import { start } from "@pawl/test-support/Program"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import { secret } from "./FakeService.ts"

const bin = new URL("../../../packages/receiver/src/bin/pawl-receiver.ts", import.meta.url).pathname
const committingBin = new URL("./committingReceiver.ts", import.meta.url).pathname
const recordedBin = new URL("./recordedReceiver.ts", import.meta.url).pathname
const steppedClock = new URL("./steppedClock.ts", import.meta.url).pathname

export interface ShownTransaction {
  readonly status: string | null
  readonly told: string | null
  readonly claimed: ReadonlyArray<string>
  readonly callbacks: number
}

/** A started receiver; `ready` is its port, or undefined when it ended before it served. */
export interface ReceiverProcess {
  readonly ready: Promise<number | undefined>
  readonly admin: Promise<string | undefined>
  readonly kill: () => Promise<void>
  readonly stop: () => Promise<number | null>
  readonly pause: () => void
  readonly resume: () => void
  /** Sets how far its clock is ahead, in milliseconds. */
  readonly setClock: (ahead: number) => void
  readonly hasLogged: (pattern: RegExp) => boolean
  readonly memory: () => number
  readonly errors: () => string
}

/** The program of a receiver. */
const programs = {
  forwarding: [bin],
  committing: ["--import", steppedClock, committingBin],
  recorded: [recordedBin]
}

export const make = Effect.map(
  Effect.scope,
  (scope) =>
    (
      baseUrl: string,
      args: ReadonlyArray<string>,
      program: keyof typeof programs = "forwarding",
      env: Readonly<Record<string, string>> = {},
      descriptors?: number
    ): ReceiverProcess => {
      const options = ["--port", "0", "--admin-port", "0", ...args]
      const command = [process.execPath, ...programs[program], ...options]
      const [file = "", ...rest] =
        descriptors === undefined
          ? command
          : ["sh", "-c", `ulimit -n ${descriptors} && exec "$0" "$@"`, ...command]
      const { child, errorLine, exited, line, stderr } = Effect.runSync(
        Scope.provide(
          start(file, rest, {
            PAWL_MERCHANT_KEY: "sandbox-key",
            PAWL_MERCHANT_SECRET: secret,
            PAWL_MERCHANT_SECRET_PREVIOUS: "",
            PAWL_READS_PER_SECOND: "none",
            PAWL_FORWARD_SECRET: "",
            PAWL_BASE_URL: baseUrl,
            ...env
          }),
          scope
        )
      )
      child.stdin.on("error", () => {})
      return {
        ready: Effect.runPromise(line(/^ready http:\/\/127\.0\.0\.1:(\d+)\S*\n/u)).then(
          Number,
          () => undefined
        ),
        admin: Effect.runPromise(errorLine(/admin API is at (http:[^"]+)/u)).catch(() => undefined),
        kill: () => {
          child.kill("SIGKILL")
          return Effect.runPromise(Effect.asVoid(exited))
        },
        stop: () => {
          child.kill("SIGTERM")
          return Effect.runPromise(Effect.map(exited, ({ code }) => code))
        },
        pause: () => child.kill("SIGSTOP"),
        resume: () => child.kill("SIGCONT"),
        setClock: (ahead) => child.stdin.write(`${ahead}\n`),
        hasLogged: (pattern) => pattern.test(stderr()),
        memory: () => {
          const status = readFileSync(`/proc/${child.pid}/status`, "utf8")
          return Math.round(Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? 0) / 1024)
        },
        errors: () => stderr().slice(-4000)
      }
    }
)

export class NotStarted extends Data.TaggedError("NotStarted")<{ readonly message: string }> {}

export const waitForPort = ({
  errors,
  ready
}: ReceiverProcess): Effect.Effect<number, NotStarted> =>
  Effect.flatMap(
    Effect.promise(() => ready),
    (port) =>
      port === undefined
        ? Effect.fail(new NotStarted({ message: `A receiver did not start: ${errors()}` }))
        : Effect.succeed(port)
  )

export const showTransaction = async (
  { admin }: ReceiverProcess,
  id: string
): Promise<ShownTransaction | undefined> => {
  const response = await fetch(`${await admin}/transactions/apm/${id}`)
  if (response.status !== 200) {
    await response.body?.cancel()
    return undefined
  }
  return (await response.json()) as ShownTransaction
}
