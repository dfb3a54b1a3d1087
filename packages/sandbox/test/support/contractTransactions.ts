import { assert } from "vitest"
import { payment } from "@pawl/test-support/TestGateway"
import {
  ask,
  authenticate,
  bodyFor,
  begin,
  callbacksOf,
  create,
  ServiceUnderTest,
  idOf,
  it,
  type Json,
  kindsList,
  prepare,
  refused,
  send,
  steps,
  textOf,
  callbackStatuses
} from "./contractService.ts"
import { card } from "@pawl/test-support/Creates"

const stories: ReadonlyArray<
  readonly [story: string, statuses: ReadonlyArray<string>, answered: string, declineCode?: number]
> = [
  ["succeed", ["NEW", "PENDING", "PROCESSING", "SUCCEED"], "NEW"],
  ["decline:51", ["NEW", "FAILED"], "FAILED", 51],
  ["decline:0", ["NEW", "FAILED"], "FAILED", 0],
  ["challenge", ["NEW", "CUSTOMER_VERIFICATION", "SUCCEED"], "CUSTOMER_VERIFICATION"],
  ["cancel", ["NEW", "PENDING", "CANCELLED"], "NEW"],
  ["refund", ["NEW", "PENDING", "PROCESSING", "SUCCEED", "REFUNDED"], "NEW"],
  ["chargeback", ["NEW", "PENDING", "PROCESSING", "SUCCEED", "CHARGEBACK"], "NEW"],
  ["customer", ["NEW", "PENDING"], "NEW"],
  ["chargeback-won", ["NEW", "PENDING", "PROCESSING", "SUCCEED", "CHARGEBACK", "SUCCEED"], "NEW"],
  ["conflict", ["NEW", "PENDING", "PROCESSING", "FAILED", "SUCCEED"], "NEW", 5],
  ["stuck", ["NEW", "PENDING", "PROCESSING"], "NEW"]
]

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u

const timeless = (answer: Json, field: string): Json => {
  const { [field]: time, ...rest } = answer
  assert.match(String(time), instant)
  return rest
}

