import * as NextAction from "@pawl/core/NextAction"
import { ValidationFailed } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { CardPayments } from "../src/CardPayments.ts"
import * as Memory from "./support/memory.ts"

const run = <A, E>(
  service: Memory.Service,
  call: (payments: CardPayments["Service"]) => Effect.Effect<A, E>
) =>
  CardPayments.use((payments) => Effect.result(call(payments))).pipe(
    Effect.provide(Memory.client(service)),
    Memory.virtual
  )

const name = fc.stringMatching(/^x[a-z]{1,8}$/u)

const extra = fc.dictionary(
  name,
  fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string()),
    fc.dictionary(name, fc.integer())
  )
)

describe("a body", () => {
  it("keeps undocumented fields, in the request and in the response", () =>
    fc.assert(
      fc.asyncProperty(
        extra,
        extra,
        fc.constantFrom("create" as const, "charge" as const),
        async (requestFields, responseFields, name) => {
          const input = { requestId: "request-1", amount: "10.50", ...requestFields }
          const answer = { transactionId: "7", transactionStatus: "NEW", ...responseFields }
          const service = new Memory.Service({ answer: () => Memory.answer(200, answer) })
          const result = await run(service, (payments) => payments[name](input))
          expect(JSON.parse(service.requests[0]?.body ?? "")).toEqual(input)
          const { unknownFields = {}, ...known } = Result.getOrThrow(result)
          expect({ ...known, ...unknownFields }).toEqual(answer)
          expect(Object.keys(unknownFields)).toEqual(Object.keys(responseFields))
        }
      )
    ))

  it("is refused for an invalid known field, by name and without its value", async () => {
    const service = new Memory.Service()
    const error = Result.merge(
      await run(service, ({ create }) => create({ amount: "10.505", currency: "eur" }))
    )
    expect(error).toMatchObject({
      _tag: "ValidationFailed",
      sent: false,
      fields: [{ path: "amount" }, { path: "currency" }]
    })
    expect(service.requests.length + service.auths.length).toBe(0)
  })

  it("B04 has its values, numbers too, removed from the messages of the service", async () => {
    const service = new Memory.Service({
      answer: () =>
        Memory.answer(400, { errors: { card: "4929813274650194 with 917 has expired in 2019" } })
    })
    const card = { number: 4929813274650194, cvv: 917, year: "2019" }
    expect(Result.merge(await run(service, ({ create }) => create({ card })))).toMatchObject({
      fields: [{ path: "card", message: "… with … has expired in …" }]
    })
  })

  it("A34 has its card number removed from messages that quote it in another form", async () => {
    const number = "4929813274650194"
    const groups = ["4929", "8132", "7465", "0194"]
    const each = (form: (digit: string) => string) => Array.from(number, form).join("")
    const code = (digit: string) => digit.charCodeAt(0)
    const separators =
      " |-|.|\n|\u00a0|\u2009| – |/|%20|+|%2D|%C2%A0|&nbsp;|&#45;|&#x2d;|\u200b|\u00ad|_|·"
    const quotes = [
      ...separators.split("|").map((separator) => groups.join(separator)),
      each((digit) => `${digit} `),
      each((digit) => `%${code(digit).toString(16)}`),
      each((digit) => `&#${code(digit)};`),
      each((digit) => `&#x${code(digit).toString(16)};`),
      each((digit) => `\\u00${code(digit).toString(16)}`),
      each((digit) => `\\x${code(digit).toString(16)}`),
      each((digit) => String.fromCharCode(0xff10 + Number(digit))),
      btoa(number),
      btoa(`${number}:917`)
    ]
    const errors = quotes.map((quote) => ({ field: "card", message: `no ${quote} here` }))
    const service = new Memory.Service({ answer: () => Memory.answer(400, { errors }) })
    const card = { number, cvv: "917" }
    const error = Result.merge(await run(service, ({ create }) => create({ card })))
    if (!Schema.is(ValidationFailed)(error)) return expect.unreachable("400 is ValidationFailed")
    expect(error.fields.length).toBe(quotes.length)
    for (const { message } of error.fields) expect(message).toMatch(/^(?:…|no ….{0,8} here)$/u)
    const text = inspect(error, { depth: 9 })
    for (const part of [number, ...groups.slice(1, 3)]) expect(text).not.toContain(part)
  })

  it("A34 keeps the numbers of a message that the request does not have", async () => {
    const message = "at most 4929 8132 7465 0193 or 12345678 on 2026-11-22"
    const service = new Memory.Service({
      answer: () => Memory.answer(400, { errors: { card: message } })
    })
    const card = { number: "4929813274650194" }
    expect(Result.merge(await run(service, ({ create }) => create({ card })))).toMatchObject({
      fields: [{ path: "card", message }]
    })
  })
})

describe("a challenge", () => {
  it("has the address for the customer", async () => {
    const answer = {
      transactionId: "7",
      transactionStatus: "CUSTOMER_VERIFICATION",
      challengeUrl: "https://bank.example/3ds",
      challengeUrlIframe: "https://bank.example/3ds/frame"
    }
    const service = new Memory.Service({ answer: () => Memory.answer(200, answer) })
    const payment = Result.getOrThrow(await run(service, ({ create }) => create({})))
    expect(NextAction.of(payment)).toEqual({
      _tag: "Challenge",
      url: "https://bank.example/3ds",
      iframeUrl: "https://bank.example/3ds/frame"
    })
  })
})

describe("a card token", () => {
  it("is redacted, and is sent as text", async () => {
    const service = new Memory.Service({
      answer: (_, n) =>
        Memory.answer(
          200,
          n === 1
            ? { cardToken: "card-token-canary-5e21" }
            : { transactionId: "7", transactionStatus: "NEW" }
        )
    })
    const result = await run(service, ({ charge, tokenize }) =>
      Effect.gen(function* () {
        const { cardToken } = yield* tokenize({ card: { number: "4929813274650194" } })
        expect(inspect(cardToken, { depth: 9, showHidden: true })).not.toContain("canary")
        return yield* charge({ cardToken: Redacted.value(cardToken) })
      })
    )
    expect(Result.getOrThrow(result).transactionId).toBe("7")
    expect(JSON.parse(service.requests[1]?.body ?? "").cardToken).toBe("card-token-canary-5e21")
  })
})
