/**
 * Checks that every operation takes the options of a call in the same way.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { CreateOptions } from "../src/CallOptions.ts"
import * as Memory from "./support/memory.ts"
import { type Named, type Operation, operations } from "./support/operations.ts"

const run = (
  operation: Operation,
  service: Memory.Service,
  options: CreateOptions,
  named: Named = { requestId: "request-1" }
) =>
  operation
    .call(named, options)
    .pipe(
      Effect.result,
      Effect.timed,
      Memory.settled,
      Effect.provide(Memory.client(service)),
      Memory.virtual
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
      expect(result).toMatchObject({
        failure: {
          _tag: "ValidationFailed",
          sent: false,
          fields: [{ path: Object.keys(options)[0] }]
        }
      })
      expect(service.requests.length + service.auths.length).toBe(0)
    }
  })
})

describe.each(operations.filter(({ kind }) => kind === "create"))("$name", (operation) => {
  it("sends the requestId of its options", async () => {
    const service = new Memory.Service()
    await run(operation, service, { requestId: "request-7" }, {})
    await run(operation, service, { requestId: "request-8" }, { requestId: "request-8" })
    // The response of this service fits only some operations, and the others send their request again.
    expect(new Set(service.requests.map(({ body }) => JSON.parse(body ?? "").requestId))).toEqual(
      new Set(["request-7", "request-8"])
    )
  })

  it("refuses two different requestIds", async () => {
    const service = new Memory.Service()
    const [, result] = await run(operation, service, { requestId: "request-7" })
    expect(result).toMatchObject({
      failure: { _tag: "ValidationFailed", sent: false, fields: [{ path: "requestId" }] }
    })
    expect(service.requests.length).toBe(0)
  })
})
