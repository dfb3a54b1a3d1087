/**
 * What the profile's switches change in a gateway.
 */
import * as Profile from "@pawl/core/Profile"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHmac } from "node:crypto"
import { assert, describe, it } from "vitest"
import { authenticate, testGateway, fields, payment, send } from "./support/testGateway.ts"

const separators = ["|", "", ":"]

/** What a gateway of that separator answers to a create that was joined with another. */
const create = (separator: string, joinedWith: string) => {
  const { accountId, amount, checksum: _, currency, requestId, ...rest } = payment()
  const signed = { accountId, requestId, amount, currency }
  const checksum = createHmac("sha256", "sandbox-secret")
    .update(Object.values(signed).join(joinedWith))
    .digest("hex")
  return Effect.flatMap(authenticate, (token) =>
    send("POST", "/payments/apm", { token, body: { ...rest, ...signed, checksum } })
  ).pipe(
    Effect.provide(
      Layer.provide(testGateway(), Profile.layer({ requestChecksumSeparator: separator }))
    ),
    Effect.runPromise
  )
}

describe("requestChecksumSeparator", () => {
  it("is what the gateway expects the fields to be joined with, and nothing else", async () => {
    for (const expected of separators) {
      for (const given of separators) {
        const { json, status } = await create(expected, given)
        assert.strictEqual(status, expected === given ? 200 : 400)
        if (status === 400) assert.deepStrictEqual(fields(json), ["checksum"])
      }
    }
  })
})
