import { forAll } from "@pawl/test-support/Properties"
import { Unreachable } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import type * as Pawl from "../src/Pawl.ts"
import * as Memory from "./support/memory.ts"

/** A success that names the request which was sent. */
const created =
  (status: number, more: object = {}) =>
  ({ body }: { readonly body: string | undefined }) =>
    Memory.answer(status, {
      requestId: JSON.parse(body ?? "{}").requestId,
      transactionId: "100001",
      transactionStatus: "NEW",
      ...more
    })

const answers: Readonly<Record<string, (request: { body: string | undefined }) => Memory.Answer>> =
  {
    payment: created(200),
    lenient: created(200, { createdTime: 1_900_000_000 }),
    "to another request": created(200, { requestId: "order-2" }),
    status: () => Memory.status("PENDING"),
    unreadable: () => Memory.answer(200, "{"),
    "no content": () => Memory.answer(204, ""),
    redirect: () => Memory.answer(302, "", { location: "https://elsewhere.example" }),
    refused: () => Memory.answer(400, { message: "amount" }),
    unauthorized: () => Memory.answer(401, ""),
    unknown: () => Memory.answer(404, ""),
    busy: () => Memory.answer(409, ""),
    limited: () => Memory.answer(429, "", { "retry-after": "1" }),
    failed: () => Memory.answer(503, ""),
    "failed with the body of a success": created(503),
    lost: () =>
      Effect.fail(new Unreachable({ reason: "the connection was reset", sent: true, attempts: 1 })),
    "not sent": () =>
      Effect.fail(new Unreachable({ reason: "the port is closed", sent: false, attempts: 1 }))
  }

/** The token is from an earlier call, or is asked for. */
const run = (names: ReadonlyArray<string>, isRead: boolean, holdsToken: boolean) => {
  const service = new Memory.Service({
    answer: (request, number) => {
      // The first request of a client that holds a token is the earlier call.
      const name = holdsToken ? names[number - 2] : names[number - 1]
      return (answers[name ?? "status"] ?? Memory.status)(request as never)
    }
  })
  const call: Effect.Effect<unknown, unknown, Pawl.Services> = isRead
    ? Memory.readStatus()
    : Memory.pay()
  const program = Effect.gen(function* () {
    if (holdsToken) yield* Memory.readStatus()
    const result = yield* Effect.result(call)
    return {
      result: Result.mapError(result, (error) => JSON.parse(JSON.stringify(error))),
      requests: service.requests
        .slice(holdsToken ? 1 : 0)
        .map(({ body, method, url }) => ({ body, method, url }))
    }
  })
  return Memory.against(service, Memory.settled(program))
}

it("a call whose first attempt takes the shortest path has the result and the requests of any other", () =>
  forAll(
    [
      fc.array(fc.constantFrom(...Object.keys(answers)), { minLength: 1, maxLength: 3 }),
      fc.boolean()
    ],
    { numRuns: 200 },
    async (names, isRead) => {
      const short = await run(names, isRead, true)
      const long = await run(names, isRead, false)
      expect(short.result).toEqual(long.result)
      expect(short.requests).toEqual(long.requests)
    }
  ))
