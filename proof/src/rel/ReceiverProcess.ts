/** Processes of `pawl-receiver` on a store, and the fake service that they read from. */
import * as Program from "@pawl/test-support/Program"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import * as FakeService from "./FakeService.ts"
import { makePost } from "./LocalHttp.ts"
import type { Miss } from "./Run.ts"

const bin = new URL("../../../packages/receiver/src/bin/pawl-receiver.ts", import.meta.url).pathname
const committingBin = new URL("./committingReceiver.ts", import.meta.url).pathname
const recordedBin = new URL("./recordedReceiver.ts", import.meta.url).pathname
const steppedClock = new URL("./steppedClock.ts", import.meta.url).pathname

const programs = {
  forwarding: [bin],
  committing: ["--import", steppedClock, committingBin],
  recorded: [recordedBin]
}

/** Settings of a receiver: `args` of its program alone, and `descriptors`, how many it may open. */
interface Settings {
  readonly stores?: ReadonlyArray<string>
  readonly forward?: string
  readonly args?: ReadonlyArray<string>
  readonly program?: keyof typeof programs
  readonly env?: Readonly<Record<string, string>>
  readonly descriptors?: number
}

const commandOf = ({ args = [], descriptors, forward, program, stores = [] }: Settings) => {
  const command = [
    process.execPath,
    ...programs[program ?? "forwarding"],
    "--port",
    "0",
    "--admin-port",
    "0",
    ...stores.flatMap((store) => ["--store", store]),
    ...(forward === undefined ? [] : ["--forward", forward]),
    ...args
  ]
  return descriptors === undefined
    ? command
    : ["sh", "-c", `ulimit -n ${descriptors} && exec "$0" "$@"`, ...command]
}

export type ReceiverProcess = ReturnType<typeof processOf>

const processOf = ({ child, errorLine, exited, line, stderr }: Program.Program) => {
  child.stdin.on("error", () => {})
  const admin = Effect.runPromise(errorLine(/admin API is at (http:[^"]+)/u)).catch(() => "")
  const ready = Effect.runPromise(line(/^ready http:\/\/127\.0\.0\.1:(\d+)\S*\n/u))
  return {
    /** Its port, or undefined when it ended before it served. */
    ready: ready.then(Number, () => undefined),
    kill: () => {
      child.kill("SIGKILL")
      return Effect.runPromise(Effect.asVoid(exited))
    },
    /** Lets a recorded receiver kill itself in its next call of the handler, for a second. */
    killInCall: () => {
      child.kill("SIGUSR2")
      return Effect.runPromise(Effect.asVoid(Effect.timeoutOption(exited, "1 second")))
    },
    stop: () => {
      child.kill("SIGTERM")
      return Effect.runPromise(Effect.map(exited, ({ code }) => code))
    },
    pause: () => child.kill("SIGSTOP"),
    resume: () => child.kill("SIGCONT"),
    /** Sets how far its clock is ahead, in milliseconds. */
    setClock: (ahead: number) => child.stdin.write(`${ahead}\n`),
    hasLogged: (pattern: RegExp) => pattern.test(stderr()),
    /** Its resident memory, in MiB. */
    memory: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8")
      return Math.round(Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? 0) / 1024)
    },
    errors: () => stderr().slice(-4000),
    get: async (path: string) => fetch(`${await admin}${path}`)
  }
}

/**
 * Starts the service. Returns it with `start`, which starts a receiver, `serve`, which waits until
 * the receiver serves, and `post`, by which the service posts callbacks.
 */
export const make = Effect.fnUntraced(function* (...stores: ReadonlyArray<string>) {
  const runSync = Effect.runSyncWith(yield* Effect.context<Scope.Scope>())
  const service = yield* FakeService.start
  const send = yield* makePost
  /** Posts a callback. Returns the status code, or undefined without a response. */
  const post = (port: number, ...callback: Parameters<typeof FakeService.callback>) =>
    send(port, FakeService.callback(...callback))
  const start = (settings: Settings = {}): ReceiverProcess => {
    const [file = "", ...args] = commandOf({ stores, ...settings })
    const program = Program.start(file, args, {
      PAWL_MERCHANT_KEY: "sandbox-key",
      PAWL_MERCHANT_SECRET: FakeService.secret,
      PAWL_MERCHANT_SECRET_PREVIOUS: "",
      PAWL_READS_PER_SECOND: "none",
      PAWL_FORWARD_SECRET: "",
      PAWL_BASE_URL: service.baseUrl,
      ...settings.env
    })
    return processOf(runSync(program))
  }
  const serve = Effect.fnUntraced(function* (settings?: Settings) {
    const receiver = start(settings)
    return { ...receiver, port: yield* waitForPort(receiver) }
  })
  return { ...service, post, start, serve }
})

export class NotStarted extends Data.TaggedError("NotStarted")<{ readonly message: string }> {}

export const waitForPort = ({ errors, ready }: ReceiverProcess) =>
  Effect.flatMap(
    Effect.promise(() => ready),
    (port) =>
      port === undefined
        ? Effect.fail(new NotStarted({ message: `A receiver did not start: ${errors()}` }))
        : Effect.succeed(port)
  )

/** SIGTERM must give 0 within `limit` milliseconds. Returns the time. */
export const stopWithin = async (limit: number, receiver: ReceiverProcess, miss: Miss) => {
  const startedAt = performance.now()
  const code = await receiver.stop()
  const endTime = performance.now() - startedAt
  if (code !== 0) miss(`a receiver ended with ${String(code)}: ${receiver.errors()}`)
  if (endTime > limit) miss(`a receiver ended ${endTime} ms after SIGTERM`)
  return endTime
}

export const showTransaction = async ({ get }: ReceiverProcess, id: string) => {
  const response = await get(`/transactions/apm/${id}`)
  if (response.status === 200)
    return (await response.json()) as { readonly told: string | null; readonly callbacks: number }
  await response.body?.cancel()
  return undefined
}
