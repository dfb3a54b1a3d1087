/**
 * fast-check arbitraries of every schema of core: valid values, derived from the schema, and hostile values.
 *
 * **Example** (Invalid refund requests do not decode)
 *
 * ```ts
 * import * as Generators from "@pawl/testkit/Generators"
 * import { RefundRequest } from "@pawl/core/internal/RequestBodies"
 * import * as Result from "effect/Result"
 * import * as Schema from "effect/Schema"
 * import * as fc from "fast-check"
 *
 * const decode = Schema.decodeUnknownResult(Schema.toCodecJson(RefundRequest))
 *
 * fc.assert(
 *   fc.property(Generators.hostile("RefundRequest", RefundRequest), (sent) => Result.isFailure(decode(sent))),
 *   { numRuns: 20 }
 * )
 * ```
 */
import * as Amount from "@pawl/core/Amount"
import * as ApmPayload from "@pawl/core/ApmPayload"
import * as ApmPayment from "@pawl/core/ApmPayment"
import * as ApmPayout from "@pawl/core/ApmPayout"
import * as CallbackBody from "@pawl/core/internal/CallbackBody"
import * as JsonNumber from "@pawl/core/internal/JsonNumber"
import * as RequestBodies from "@pawl/core/internal/RequestBodies"
import * as SharedFields from "@pawl/core/internal/SharedFields"
import * as Card from "@pawl/core/Card"
import * as CardPayment from "@pawl/core/CardPayment"
import * as CardPayout from "@pawl/core/CardPayout"
import * as PaymentIntent from "@pawl/core/PaymentIntent"
import * as Refund from "@pawl/core/Refund"
import * as Subscription from "@pawl/core/Subscription"
import * as Transaction from "@pawl/core/Transaction"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"

const modules: ReadonlyArray<object> = [
  Amount,
  ApmPayload,
  ApmPayment,
  ApmPayout,
  CallbackBody,
  Card,
  CardPayment,
  CardPayout,
  JsonNumber,
  PaymentIntent,
  Refund,
  RequestBodies,
  SharedFields,
  Subscription,
  Transaction
]

type Codec = Schema.Codec<unknown, unknown>

const isCodec = (value: unknown): value is Codec => Schema.isSchema(value)

/** Every schema of core, by the name it is exported under. */
export const nouns: ReadonlyArray<readonly [name: string, schema: Codec]> = modules.flatMap(
  (module) =>
    Object.entries(module).flatMap(([name, value]: [string, unknown]) =>
      isCodec(value) ? [[name, value] as const] : []
    )
)

/**
 * Makes the arbitrary of the values of a schema. Effect's own generator draws them; fast-check
 * draws its size and seed, so values shrink in size only.
 */
export const values = <A>(schema: Schema.Codec<A, unknown>): fc.Arbitrary<A> => {
  let derived: Arbitrary.Arbitrary<A> | undefined
  return fc.tuple(fc.nat(7), fc.noShrink(fc.integer())).map(([size, seed]) => {
    derived ??= Arbitrary.schema(schema)
    const [value] = Effect.runSync(
      Arbitrary.sampleEffect(derived, { count: 1, maxDiscards: 10_000, seed, size: size + 1 })
    )
    return value as A
  })
}

export const sent = <A>(schema: Schema.Codec<A, unknown>): fc.Arbitrary<Schema.Json> => {
  let encode: ((value: A) => Schema.Json) | undefined
  return values(schema).map((value) => {
    encode ??= Schema.encodeSync(Schema.toCodecJson(schema))
    return encode(value)
  })
}

/**
 * Makes the arbitrary of JSON values that a schema refuses: a field is missing or has another type,
 * the whole value has another type, or a text only looks valid. `name` is the schema's export.
 */
export const hostile = (name: string, schema: Codec): fc.Arbitrary<Schema.Json> => {
  const texts = lookalikes[name]
  const wholes: ReadonlyArray<Schema.Json> = [null, true, [], [[poison]]]
  // A decoded object has its unknown fields under one member.
  const { ast } = Schema.toEncoded(schema)
  if (ast._tag !== "Objects") {
    return fc.constantFrom(
      ...[...(texts ?? []), { [poison]: poison }, ...wholes].filter(
        (each) => texts !== undefined || !Schema.is(Schema.toEncoded(schema))(each)
      )
    )
  }
  const fields = ast.propertySignatures.filter(({ type }) => type._tag !== "Unknown")
  const without = (field: (typeof fields)[number]) => (sent: Wire) =>
    Object.fromEntries(Object.entries(sent).filter(([name]) => name !== field.name))
  const wrong = (field: (typeof fields)[number]) => (sent: Wire) => ({
    ...sent,
    [String(field.name)]: [[poison]]
  })
  const mutations: ReadonlyArray<(sent: Wire) => Schema.Json> = [
    ...wholes.map((whole) => () => whole),
    ...fields.filter(({ type }) => type.context?.isOptional !== true).map(without),
    ...fields.map(wrong)
  ]
  return fc
    .tuple(fc.constantFrom(...mutations), sent(schema))
    .map(([mutation, value]) => mutation(value as Wire))
}

type Wire = Readonly<Record<string, Schema.Json>>

const poison = "4111111111111111-canary"

const identifiers = ["", "a\n", "\u0000", "\u0085", "\ud800", "x".repeat(129)]

const joinable = ["", "a|b", "|", "a\r\nb", "\u0000", "\u0085", "\udfff", "x".repeat(129)]

const amounts = [
  "",
  "1e2",
  "+10",
  "-1",
  " 10.00",
  "10.00\n",
  "10,00",
  "１０",
  "٣",
  "010",
  "10.",
  ".5",
  "0x10",
  "NaN",
  "Infinity",
  "10\u200b"
]

const urls = [
  "",
  "/callback",
  "//shop.example",
  "ftp://shop.example",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "http://",
  "https://shop example/"
]

/** They look valid for a schema, and are refused (from A16, B01 and D02). */
const lookalikes: Readonly<Record<string, ReadonlyArray<string>>> = {
  Amount: [...amounts, "10.001", "9".repeat(40)],
  AmountFromNumber: amounts.filter((text) => text !== "-1"),
  Currency: ["", "eur", "EU", "EURO", "E1R", "€", "ΕUR", " EUR", "EUR\n"],
  TransactionId: identifiers,
  IntegerText: [...identifiers, "1.0", "-1", "01"],
  RequestId: joinable,
  AccountId: ["", "acc-7", "7|7", "-7", "7.0", " 7", "٧", "7".repeat(129)],
  CardNumber: ["", "4242 4242 4242 4242", "4242-4242-4242-4242", "4".repeat(11), "4".repeat(20)],
  CardToken: [""],
  CallbackUrl: [
    ...urls,
    "https://shop.example/?paymentMethod=card",
    "https://shop.example/?order=7&apmType[]=WALLET",
    "https://shop.example/?%50aymentmethod"
  ],
  Url: urls
}
