import { forAll } from "@pawl/test-support/Properties"
import { encodedOf } from "@pawl/test-support/Schemas"
import * as Checksum from "@pawl/core/Checksum"
import * as NodeHmac from "@pawl/core/NodeHmac"
import {
  type EncodedRequest,
  type RequestInput,
  type RequestKind,
  RequestSender
} from "@pawl/core/RequestSender"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import * as fc from "fast-check"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import * as Endpoint from "../src/internal/wire/Endpoint.ts"
import * as Memory from "./support/memory.ts"
import * as Operations from "./support/operations.ts"

interface Create {
  readonly kind: RequestKind
  readonly method: string
  readonly endpoint: {
    readonly payload: Schema.Codec<unknown, object>
    readonly success: Schema.Codec<unknown, object>
  }
}

const creates: ReadonlyArray<Create> = [
  { kind: "apm-payment", method: "ApmPayments.create", endpoint: Endpoint.createApmPayment },
  { kind: "apm-payout", method: "ApmPayouts.create", endpoint: Endpoint.createApmPayout },
  { kind: "card-payment", method: "CardPayments.create", endpoint: Endpoint.createCardPayment },
  { kind: "card-charge", method: "CardPayments.charge", endpoint: Endpoint.chargeCard },
  { kind: "card-payout", method: "CardPayouts.create", endpoint: Endpoint.createCardPayout },
  { kind: "refund", method: "Refunds.create", endpoint: Endpoint.createRefund },
  { kind: "subscription", method: "Subscriptions.create", endpoint: Endpoint.createSubscription },
  {
    kind: "payment-intent",
    method: "PaymentIntents.create",
    endpoint: Endpoint.createPaymentIntent
  }
]

const { against: run, client } = Memory

const shown = (result: Result.Result<unknown, object>) =>
  JSON.stringify(
    Result.match(result, {
      onSuccess: (success) => ({ success }),
      onFailure: (failure) => ({ tag: Reflect.get(failure, "_tag"), ...failure, stack: "" })
    }),
    (_, value: unknown) =>
      Redacted.isRedacted(value) ? { redacted: Redacted.value(value) } : value
  )

const input = (value: object) => value as RequestInput<RequestKind>

describe.each(creates)("$kind", ({ endpoint, kind, method }) => {
  it("the bytes are those that the method of the service sends", () =>
    forAll([encodedOf(endpoint.payload)], { numRuns: 20 }, async (payload) => {
      const service = new Memory.Service({ act: () => Memory.respond(400, {}) })
      const request = await run(service, function* () {
        yield* Effect.result(Operations.invoke(method, payload))
        const { encode } = yield* RequestSender
        return yield* encode(kind, input(payload))
      })
      expect(service.requests.map((each) => each.body)).toEqual([request.body])
      expect(JSON.parse(request.body).requestId).toBe(request.requestId)
    }))

  it("the result of sending them is that of the method, and a stored outcome is read back as it was", () =>
    forAll(
      [
        encodedOf(endpoint.payload),
        encodedOf(endpoint.success),
        fc.constantFrom({}, { "x-request-id": "service-7" }),
        fc.constantFrom(
          {},
          { transactionStatus: "FAILED", declineCode: 7, declineSubReason: "limit" },
          { errorCode: "E1", redirectUrl: null },
          { transactionStatus: "FAILED", transactionId: null, refundId: null, declineCode: "7" },
          { cardToken: "card-token-1", unknown: { unknownFields: [1] } },
          { metadata: { basket: "7", unknownFields: "text" } }
        )
      ],
      { numRuns: 40 },
      async (payload, response, headers, changed) => {
        const { requestId: _, ...rest } = response as Record<string, unknown>
        const service = new Memory.Service({
          answer: () => Memory.answer(200, { ...rest, ...changed }, headers)
        })
        await run(service, function* () {
          const sender = yield* RequestSender
          const byMethod = yield* Effect.result(Operations.invoke(method, payload))
          const request = yield* sender.encode(kind, input(payload))
          const result = yield* Effect.result(sender.send(request))
          expect(shown(result)).toBe(shown(byMethod))
          const [first, second] = service.requests
          expect(second).toEqual(first)
          const tag = Result.isFailure(result) ? result.failure._tag : "Success"
          if (!["Success", "Declined", "IntentRejected"].includes(tag)) return
          const text = sender.encodeOutcome(kind, result as never)
          const stored = yield* Effect.result(sender.decodeOutcome(request, text))
          expect(shown(stored)).toBe(shown(result))
        })
      }
    ))
})

