/** A printed error has the short name, the message and the frame of the caller. */
import * as PaymentsError from "@pawl/core/PaymentsError"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import { execFile } from "node:child_process"
import { inspect, promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { ApmPayments } from "../src/ApmPayments.ts"
import * as Memory from "./support/memory.ts"

const canary = "canary-5d1f"
const failed = { transactionId: "7", transactionStatus: "FAILED", declineCode: 51 }

const payTheOrder = Effect.fn("byTheCaller")(function* () {
  const { create } = yield* ApmPayments
  return yield* create({ ...Memory.payment, requestId: "request-1" })
})

const answers = {
  Declined: Memory.answer(200, { ...failed, card: { number: canary } }),
  ValidationFailed: Memory.answer(400, `<p>${canary}</p>`),
  OutcomeUnknown: Memory.answer(302, canary)
}

const failureOf = async (answer: NonNullable<Memory.Options["answer"]>, call = payTheOrder()) => {
  const exit = await Effect.exit(call).pipe(
    Memory.settled,
    Effect.provide(Memory.client(new Memory.Service({ answer }))),
    Memory.virtual
  )
  if (!Exit.isFailure(exit)) throw new Error("no failure")
  const error = Cause.squash(exit.cause)
  if (!(error instanceof Error)) throw new Error("no error")
  return { cause: exit.cause, error }
}

describe.each(Object.entries(answers))("%s", (name, answer) => {
  const frame = /\n {4}at byTheCaller \(.*Printed\.test\.ts:\d+:\d+\)/u

  it("is printed with its message and the frame of the caller", async () => {
    const { cause, error } = await failureOf(() => answer)
    const logged: Array<string> = []
    for (const logger of [Logger.consolePretty(), Logger.defaultLogger, Logger.consoleJson]) {
      const lines: Array<string> = []
      const log = (...parts: ReadonlyArray<unknown>) => {
        lines.push(...parts.map((part) => (typeof part === "string" ? part : inspect(part))))
      }
      const console = { ...globalThis.console, log }
      await Effect.runPromise(
        Effect.logError(error).pipe(
          Effect.provide(Logger.layer([logger])),
          Effect.provideService(Console.Console, console)
        )
      )
      logged.push(lines.join("\n").replaceAll("\\n", "\n"))
    }
    const printed = [
      inspect(error, { depth: 9 }),
      String(error.stack),
      Cause.pretty(cause),
      ...logged
    ]
    expect(JSON.stringify(error)).not.toContain(canary)
    expect(error.name).toBe(name)
    for (const text of printed) {
      expect(text).toContain(`${name}: ${error.message}`)
      expect(text).toMatch(frame)
      expect(text).not.toContain(`@pawl/core/${name}`)
      expect(text).not.toContain(canary)
      expect(text).not.toMatch(/at .*packages\/http\/src/u)
    }
  })
})

it("the name and the printed form of an error can be replaced, as those of every error", () => {
  const base = Object.getPrototypeOf(PaymentsError.Declined.prototype)
  for (const key of ["name", "code", "toJSON", Symbol.for("nodejs.util.inspect.custom")]) {
    expect(Object.getOwnPropertyDescriptor(base, key)).toMatchObject({
      configurable: true,
      writable: true
    })
  }
  const error = new PaymentsError.Declined({ response: failed })
  expect(error.code).toBe("Declined")
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ response: failed, stack: error.stack })
})

describe("the frame of the caller", () => {
  const errorOf = async (call?: ReturnType<typeof payTheOrder>) =>
    (await failureOf((_, n) => Memory.answer(n === 1 ? 500 : 404, ""), call)).error

  it("is in the error of the call, and not in its cause and its refusal", async () => {
    const error = await errorOf()
    expect(error.stack?.split("\n").length).toBe(2)
    for (const inner of [error.cause, Reflect.get(error, "refusal")]) {
      if (!(inner instanceof Error)) throw new Error("no error")
      expect(inner.stack).toBe(`${inner.name}: ${inner.message}`)
    }
  })

  it("can be replaced, as the stack of every error can", async () => {
    expect(Object.getOwnPropertyDescriptor(await errorOf(), "stack")).toMatchObject({
      configurable: true,
      writable: true
    })
  })

  it("is none where the caller is no Effect.fn, or where the program captures none", async () => {
    const bare = ApmPayments.use(({ create }) => create(Memory.payment))
    const { stackTraceLimit } = Error
    try {
      for (const limit of [stackTraceLimit, 0]) {
        Error.stackTraceLimit = limit
        const error = await errorOf(limit === 0 ? payTheOrder() : bare)
        expect(error.stack).toBe(`${error.name}: ${error.message}`)
        expect(Error.stackTraceLimit).toBe(limit)
      }
    } finally {
      Error.stackTraceLimit = stackTraceLimit
    }
  })
})

it("an uncaught error prints the same", async () => {
  const url = (path: string) => new URL(path, import.meta.url).href
  const program = `
    import { Declined } from "@pawl/core/PaymentsError"
    import * as Effect from "effect/Effect"
    import { traced } from "${url("../src/internal/call/Methods.ts")}"
    const create = traced("create")(() => Effect.suspend(() => Effect.fail(new Declined({ response: {} }))))
    const payTheOrder = Effect.fn("payTheOrder")(function* () { return yield* create() })
    await Effect.runPromise(payTheOrder())`
  const run = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname
  })
  const { stderr } = await run.catch((error: { readonly stderr: string }) => error)
  expect(stderr).toMatch(
    /^Declined: Transaction without an id was declined without a decline code\n {4}at payTheOrder /mu
  )
})
