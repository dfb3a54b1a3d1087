import * as InputSchemas from "@pawl/core/internal/InputSchemas"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import { describe, expect, it } from "vitest"

const url = "https://shop.example"
const pages = { successRedirectUrl: url, failureRedirectUrl: url }
const money = { amount: "10.50", currency: "EUR" }
const apm = { accountId: "1001", apmPayload: { paymentMethod: "EWALLET" }, ...money }
const number = "4242424242424242"
const plan = { ...money, frequency: "MONTHLY", interval: 1, startDate: "2030-01-01" }
const person = { email: "ada@shop.example" }

const cases: Readonly<
  Record<
    keyof typeof InputSchemas,
    readonly [input: object, wrong: Readonly<Record<string, unknown>>]
  >
> = {
  apmPayment: [apm, { amount: "1.005" }],
  apmPayout: [{ ...apm, callbackUrl: url }, { currency: "eur" }],
  cardPayment: [{ mid: "mid-1", ...money }, { amount: "1.005" }],
  tokenize: [{ mid: "mid-1", card: { number } }, { mid: 7 }],
  cardPayout: [
    {
      mid: "mid-1",
      amount: "10.50",
      card: { number, expMonth: "04", expYear: "2031" },
      billingDetails: person,
      callbackUrl: url
    },
    { amount: "1.005" }
  ],
  refund: [
    { mid: "mid-1", transactionId: "100001", amount: "10.50", reason: "duplicate" },
    { transactionId: "abc" }
  ],
  paymentIntent: [
    {
      type: "PAYMENT",
      lang: "en",
      mid: "mid-1",
      billingDetails: person,
      order: {},
      device: {},
      ...pages
    },
    { lang: "english" }
  ],
  subscription: [{ mid: "mid-1", cardToken: "token-1", plan, ...pages }, { cardToken: "" }],
  subscriptionUpdate: [{ plan: { amount: "12.00" } }, { status: 7 }]
}

const schemas = Object.entries<StandardSchemaV1>(InputSchemas).map(([name, schema]) => ({
  name,
  schema,
  of: cases[name as keyof typeof cases]
}))

describe.each(schemas)("$name", ({ name, of: [input, wrong], schema }) => {
  const { validate, vendor, version } = schema["~standard"]

  it("returns a valid input as it is", () => {
    const result = validate(input)
    if (result instanceof Promise || result.issues !== undefined) throw new Error(name)
    expect(result.value).toBe(input)
    expect([vendor, version]).toEqual(["pawl", 1])
  })

  it("names the wrong field of an input, and not its value", () => {
    const result = validate({ ...input, ...wrong })
    if (result instanceof Promise || result.issues === undefined) throw new Error(name)
    const [[field, value] = []] = Object.entries(wrong)
    expect(result.issues.map(({ path }) => path)).toEqual([[field]])
    expect(result.issues[0]?.message).not.toContain(JSON.stringify(value))
  })

  it("refuses a callback URL with a parameter that the service adds, before anything is sent", () => {
    const isOf = name !== "tokenize" && name !== "subscriptionUpdate"
    const queries = ["?paymentMethod=x", "?a=b&apmType", "?PaymentMethod[0]=x", "?apm%54ype=1#"]
    for (const query of isOf ? queries : []) {
      const callbackUrl = `https://shop.example/callback${query}`
      expect(validate({ ...input, callbackUrl })).toMatchObject({
        issues: [{ path: ["callbackUrl"] }]
      })
    }
    const callbackUrl = "https://shop.example/paymentMethod?method=x&a=paymentMethod#?apmType"
    expect(validate({ ...input, callbackUrl })).not.toHaveProperty("issues")
  })

  it("refuses a value that is no object", () => {
    for (const value of [undefined, null, "", "hunter2", 7, [], [input]]) {
      const result = validate(value)
      expect(result).toMatchObject({ issues: [expect.anything()] })
      expect(JSON.stringify(result)).not.toContain("hunter2")
    }
  })

  it("checks a requestId that the input has", () => {
    const result = validate({ ...input, requestId: "a|b" })
    // An update has no requestId, and any further field is allowed.
    expect("issues" in result).toBe(name !== "subscriptionUpdate")
  })
})

it("the frequency of a plan is one of the four, in a new subscription and in a change", () => {
  const [subscription] = cases.subscription
  for (const schema of [InputSchemas.subscription, InputSchemas.subscriptionUpdate]) {
    const validate = (frequency: string) =>
      schema["~standard"].validate({ ...subscription, plan: { ...plan, frequency } })
    for (const frequency of ["DAILY", "WEEKLY", "MONTHLY", "CUSTOM"])
      expect(validate(frequency)).not.toHaveProperty("issues")
    for (const frequency of ["YEARLY", "daily", ""])
      expect(validate(frequency)).toMatchObject({ issues: [{ path: ["plan", "frequency"] }] })
  }
})
