import type { ReadError } from "@pawl/core/PaymentsError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { CreateOptions } from "../src/CallOptions.ts"
import type { RequestEvent } from "../src/Hooks.ts"
import { Transport } from "../src/Transport.ts"
import * as Memory from "./support/memory.ts"
import { creates, type Named, type Operation, operations } from "./support/operations.ts"

const run = (
  operation: Operation,
  service: Memory.Service,
  options: CreateOptions,
  named: Named = { requestId: "request-1" }
) =>
  Memory.against(
    service,
    Memory.settled(Effect.timed(Effect.result(operation.call(named, options))))
  )

const invalid: ReadonlyArray<CreateOptions> = [
  { maxAttempts: 0 },
  { maxAttempts: 1.5 },
  { totalTimeout: "0 seconds" },
  { totalTimeout: Infinity },
  { attemptTimeout: "soon" as never }
]

const failing = () => new Memory.Service({ answer: () => Memory.answer(429, "") })
const silent = () => new Memory.Service({ answer: () => Effect.never })

describe.each(operations)("$name", (operation) => {
  it.each([1, 5])("makes at most %i attempts", async (maxAttempts) => {
    const service = failing()
    await run(operation, service, { maxAttempts })
    expect(service.requests.length).toBe(maxAttempts)
  })

  it("ends within its own total time limit", async () => {
    const [duration, result] = await run(operation, silent(), { totalTimeout: "1 second" })
    expect(Result.isFailure(result)).toBe(true)
    expect(Duration.toMillis(duration)).toBe(1000)
  })

  it("ends an attempt within its own time limit", async () => {
    const service = silent()
    const [duration] = await run(operation, service, {
      attemptTimeout: "3 seconds",
      maxAttempts: 1
    })
    expect(Duration.toMillis(duration)).toBe(3000)
  })

  it("refuses an invalid option before sending, and names it", async () => {
    for (const options of invalid) {
      const service = failing()
      const [, result] = await run(operation, service, options)
      expect(result).toMatchObject({ failure: Memory.refusalOf(Object.keys(options)[0]) })
      expect(service.requests.length + service.auths.length).toBe(0)
    }
  })
})

describe.each(creates)("$name", (operation) => {
  it("sends the requestId of its options", async () => {
    const service = new Memory.Service()
    await run(operation, service, { requestId: "request-6" }, {})
    await run(operation, service, { requestId: "request-7" }, { requestId: undefined } as object)
    await run(operation, service, { requestId: "request-8" }, { requestId: "request-8" })
    // The other operations send their request again, because the response does not fit.
    expect(new Set(service.requests.map(({ body }) => JSON.parse(body ?? "").requestId))).toEqual(
      new Set(["request-6", "request-7", "request-8"])
    )
  })

  it("refuses a requestId of its options that has no value, because the order's id is missing", async () => {
    const service = new Memory.Service()
    const [, result] = await run(operation, service, { requestId: undefined } as object, {})
    expect(result).toMatchObject({ failure: Memory.refusalOf("requestId") })
    expect(service.requests.length).toBe(0)
  })

  it("refuses two different requestIds", async () => {
    const service = new Memory.Service()
    const [, result] = await run(operation, service, { requestId: "request-7" })
    expect(result).toMatchObject({ failure: Memory.refusalOf("requestId") })
    expect(service.requests.length).toBe(0)
  })
})

describe("retrySchedule", () => {
  /** The times in milliseconds. */
  const timesOf = ({
    config,
    headers = {},
    ...options
  }: CreateOptions & {
    readonly config?: CreateOptions["retrySchedule"]
    readonly headers?: Record<string, string>
  }) => {
    const times: Array<number> = []
    const service = new Memory.Service({
      answer: () =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          times.push(now)
          return Memory.answer(429, "", headers)
        })
    })
    return Memory.readStatus("7", options).pipe(
      Effect.exit,
      Memory.settled,
      Effect.provide(Memory.client(service, { retrySchedule: config })),
      Effect.map(() => times.map((time) => time - (times[0] ?? 0))),
      Memory.virtual
    )
  }

  const twice = Schedule.spaced("1 second").pipe(Schedule.upTo({ times: 2 }))

  it("of a call or of the client decides the waits and their number", async () => {
    expect(await timesOf({ retrySchedule: twice })).toEqual([0, 1000, 2000])
    expect(await timesOf({ config: twice })).toEqual([0, 1000, 2000])
    const often = Schedule.spaced("10 millis")
    expect(await timesOf({ config: twice, retrySchedule: often })).toEqual([0, 10, 20, 30])
  })

  it("has the limits of the call and of the service", async () => {
    expect(await timesOf({ retrySchedule: twice, maxAttempts: 2 })).toEqual([0, 1000])
    expect(await timesOf({ retrySchedule: twice, totalTimeout: "1500 millis" })).toEqual([0, 1000])
    const [, second = 0] = await timesOf({ retrySchedule: twice, headers: { "retry-after": "5" } })
    expect(second).toBeGreaterThanOrEqual(5000)
  })

  it("gets the error of the last attempt", async () => {
    const tags: Array<string> = []
    const retrySchedule = Schedule.forever.pipe(
      Schedule.setInputType<ReadError>(),
      Schedule.while(({ input }) => tags.push(input._tag) < 2)
    )
    expect(await timesOf({ retrySchedule })).toEqual([0, 0])
    expect(tags).toEqual(["RateLimited", "RateLimited"])
  })
})

describe("sendWithin", () => {
  const waits = ["its first access token", "a new access token", "a hook"] as const
  it("and totalTimeout also limit a create that waits for its access token, or for a hook", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9999 }),
        fc.constantFrom(...waits),
        fc.constantFrom("sendWithin", "totalTimeout"),
        async (wait, reason, limit) => {
          const isRefused = reason === "a new access token"
          const service: Memory.Service = new Memory.Service({
            auth: (n) =>
              Effect.delay(
                service.issue(),
                reason === "a hook" || (n === 1 && isRefused) ? 0 : wait
              ),
            faults: isRefused ? ["401"] : []
          })
          const onRequest = ({ operation }: RequestEvent) =>
            reason === "a hook" && operation !== "authenticate" ? Effect.sleep(wait) : Effect.void
          const pay = Memory.pay({}, { [limit]: "5 seconds" })
          const result = await Memory.run(service, pay, { hooks: { onRequest } })
          expect(service.ledger.size).toBe(wait < 5000 ? 1 : 0)
          expect(Result.merge(result)).toMatchObject(
            wait < 5000 ? { transactionId: "100001" } : { _tag: "Unreachable", sent: false }
          )
        }
      ),
      {
        examples: [4999, 5000].flatMap((wait) =>
          waits.flatMap((reason) =>
            ["sendWithin", "totalTimeout"].map((limit) => [wait, reason, limit] as const)
          )
        )
      }
    ))

  it("limits the wait of a create in the queue of the transport", async () => {
    const limits: Array<ReadonlyArray<number | undefined>> = []
    const service = new Memory.Service()
    const transport = Layer.succeed(Transport, {
      send: (request, _, total, wait) => {
        limits.push([total, wait].map((limit) => limit && Duration.toMillis(limit)))
        return Effect.delay(service.send(request), 1000)
      }
    })
    await Memory.run(
      Object.defineProperty(service, "layer", { value: transport }),
      Memory.pay({}, { sendWithin: "5 seconds" })
    )
    // The request to `/auth` has the time of its own call.
    expect(limits).toEqual([
      [30_000, 30_000],
      [29_000, 4000]
    ])
  })
})