/** An older version may have stored such fields. */
const storedWith = (checksum: string): EncodedRequest<"apm-payment"> => ({
  kind: "apm-payment",
  requestId: "order-1",
  body: `{"requestId":"order-1","amount":"10.50","checksum":"${checksum}","older":{"1":[],"2":0.5,"__proto__":"x"}}`
})
const stored = storedWith("of an older secret")
const signed = storedWith(
  Checksum.request(NodeHmac.keyed(Redacted.make("secret-canary-93ad")), "|", {
    requestId: "order-1",
    amount: "10.50"
  } as never)
)

const send = (request: EncodedRequest, inDoubt: boolean, hadNoEffect?: boolean) =>
  RequestSender.use(({ send }) => Effect.result(send(request, { inDoubt, hadNoEffect }))).pipe(
    Memory.settled
  )

describe("send", () => {
  it("sends the stored fields with a checksum of the current secret, also in every retry, and never encodes them anew", async () => {
    const service = new Memory.Service({ faults: ["503 after", "refused", "silent after"] })
    const result = await run(service, send(stored, false))
    expect(result).toMatchObject({ success: { transactionId: "100001" } })
    expect(service.requests.map(({ body }) => body)).toEqual(Array(4).fill(signed.body))
    expect(service.ledger.size).toBe(1)
  })

  it("refuses a text that is not a request", async () => {
    const service = new Memory.Service()
    expect(await run(service, send({ ...stored, body: "card 4111" }, false))).toMatchObject({
      failure: Memory.refusalOf("body")
    })
    expect(service.requests).toEqual([])
  })

  it("a refusal of a request in doubt leaves it unknown", async () => {
    expect(await run(Memory.answering(Memory.answer(400, "")), send(stored, true))).toMatchObject({
      failure: { _tag: "OutcomeUnknown", requestId: "order-1", cause: { _tag: "ValidationFailed" } }
    })
  })

  it("a refusal is certain if the request surely had no effect before", async () => {
    const service = Memory.answering(Memory.answer(400, ""))
    const sends = [send(stored, true), send(stored, false), send(stored, false, true)]
    const tags = (await run(service, Effect.all(sends))).map(
      (result) => Result.isFailure(result) && result.failure._tag
    )
    expect(tags).toEqual(["OutcomeUnknown", "OutcomeUnknown", "ValidationFailed"])
  })
})

describe("encode", () => {
  const encode = <K extends RequestKind>(kind: K, value: object) =>
    RequestSender.use((sender) => Effect.result(sender.encode(kind, value as RequestInput<K>)))

  it("makes a new requestId for each input that has none, and sends nothing", async () => {
    const { requestId: _, ...fields } = Memory.payment
    const service = new Memory.Service()
    const results = await run(service, Effect.replicateEffect(encode("apm-payment", fields), 2))
    const ids = results.map((each) => Result.getOrThrow(each).requestId)
    expect(new Set(ids).size).toBe(2)
    expect(service.requests).toHaveLength(0)
    expect(service.auths).toHaveLength(0)
  })

  it("keeps a further field of a card payment, also one named like the id of a refund", async () => {
    const input = { mid: "1", transactionId: 2 ** 53 }
    const result = await run(new Memory.Service(), encode("card-payment", input))
    expect(JSON.parse(Result.getOrThrow(result).body)).toMatchObject(input)
  })

  const refund = { mid: "1", transactionId: 2 ** 53, amount: "1.00", reason: "duplicate" }

  it.each<[RequestKind, object, string]>([
    ["refund", refund, "transactionId"],
    ["apm-payment", { ...Memory.payment, amount: 7n }, "amount"],
    // A new requestId would pay for an order again.
    ["apm-payment", { ...Memory.payment, requestId: undefined }, "requestId"],
    ["apm-payment", { ...Memory.payment, requestId: null }, "requestId"]
  ])("refuses invalid input by the name of its field: %s", async (kind, input, path) => {
    expect(await run(new Memory.Service(), encode(kind, input))).toMatchObject({
      failure: Memory.refusalOf(path)
    })
  })

  it.each([
    ["payment-intent", "PaymentIntents.create"],
    ["subscription", "Subscriptions.create"]
  ] as const)("refuses a %s without a callback URL", async (kind, name) => {
    const { body } = Operations.find(name)
    const input = { ...body, callbackUrl: undefined }
    expect(await run(new Memory.Service(), encode(kind, input))).toMatchObject({
      failure: Memory.refusalOf("callbackUrl")
    })
  })

  it.each<[RequestKind, boolean, boolean]>([
    ["apm-payment", true, true],
    ["apm-payment", false, true],
    ["apm-payout", true, true],
    ["apm-payout", false, false],
    ["card-payment", true, false]
  ])("of %s with payoutChecksum %s adds a checksum: %s", async (kind, payoutChecksum, isSigned) => {
    const input = { ...Memory.payment, callbackUrl: "https://shop.example/cb" }
    const result = await encode(kind, input).pipe(
      Effect.provide(
        Layer.provide(client(new Memory.Service()), Memory.profile({ payoutChecksum }))
      ),
      Memory.virtual
    )
    expect("checksum" in JSON.parse(Result.getOrThrow(result).body)).toBe(isSigned)
  })
})

