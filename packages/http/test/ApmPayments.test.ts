import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { createHmac } from "node:crypto"
import { expect, it } from "vitest"
import * as Memory from "./support/memory.ts"

it("joins the fields of the checksum with Profile.requestChecksumSeparator", async () => {
  const service = new Memory.Service()
  await Memory.pay().pipe(
    Effect.provide(
      Layer.provide(Memory.client(service), Memory.profile({ requestChecksumSeparator: "" }))
    ),
    Memory.virtual
  )
  expect(JSON.parse(service.requests[0]?.body ?? "").checksum).toBe(
    createHmac("sha256", "secret-canary-93ad").update("1001order-110.50EUR").digest("hex")
  )
})

it.each([
  [
    { declineCode: 51, declineSubReason: "FUNDS" },
    { declineCode: 51, declineSubReason: "FUNDS" }
  ],
  [{ declineCode: null, declineSubReason: null }, {}]
])("fails with the parts of a decline: %j", async (given, expected) => {
  const answer = { transactionId: "7", transactionStatus: "FAILED", ...given }
  const error = await Memory.failureOf(Memory.answering(Memory.answer(200, answer)), Memory.pay())
  expect(error).toMatchObject({ _tag: "Declined", requestId: "order-1", ...expected })
  for (const name of Object.keys(given)) expect(name in error).toBe(name in expected)
})

it("returns a status that is not documented", async () => {
  const service = Memory.answering(Memory.status("ON_HOLD"))
  expect(await Memory.run(service, Memory.readStatus())).toEqual(Result.succeed("ON_HOLD"))
})
