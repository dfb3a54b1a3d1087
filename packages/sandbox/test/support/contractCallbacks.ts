import { createHmac } from "node:crypto"
import { assert } from "vitest"
import {
  ask,
  callbacksOf,
  create,
  ServiceUnderTest,
  idOf,
  it,
  type Json,
  kindsList,
  prepare,
  steps
} from "./contractService.ts"
import { opening } from "@pawl/test-support/Creates"

const sign = (...fields: ReadonlyArray<string>) =>
  createHmac("sha256", "sandbox-secret").update(fields.join("|")).digest("base64")

export const callbacks = [
  it("without a callbackUrl no callback is sent; its query is kept, and the routing parameters follow it", function* () {
    const resources = yield* prepare
    const { callbackUrl } = yield* ServiceUnderTest
    const { search } = new URL(callbackUrl)
    for (const path of opening) {
      const over = { amount: "1", requestId: "quiet", callbackUrl: undefined }
      const quiet = idOf(yield* create(path, over, resources))
      const loud = idOf(yield* create(path, { amount: "1", requestId: "loud" }, resources))
      yield* steps(9)
      assert.isEmpty(yield* callbacksOf(quiet), path)
      const callbacks = yield* callbacksOf(loud)
      assert.lengthOf(callbacks, 4, path)
      const routing = path.endsWith("apm")
        ? "paymentMethod=apm&apmType=WALLET"
        : "paymentMethod=card"
      for (const { contentType, method, search: arrived } of callbacks) {
        assert.deepStrictEqual(
          [method, contentType, arrived],
          ["POST", "application/json", `${search}&${routing}`]
        )
      }
    }
  }),
  it("a callback is signed, and has exactly the fields of its payment method, the amount as text", function* () {
    const resources = yield* prepare
    const metadata = { a: "b", "€": "ü" }
    // The currency of a card payout is optional.
    for (const [path, currency] of [
      ...opening.map((path) => [path, undefined] as const),
      ["/payouts/card", "USD"] as const
    ]) {
      const more = currency === undefined ? {} : { currency, requestId: currency }
      const answer = yield* create(path, { amount: "10.505", metadata, ...more }, resources)
      const transactionId = idOf(answer)
      yield* steps(9)
      const isApm = path.endsWith("apm")
      const { apmResponseData, refundId } = answer
      const callbacks = yield* callbacksOf(transactionId)
      assert.lengthOf(callbacks, 4)
      for (const { body, checksum } of callbacks) {
        const { transactionStatus: _, ...rest } = body
        const [account, of = "EUR"] = [isApm ? "77" : "m-1", currency]
        assert.deepStrictEqual(rest, {
          transactionId,
          metadata,
          ...(refundId !== undefined && { refundId }),
          ...(isApm
            ? {
                accountId: account,
                amount: "10.51",
                currency: of,
                apmType: "WALLET",
                apmResponseData
              }
            : { mid: account, orderAmount: "10.51", orderCurrency: of })
        })
        assert.strictEqual(checksum, sign(account, "10.51", of, transactionId))
      }
    }
  }),
  it("metadata is returned exactly as sent, in the response, in every callback and in every read", function* () {
    const resources = yield* prepare
    // A literal `__proto__` would set the prototype.
    const metadata = JSON.parse(
      `{"sandbox.scenario":"refund","__proto__":"p","constructor":"","amount":"1.005","ключ":"\\u0000\\"<b>"}`
    ) as Json
    for (const [path, { info }] of kindsList) {
      const answer = yield* create(path, { amount: "1", metadata }, resources)
      yield* steps(9)
      const text = JSON.stringify(metadata)
      assert.strictEqual(JSON.stringify(answer["metadata"]), text, path)
      const callbacks = yield* callbacksOf(idOf(answer))
      assert.lengthOf(callbacks, 5, path)
      for (const { body } of callbacks) {
        assert.strictEqual(JSON.stringify(body["metadata"]), text, path)
      }
      if (info === undefined) continue
      const read = yield* ask("GET", `${info}/${idOf(answer)}`)
      assert.strictEqual(JSON.stringify(read["metadata"]), text, path)
    }
  })
]