describe("a stored outcome", () => {
  const created = '{"transactionId":"7",\n"transactionStatus":"NEW"}'

  const decode = (text: string) =>
    run(
      new Memory.Service(),
      RequestSender.use(({ decodeOutcome }) => Effect.result(decodeOutcome(stored, text)))
    )

  it("has the status, the service's id of the request and the response", async () => {
    const declined = '{"transactionId":"7","transactionStatus":"FAILED"}'
    expect(await decode(`200 \n${created}`)).toMatchObject({ success: { transactionId: "7" } })
    expect(await decode(`201 service-7\n${declined}`)).toMatchObject({
      failure: { _tag: "Declined", status: 201, serviceRequestId: "service-7" }
    })
    expect(await decode(`201 \n${declined}`)).not.toHaveProperty("failure.serviceRequestId")
  })

  it("of a success is written with the status 200 and without an id", async () => {
    const text = await run(new Memory.Service(), function* () {
      const sender = yield* RequestSender
      return sender.encodeOutcome("apm-payment", Result.succeed(yield* sender.send(stored)))
    })
    expect(text).toMatch(/^200 \n\{/u)
  })

  it("has the unknown fields of each of its objects in their place", async () => {
    const text = await run(new Memory.Service(), function* () {
      const sender = yield* RequestSender
      const { transactionId, transactionStatus } = yield* sender.send(stored)
      const list = [1, { a: 1, unknownFields: { b: 2 } }]
      const response = { transactionId, transactionStatus, list }
      return sender.encodeOutcome("apm-payment", Result.succeed(response))
    })
    expect(text).toMatch(/"list":\[1,\{"a":1,"b":2\}\]\}$/u)
  })

  it("has no card that the service repeats", async () => {
    const card = { number: "4242424242424242", cvv: "987" }
    const repeated = { card, request: [{ cardNumber: card.number, securityCode: card.cvv }], a: 1 }
    const body = { transactionId: "7", transactionStatus: "NEW", metadata: { card: "blue" } }
    const service = new Memory.Service({ act: () => Memory.respond(200, { ...body, ...repeated }) })
    const text = await run(
      service,
      RequestSender.use((sender) =>
        Effect.map(sender.send(stored), (response) =>
          sender.encodeOutcome("apm-payment", Result.succeed(response))
        )
      )
    )
    expect(JSON.parse(text.slice("200 \n".length))).toEqual({ ...body, request: [{}], a: 1 })
  })

  it("without a body is the response that it was", async () => {
    expect(await decode("201 \n")).toMatchObject({ failure: { status: 201 } })
  })

  it("is an error in any other text", async () => {
    for (const text of ["", "200", "{}", "200 \n", "200 \n{", "abc \n{}", "200 \n[]"]) {
      const result = await decode(text)
      expect(result).toMatchObject({ failure: { _tag: "UnexpectedResponse" } })
      expect(result).not.toHaveProperty("failure.serviceRequestId")
    }
    for (const head of ["", " ", "200", "20 ", "2000 ", "x200 ", "\n200 "])
      expect(await decode(`${head}\n${created}`)).toMatchObject({ _tag: "Failure" })
  })
})

it("sending is a span, and encoding is none: its result has the number of a card", async () => {
  const spans: Array<string> = []
  const results: Array<unknown> = []
  const tracer = Memory.makeTracer(({ name }, exit) => {
    spans.push(name)
    results.push(exit)
  })
  const { accountId: _, apmPayload: __, ...payment } = Memory.payment
  const card = { number: "4242424242424242", cvv: "987" }
  const paid = Effect.gen(function* () {
    const { encode, send } = yield* RequestSender
    yield* send(yield* encode("card-payment", { ...payment, mid: "shop-1", card }))
  })
  await run(new Memory.Service(), Effect.provideService(paid, Tracer.Tracer, tracer))
  expect(spans.filter((name) => name.startsWith("RequestSender"))).toEqual(["RequestSender.send"])
  expect(inspect(results, { depth: null })).not.toContain(card.number)
})
