import { forAll } from "@pawl/test-support/Properties"
import { BeforeRequest } from "@pawl/core/internal/BeforeRequest"
import { StatusReader } from "@pawl/core/StatusReader"
import type { Kind } from "@pawl/core/Kind"
import { TransactionId } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Memory from "./support/memory.ts"

const id = Schema.decodeSync(TransactionId)("100001")

const read = (service: Memory.Service, kind: Kind) =>
  StatusReader.use((reader) => reader.read(kind, id)).pipe(
    Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: (answer) => answer }),
    Memory.settled,
    Effect.provide(Memory.client(service)),
    Memory.virtual
  )

const paths = {
  "apm-payment": "payments/apm",
  "apm-payout": "payouts/apm",
  "card-payment": "payments/card",
  "card-payout": "payouts/card",
  refund: "refunds/card"
} as const

type Concrete = keyof typeof paths

const kinds = Object.keys(paths) as Array<Concrete>

/** Endpoints in the order of the reads. */
const endpointsOf: Record<Kind, ReadonlyArray<Concrete>> = {
  "apm-payment": ["apm-payment"],
  "apm-payout": ["apm-payout"],
  "card-payment": ["card-payment"],
  "card-payout": ["card-payout"],
  refund: ["refund"],
  apm: ["apm-payment", "apm-payout"],
  card: ["card-payment", "card-payout", "refund"]
}

const requestedKinds = Object.keys(endpointsOf) as Array<Kind>

const url = (kind: Concrete) => `https://payments.example/api/v1/${paths[kind]}/status/100001`

const knowing = (known: ReadonlyArray<Concrete>, failing: Partial<Record<Concrete, number>> = {}) =>
  new Memory.Service({
    answer: (request) => {
      const kind = kinds.find((each) => request.url === url(each))
      if (kind === undefined) return Memory.answer(418, "")
      const code = failing[kind]
      if (code !== undefined) return Memory.answer(code, "")
      return known.includes(kind) ? Memory.status("SUCCEED") : Memory.answer(404, "")
    }
  })

describe("a status", () => {
  const answering = (body: string) => new Memory.Service({ answer: () => Memory.answer(200, body) })

  it.each(['"SUCCEED"', "SUCCEED", " SUCCEED\n", '{"transactionStatus":"SUCCEED"}'])(
    "may be written as %j",
    async (body) => {
      const found = { kind: "apm-payment", status: "SUCCEED" }
      expect(await read(answering(body), "apm-payment")).toEqual(found)
    }
  )

  it.each(["succeed", "SUCCEED PENDING", '{"status":"SUCCEED"}', '{"message":"SUCCEED"}', "[]"])(
    "is not read from %s, which may be an error",
    async (body) => {
      expect(await read(answering(body), "apm-payment")).toBe("UnexpectedResponse")
    }
  )
})

describe("the reader", () => {
  it("reads the endpoints of the kinds in order, and returns the kind that knows the id", () =>
    forAll([fc.constantFrom(...requestedKinds), fc.subarray(kinds)], async (question, known) => {
      const service = knowing(known)
      const candidates = endpointsOf[question]
      const first = candidates.findIndex((kind) => known.includes(kind))
      const kind = candidates[first]
      expect(await read(service, question)).toEqual(
        kind === undefined ? "NotFound" : { kind, status: "SUCCEED" }
      )
      // Another kind than the first is returned only if the first is still unknown.
      const again = first > 0 ? candidates.slice(0, 1) : []
      expect(service.requests.map((request) => request.url)).toEqual(
        [...candidates.slice(0, first < 0 ? candidates.length : first + 1), ...again].map(url)
      )
    }))

  it("fails with any error except a 404, and reads no further endpoint", async () => {
    for (const question of requestedKinds) {
      for (const [at, kind] of endpointsOf[question].entries()) {
        for (const [code, tag] of [
          [500, "ServiceFailed"],
          [400, "ValidationFailed"],
          [401, "Unauthorized"],
          [429, "RateLimited"],
          [302, "UnexpectedResponse"]
        ] as const) {
          const service = knowing(endpointsOf[question].slice(at + 1), { [kind]: code })
          expect(await read(service, question)).toBe(tag)
          expect(new Set(service.requests.map((request) => request.url)).size).toBe(at + 1)
        }
      }
    }
  })

  it("returns the payment when it becomes visible while the other endpoints are read (R36)", async () => {
    let payments = 0
    const service = new Memory.Service({
      answer: (request) =>
        request.url === url("card-payment") && payments++ === 0
          ? Memory.answer(404, "")
          : Memory.status(request.url === url("refund") ? "SUCCEED" : "PENDING")
    })
    expect(await read(service, "card")).toEqual({ kind: "card-payment", status: "PENDING" })
  })

  it("reads the next endpoint at once after a 404", async () => {
    const service = knowing(["refund"])
    const answer = await StatusReader.use((reader) => reader.read("card", id)).pipe(
      Effect.provide(Memory.client(service)),
      Memory.virtual
    )
    expect(answer).toEqual({ kind: "refund", status: "SUCCEED" })
    expect(service.requests.length).toBe(4)
  })

  it("retries a read, but not one that has to wait before each request", async () => {
    for (const [isLimited, requests] of [
      [false, 4],
      [true, 1]
    ] as const) {
      const service = knowing([], { "card-payment": 503 })
      await StatusReader.use((reader) => reader.read("card", id)).pipe(
        Effect.exit,
        Memory.settled,
        Effect.provide(Memory.client(service)),
        Effect.provideService(BeforeRequest, isLimited ? Effect.void : undefined),
        Memory.virtual
      )
      expect(service.requests.length).toBe(requests)
    }
  })

  it.each<[Concrete, ReadonlyArray<number>]>([
    ["card-payment", []],
    ["card-payout", [1, 2]],
    ["refund", [1, 2, 3]],
    ["apm-payment", [1, 2]]
  ])("waits before each request but the first, when %s knows the id", async (kind, waits) => {
    const service = knowing([kind])
    const waited: Array<number> = []
    await StatusReader.use((reader) => reader.read("card", id)).pipe(
      Effect.exit,
      Effect.provide(Memory.client(service)),
      Effect.provideService(
        BeforeRequest,
        Effect.sync(() => void waited.push(service.requests.length))
      ),
      Memory.virtual
    )
    expect(waited).toEqual(waits)
  })

  it("distinguishes an unknown id from an unreadable response", async () => {
    expect(await read(new Memory.Service({ auth: () => Memory.answer(404, "") }), "apm")).toBe(
      "UnexpectedResponse"
    )
  })
})
