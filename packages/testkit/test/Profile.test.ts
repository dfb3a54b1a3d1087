import * as Profile from "@pawl/core/Profile"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHmac } from "node:crypto"
import { assert, it } from "vitest"
import { authenticate, testGateway, fields, payment, send } from "@pawl/test-support/TestGateway"

const separators = ["|", "", ":"]

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

it("requestChecksumSeparator is the only separator that the gateway accepts", async () => {
  for (const expected of separators) {
    for (const used of separators) {
      const { json, status } = await create(expected, used)
      assert.strictEqual(status, expected === used ? 200 : 400)
      if (status === 400) assert.deepStrictEqual(fields(json), ["checksum"])
    }
  }
})
