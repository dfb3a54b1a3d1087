import { forAll } from "@pawl/test-support/Properties"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Refunds } from "../src/Refunds.ts"
import * as Memory from "./support/memory.ts"

const answer = { refundId: "200002", transactionStatus: "PENDING" }

const refund = { mid: "mid-1", amount: "10.50", reason: "duplicate" } as const

const create = (service: Memory.Service, transactionId: string) =>
  Memory.run(
    service,
    Refunds.use((refunds) => refunds.create({ ...refund, transactionId }))
  )

describe("the refundId of a refund", () => {
  it.each(["r.1", "r:1", "r/1", "r 1", "é", "x".repeat(128)])(
    "may be %j: the money has moved, so the response is read",
    async (refundId) => {
      const created = await create(
        Memory.answering(Memory.answer(200, { ...answer, refundId })),
        "7"
      )
      expect(Result.getOrThrow(created).refundId).toBe(refundId)
    }
  )
})

describe("the transactionId of a refund", () => {
  it("is sent as an integer with all its digits", () =>
    forAll(
      [
        fc.oneof(
          fc.stringMatching(/^[1-9][0-9]{0,127}$/u),
          fc.constantFrom(
            "0",
            "7",
            "9007199254740992",
            "9007199254740993",
            "1000000000000000000000"
          )
        )
      ],
      async (id) => {
        const service = Memory.answering(Memory.answer(200, answer))
        expect(Result.isSuccess(await create(service, id))).toBe(true)
        expect(service.requests[0]?.body).toContain(`"transactionId":${id},`)
      }
    ))

  it("is refused before sending when it is not an integer", () =>
    forAll(
      [
        fc.oneof(
          fc.constantFrom(...([true, 5n, null, {}, 2 ** 53] as Array<never>)),
          fc
            .oneof(
              fc.string(),
              fc.constantFrom("", "-1", "+1", "1.0", "1e3", " 1", "1\n", "007", "0x10", "١", "abc")
            )
            .filter((id) => !/^(?:0|[1-9][0-9]{0,127})$/u.test(id))
        )
      ],
      async (id) => {
        const service = new Memory.Service()
        expect(Result.merge(await create(service, id))).toMatchObject(
          Memory.refusalOf("transactionId", "Expected an integer")
        )
        expect(service.auths.length + service.requests.length).toBe(0)
      }
    ))
})