export const transactions = [
  ...kindsList.map(([path, reads]) =>
    it(`${path} lives every scenario; its answer and its callbacks show each status, its reads the last`, function* () {
      const resources = yield* prepare
      const begun: Array<readonly [(typeof stories)[number], string]> = []
      for (const row of stories) {
        const [story, , answered, declineCode] = row
        const code = answered === "FAILED" ? declineCode : undefined
        const { answer, id } = yield* begin(path, story, { amount: "1" }, resources)
        assert.strictEqual(answer["transactionStatus"], answered)
        assert.strictEqual(answer["declineCode"], code)
        assert.strictEqual(answer["paymentType"], path.endsWith("apm") ? "APM" : "CARD")
        const isChallenged = answered === "CUSTOMER_VERIFICATION" && path !== "/refunds/card"
        for (const name of ["challengeUrl", "challengeUrlIframe"]) {
          assert.strictEqual(URL.canParse(String(answer[name])), isChallenged, `${story} ${name}`)
        }
        begun.push([row, id])
      }
      for (let step = 0; step < 6; step++) {
        for (const [[, statuses, answered, declineCode], id] of begun) {
          const now = statuses[statuses.indexOf(answered) + step] ?? statuses.at(-1)
          assert.strictEqual(yield* textOf(`${reads.status}/${id}`), JSON.stringify(now))
          if (reads.info === undefined) continue
          const info = yield* ask("GET", `${reads.info}/${id}`)
          assert.strictEqual(info["transactionStatus"], now)
          const code = now === "FAILED" ? declineCode : undefined
          assert.strictEqual(info["declineCode"], code)
        }
        yield* steps(1)
      }
      for (const [[story, statuses], id] of begun) {
        assert.deepStrictEqual(yield* callbackStatuses(id), [...statuses], story)
      }
    })
  ),
  it("an APM payment and an APM payout return every field of the specification", function* () {
    const over = {
      accountId: "0077",
      metadata: { orderRef: "A-1" },
      successRedirectUrl: "https://shop.example/thanks"
    }
    for (const [path, id] of [
      ["/payments/apm", "100001"],
      ["/payouts/apm", "100002"]
    ] as const) {
      const answer = yield* create(path, over)
      const { iframeUrl, redirectUrl } = answer["apmResponseData"] as Record<string, string>
      assert.match(redirectUrl ?? "", new RegExp(`^https?://[^/]+/apm/${id}$`, "u"))
      assert.deepStrictEqual(timeless(answer, "createdTime"), {
        requestId: "r-1",
        transactionId: id,
        transactionStatus: "NEW",
        apmResponseData: {
          providerTransactionId: `provider-${id}`,
          paymentMethod: "WALLET",
          paymentType: "WALLET",
          actionType: "REDIRECTION",
          redirectUrl,
          iframeUrl
        },
        paymentType: "APM",
        metadata: { orderRef: "A-1" }
      })
    }
  }),
  it("the info of an APM payout returns the request fields, and its account is an integer of any size", function* () {
    const { callbackUrl } = yield* ServiceUnderTest
    const echoed = {
      order: { title: "Winnings" },
      billingDetails: { firstName: "Ada", ssn: "078-05-1120", loyalty: { tier: 3 } },
      metadata: { a: "b" }
    }
    const apmPayload = { paymentMethod: "BANK", iban: "LV80BANK0000435195001", odd: [1, null] }
    const accountId = "0012345678901234567890"
    const over = { accountId, apmPayload, ...echoed }
    const id = idOf(yield* create("/payouts/apm", over))
    yield* steps(9)
    const text = yield* textOf(`/payouts/apm/info/${id}`)
    assert.include(text, `"accountId":12345678901234567890,`)
    const { accountId: _, ...info } = JSON.parse(text) as Json
    assert.deepStrictEqual(timeless(info, "createdAt"), {
      transactionId: id,
      requestId: "r-1",
      transactionStatus: "SUCCEED",
      apmRequestPayload: apmPayload,
      apmResponseData: {
        providerTransactionId: `provider-${id}`,
        paymentMethod: "BANK",
        paymentType: "BANK_TRANSFER"
      },
      callbackUrl,
      ...echoed
    })
    const [{ search } = { search: "" }] = yield* callbacksOf(id)
    assert.include(search, "apmType=BANK")
  }),
  it("the checksum is optional for an APM payout and required for an APM payment", function* () {
    const { checksum: _, ...unsigned } = payment()
    yield* ask("POST", "/payouts/apm", { ...unsigned, callbackUrl: undefined })
    assert.deepStrictEqual(yield* refused("POST", "/payments/apm", unsigned), ["checksum"])
  }),
  it("the info of a card payout has the mask and the holder, never the number", function* () {
    const { callbackUrl } = yield* ServiceUnderTest
    const over = { metadata: { a: "b" } }
    const answer = yield* create("/payouts/card", over)
    assert.deepStrictEqual(answer, {
      transactionId: "100001",
      transactionStatus: "NEW",
      paymentType: "CARD",
      metadata: { a: "b" }
    })
    yield* steps(9)
    const info = yield* ask("GET", "/payouts/card/info/100001")
    assert.deepStrictEqual(timeless(info, "createdAt"), {
      transactionId: "100001",
      requestId: "r-1",
      mid: "m-1",
      transactionStatus: "SUCCEED",
      cardMask: "424242******4242",
      cardHolder: "Ada Lovelace",
      totalAmount: 10.5,
      callbackUrl,
      metadata: { a: "b" }
    })
  }),
  it("a card payment returns every field of the specification, and a challenged one its two pages", function* () {
    const path = "/payments/card"
    const paid = yield* create(path, { metadata: { a: "b" } })
    assert.deepStrictEqual(timeless(paid, "createdTime"), {
      requestId: "r-1",
      transactionId: "100001",
      transactionStatus: "NEW",
      paymentType: "CARD",
      metadata: { a: "b" }
    })
    const challenged = { requestId: "r-2", card: { ...card, number: "4000000000003220" } }
    const { challengeUrl, challengeUrlIframe, ...answer } = yield* create(path, challenged)
    assert.deepStrictEqual(timeless(answer, "createdTime"), {
      requestId: "r-2",
      transactionId: "100002",
      transactionStatus: "CUSTOMER_VERIFICATION",
      paymentType: "CARD"
    })
    assert.match(String(challengeUrl), /^https?:\/\/[^/]+\/challenge\/100002$/u)
    assert.strictEqual(challengeUrlIframe, `${String(challengeUrl)}?frame=1`)
  }),
  it("D08 a test card follows its story: paid with the card, with its token or charged; any other card is 400", function* () {
    const tokens = new Set<unknown>()
    for (const [number, answered, end] of [
      ["4242424242424242", { transactionStatus: "NEW" }, "SUCCEED"],
      ["5555555555554444", { transactionStatus: "NEW" }, "SUCCEED"],
      ["4000000000000002", { transactionStatus: "FAILED", declineCode: 5 }, "FAILED"],
      ["4000000000003220", { transactionStatus: "CUSTOMER_VERIFICATION" }, "SUCCEED"]
    ] as const) {
      const made = { ...card, number }
      const named = (requestId: string) => ({ requestId: `${requestId}-${number}` })
      const { cardToken, ...tokenized } = yield* create("/payments/card/tokenize", {
        ...named("t"),
        card: made,
        callbackUrl: undefined
      })
      assert.deepStrictEqual(tokenized, named("t"))
      assert.notInclude(String(cardToken), number.slice(-4))
      tokens.add(cardToken)
      const token = { cardToken, card: undefined }
      for (const [path, over] of [
        ["/payments/card", { ...named("c"), card: made }],
        ["/payments/card", { ...named("k"), ...token }],
        ["/payments/card/charge", { ...named("g"), cardToken }],
        ["/payouts/card", { ...named("p"), card: made }]
      ] as const) {
        const answer = yield* create(path, over)
        assert.include(answer, answered, path)
        yield* steps(9)
        const status = kindsList.find(([each]) => each === path)?.[1].status
        assert.strictEqual(yield* textOf(`${status}/${idOf(answer)}`), `"${end}"`)
      }
    }
    assert.strictEqual(tokens.size, 4)
    for (const number of [
      "4242424242424243",
      "4111111111111111",
      "4242 4242 4242 4242",
      "",
      "constructor",
      4242424242424242
    ]) {
      for (const path of ["/payments/card", "/payments/card/tokenize", "/payouts/card"]) {
        const body = yield* bodyFor(path, { card: { ...card, number } })
        assert.deepStrictEqual(yield* refused("POST", path, body), ["card.number"])
      }
    }
  }),
  it("a card payment takes a card or a token, not both, and its metadata has priority unless it is succeed", function* () {
    const { cardToken } = yield* prepare
    const path = "/payments/card"
    const body = yield* bodyFor(path)
    for (const [over, field] of [
      [{ cardToken }, "card"],
      [{ card: undefined }, "card"],
      [{ card: undefined, cardToken: "card-token-0" }, "cardToken"]
    ] as const) {
      assert.deepStrictEqual(yield* refused("POST", path, { ...body, ...over }), [field])
    }
    for (const [number, story, declineCode, expected] of [
      ["4000000000000002", "succeed+duplicate", 5, "NEW NEW FAILED FAILED"],
      ["4000000000000002", "decline:51", 51, "NEW FAILED"],
      ["4000000000000002", "chargeback", undefined, "NEW PENDING PROCESSING SUCCEED CHARGEBACK"],
      ["4000000000003220", "cancel", undefined, "NEW PENDING CANCELLED"],
      ["4242424242424242", "challenge", undefined, "NEW CUSTOMER_VERIFICATION SUCCEED"]
    ] as const) {
      const { answer, id } = yield* begin(path, story, { card: { ...card, number } })
      assert.strictEqual(answer["declineCode"], declineCode)
      yield* steps(9)
      assert.sameMembers(yield* callbackStatuses(id), expected.split(" "))
    }
  }),
  it("an intent of either type returns the addresses of its page and its metadata, and no errorCode", function* () {
    const pages: Array<unknown> = []
    const metadata = { cart: "7" }
    for (const type of ["PAYMENT", "PAYOUT"]) {
      const over = { requestId: type, type, kycVerified: true, previousPaymentCount: 3, metadata }
      const { iframeUrl, redirectUrl, ...rest } = yield* create("/payments/intent", over)
      assert.deepStrictEqual<unknown>(rest, { errorCode: null, metadata })
      pages.push(redirectUrl, iframeUrl)
    }
    assert.lengthOf([...new Set(pages)], 4)
    for (const page of pages) assert.match(String(page), /^https?:\/\/[^/]+\/pay\//u)
    const bare = { requestId: "bare", amount: undefined, currency: undefined }
    assert.isNull((yield* create("/payments/intent", bare))["errorCode"])
  }),
  it("an intent that its scenario rejects has an errorCode and no page; no other create has that scenario", function* () {
    const rejected = { metadata: { "sandbox.scenario": "reject:LIMIT_EXCEEDED", cart: "7" } }
    const answer = yield* create("/payments/intent", rejected)
    const pages = { redirectUrl: null, iframeUrl: null }
    assert.deepStrictEqual<unknown>(answer, {
      ...pages,
      errorCode: "LIMIT_EXCEEDED",
      ...rejected
    })
    assert.deepStrictEqual(yield* create("/payments/intent"), answer)
    for (const scenario of ["reject:", "reject:a b", "reject:A+silent"]) {
      const body = yield* bodyFor("/payments/intent", {
        metadata: { "sandbox.scenario": scenario }
      })
      const { body: text } = yield* send("POST", "/payments/intent", {
        token: yield* authenticate,
        body
      })
      assert.include(text, "; or reject:<errorCode>")
      assert.deepStrictEqual(yield* refused("POST", "/payments/intent", body), [
        "metadata.sandbox.scenario"
      ])
    }
    assert.deepStrictEqual(
      yield* refused("POST", "/payments/apm", yield* bodyFor("/payments/apm", rejected)),
      ["metadata.sandbox.scenario"]
    )
  })
]
