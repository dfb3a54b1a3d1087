import { createHmac } from "node:crypto"
import { assert } from "vitest"
import {
  ask,
  begin,
  callbacksOf,
  type Case,
  create,
  ServiceUnderTest,
  idOf,
  it,
  type Json,
  kindsList,
  noResources,
  prepare,
  steps,
  textOf,
  callbackStatuses
} from "./contractService.ts"
import { opening } from "@pawl/test-support/Creates"

const sign = (...fields: ReadonlyArray<string>) =>
  createHmac("sha256", "sandbox-secret").update(fields.join("|")).digest("base64")

export const callbacks: ReadonlyArray<Case> = [
  it("X02 a suffix changes how the callbacks are delivered", function* () {
    const statuses = ["NEW", "PENDING", "PROCESSING", "SUCCEED"]
    const ids = new Map<string, string>()
    for (const suffix of ["duplicate", "shuffle", "silent", "late", "forged", "lost"]) {
      ids.set(suffix, (yield* begin("/payments/apm", `succeed+${suffix}`, noResources)).id)
    }
    yield* steps(4)
    assert.isEmpty(yield* callbackStatuses(ids.get("late") ?? ""))
    yield* steps(30)
    const statusesWith = (suffix: string) => callbackStatuses(ids.get(suffix) ?? "")
    const twice = yield* statusesWith("duplicate")
    for (const status of statuses) {
      assert.isAtLeast(twice.filter((each) => each === status).length, 2)
    }
    assert.sameMembers(yield* statusesWith("shuffle"), statuses)
    assert.isEmpty(yield* statusesWith("silent"))
    assert.deepStrictEqual(yield* statusesWith("late"), statuses)
    assert.deepStrictEqual(yield* statusesWith("lost"), statuses.slice(0, -1))
    const forged = yield* statusesWith("forged")
    assert.includeMembers(forged, statuses)
    assert.isNotEmpty(forged.filter((status) => !statuses.includes(status)))
    // A forged callback copies a genuine one, whose checksum does not cover the status.
    const sums = yield* callbacksOf(ids.get("forged") ?? "")
    assert.lengthOf([...new Set(sums.map(({ checksum }) => checksum))], 1)
  }),
  it("without a callbackUrl no callback is sent; its query is kept, and the routing parameters follow it", function* () {
    const resources = yield* prepare
    const { callbackUrl } = yield* ServiceUnderTest
    const { search } = new URL(callbackUrl)
    for (const path of opening) {
      const over = { amount: "1", requestId: "quiet", callbackUrl: undefined }
      const quiet = idOf(yield* create(path, resources, over))
      const loud = idOf(yield* create(path, resources, { amount: "1", requestId: "loud" }))
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
      const answer = yield* create(path, resources, { amount: "10.505", metadata, ...more })
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
  it("X05 amounts with more than two decimals are rounded half up; others stay as they were sent", function* () {
    for (const [sent, kept] of [
      ["10", "10"],
      ["10.5", "10.5"],
      ["10.00", "10.00"],
      ["10.004", "10.00"],
      ["10.005", "10.01"],
      ["10.0049999", "10.00"],
      ["0.995", "1.00"],
      ["9.995", "10.00"],
      ["12345678901234567.895", "12345678901234567.90"]
    ] as const) {
      const over = { requestId: sent, amount: sent }
      const apm = idOf(yield* create("/payments/apm", noResources, over))
      const payout = idOf(yield* create("/payouts/card", noResources, over))
      yield* steps(1)
      const [first] = yield* callbacksOf(apm)
      assert.strictEqual(first?.body["amount"], kept)
      // A number with all its digits.
      assert.include(yield* textOf(`/payouts/card/info/${payout}`), `"totalAmount":${kept},`)
    }
  }),
  it("metadata is returned exactly as sent, in the response, in every callback and in every read", function* () {
    const resources = yield* prepare
    // A literal `__proto__` would set the prototype.
    const metadata = JSON.parse(
      `{"sandbox.scenario":"refund","__proto__":"p","constructor":"","amount":"1.005","ключ":"\\u0000\\"<b>"}`
    ) as Json
    for (const [path, { info }] of kindsList) {
      const answer = yield* create(path, resources, { amount: "1", metadata })
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
