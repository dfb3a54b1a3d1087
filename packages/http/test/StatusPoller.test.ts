import { StatusReader } from "@pawl/core/StatusReader"
import { type Kind, TransactionId } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
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

describe("the reader", () => {
  it("reads an APM payment, and says so where only the method was known", async () => {
    for (const kind of ["apm", "apm-payment"] as const) {
      const service = new Memory.Service({ answer: () => Memory.status("SUCCEED") })
      expect(await read(service, kind)).toEqual({ kind: "apm-payment", status: "SUCCEED" })
      expect(service.requests.map(({ url }) => url)).toEqual([
        "https://payments.example/api/v1/payments/apm/status/100001"
      ])
    }
  })

  it("asks nothing about a kind whose endpoint the contract does not have", async () => {
    for (const kind of ["apm-payout", "card", "card-payment", "card-payout", "refund"] as const) {
      const service = new Memory.Service()
      expect(await read(service, kind)).toBe("NotFound")
      expect(service.requests.length + service.auths.length).toBe(0)
    }
  })

  it("tells an unknown id from a service that cannot say", async () => {
    expect(await read(new Memory.Service({ answer: () => Memory.answer(404, "") }), "apm")).toBe(
      "NotFound"
    )
    expect(await read(new Memory.Service({ answer: () => Memory.answer(500, "") }), "apm")).toBe(
      "ServiceFailed"
    )
    expect(await read(new Memory.Service({ auth: () => Memory.answer(404, "") }), "apm")).toBe(
      "UnexpectedResponse"
    )
  })
})
