import { forAll } from "@pawl/test-support/Properties"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import { masked } from "../src/internal/sandbox/Masked.ts"

const names = fc.constantFrom(
  "number",
  "cvv",
  "CVC",
  "card_number",
  "cardNumber",
  "merchantSecret",
  "cardToken",
  "accessToken",
  "access_token",
  "merchant_secret",
  "cvv2",
  "cardCvc",
  "securityCode",
  "card_verification_value",
  "primaryAccountNumber",
  "checksum",
  "ssn",
  "identityCode"
)
const secret = fc.oneof(
  fc.stringMatching(/^[0-9]{12,19}$/u),
  fc.string({ minLength: 8, unit: fc.constantFrom("a", "7", '"', "\\", "}", ",", " ", "é") })
)
const around = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 3
})

it("D08: the value of a secret member is masked at any place, and the rest of a body stays valid JSON", () =>
  forAll([names, secret, around, fc.constantFrom(0, 2)], (name, value, others, indent) => {
    const body = { ...others, card: { [name]: value, mid: "m-1" }, list: [{ [name]: value }] }
    const shown = masked(JSON.stringify(body, null, indent))
    if (shown === undefined) return
    assert.notInclude(shown, JSON.stringify(value))
    const read = JSON.parse(shown) as typeof body
    assert.deepStrictEqual(read.card, { [name]: "•••", mid: "m-1" })
  }))

it("D08: numbers without quotes, cut texts and grouped card numbers are masked; other fields stay", () => {
  for (const [text, expected] of [
    ['{"number":4111111111111111,"mid":"m-1"}', '{"number":"•••","mid":"m-1"}'],
    ['{"cvv": "73', '{"cvv": "•••"'],
    ['{"note":"4111 1111 1111 1111"}', '{"note":"•••"}'],
    ['"eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.c2ln-X_0"', '"•••"'],
    ["jwt-eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.c2ln", "•••"],
    ["eyJ.eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.c2ln", "eyJ.•••"],
    ['{"declineCode":51,"token_type":"Bearer"}', '{"declineCode":51,"token_type":"Bearer"}'],
    ['{"transactionId":"179000000000001"}', '{"transactionId":"179000000000001"}'],
    ['{"orderNumber":"A-1"}', '{"orderNumber":"A-1"}'],
    ['{"n\\u0075mber":"4111111111111111"}', undefined],
    ["", undefined]
  ] as const) {
    assert.strictEqual(masked(text), expected)
  }
})

it("A24: a text of 1 MiB that only begins tokens is searched once", () => {
  const text = "eyJ-".repeat(262_144)
  assert.strictEqual(masked(text), text)
})
