import { signedNames } from "@pawl/core/internal/SignedFields"
import * as Checksum from "@pawl/core/Checksum"
import type { Method } from "@pawl/core/Kind"
import * as Token from "@pawl/webhook/internal/verify/Token"
import { type CallbackInput, queryOf, signOf } from "./Vectors.ts"

const secret = "sandbox-secret"
const secrets = [secret] as const

type Four = readonly [account: string, amount: string, currency: string, transactionId: string]

const genuine = {
  card: {
    json: ['"mid-1"', '"10.00"', '"EUR"', '"100007"'],
    signed: ["mid-1", "10.00", "EUR", "100007"]
  },
  apm: {
    json: ['"4711"', '"10.00"', '"EUR"', '"100007"'],
    signed: ["4711", "10.00", "EUR", "100007"]
  }
} satisfies Record<Method, { readonly json: ReadonlyArray<string>; readonly signed: Four }>

const bodyOf = (method: Method, json: ReadonlyArray<string>, rest: string) =>
  `{${signedNames[method].map((name, at) => `"${name}":${json[at]}`).join()},${rest}}`

const checksumOf = ([account, amount, currency, transactionId]: Four, key = secret) =>
  Checksum.callback(signOf(key), { account, amount, currency, transactionId })

const status = '"transactionStatus":"SUCCEED"'

const callback = (
  method: Method,
  about: string,
  changes: Partial<CallbackInput> = {}
): CallbackInput => ({
  about,
  secrets,
  query: queryOf(method),
  body: bodyOf(method, genuine[method].json, status),
  checksum: checksumOf(genuine[method].signed),
  ...changes
})
const card = (about: string, changes?: Partial<CallbackInput>) => callback("card", about, changes)
const apm = (about: string, changes?: Partial<CallbackInput>) => callback("apm", about, changes)

const field = (method: Method, at: number, about: string, json: string, signed?: string) =>
  callback(method, about, {
    body: bodyOf(method, genuine[method].json.with(at, json), status),
    checksum: checksumOf(genuine[method].signed.with(at, signed ?? json) as unknown as Four)
  })

const { body: cardBody } = card("")
const checksum = checksumOf(genuine.card.signed)
const replaced = (from: string, to: string) => ({ body: cardBody.replace(from, to) })
const added = (members: string) => replaced("{", `{${members},`)
const bytes = Buffer.from(checksum, "base64")

const characters = [
  "| \\u0000 \\n \\u001f \\u007f \\u0080 \\u009f \\ud800 \\udbff \\udc00 \\udfff \\udc00\\ud800",
  "\\u0020 { } ~ \\u00a0 \\u2028 \\ud7ff \\ue000 \\uffff \\ud83d\\ude00 \\\\"
].flatMap((group) => group.split(" "))

const signedFields = [
  ...characters.map((json) =>
    field(
      "card",
      0,
      `the character ${json} in a signed field`,
      `"mid${json}1"`,
      JSON.parse(`"mid${json}1"`)
    )
  ),
  ...["10.00", "10", "1E+2", "-0", "0.5e-7", "12345678901234567890"].map((json) =>
    field("apm", 1, "a number is signed as it is written", json)
  ),
  ...(["card", "apm"] as const).flatMap((method) =>
    signedNames[method].flatMap((name, at) => [
      field(method, at, `${name} is empty`, '""', ""),
      field(method, at, `${name} is null`, "null"),
      callback(method, `${name} is another one`, {
        body: bodyOf(method, genuine[method].json.with(at, '"other"'), status)
      })
    ])
  ),
  field("card", 0, "a signed field is true", "true"),
  field("card", 0, "a signed field is a list", "[]"),
  field("card", 0, "a signed field is an object", "{}"),
  card("a signed field is missing", replaced('"mid":"mid-1",', "")),
  card("a signed field is in another object", replaced('"mid":"mid-1"', '"in":{"mid":"mid-1"}')),
  field("card", 0, "escapes are decoded before the text is signed", '"mid-\\u00fc\\/"', "mid-ü/"),
  field("card", 0, "texts are signed as UTF-8", '"mid-ü✓"', "mid-ü✓"),
  card("the amount is written otherwise", replaced('"10.00"', '"10.0"')),
  card("other fields are not signed", added('"metadata":{"a":"1"}'))
]

const spellings = Object.entries({
  "in lower case": checksum.toLowerCase(),
  "in upper case": checksum.toUpperCase(),
  "in base64url": checksum.replaceAll("+", "-").replaceAll("/", "_"),
  "without padding": checksum.replace("=", ""),
  "with more padding": `${checksum}=`,
  "with other unused bits": checksum.replace(/.=$/u, "p="),
  "with a space before it": ` ${checksum}`,
  "with a space after it": `${checksum} `,
  "in hex": bytes.toString("hex"),
  "without its last byte": bytes.subarray(0, 31).toString("base64"),
  "with characters beyond ASCII": "ü".repeat(44),
  "that is empty": ""
}).map(([how, checksum]) => card(`a checksum ${how}`, { checksum }))
const checksums = [
  card("no checksum", { checksum: null }),
  card("a checksum of another secret", { secrets: ["other-secret"] }),
  card("a checksum of the previous secret", { secrets: ["other-secret", secret] }),
  card("a secret is UTF-8", {
    secrets: ["geheim-ß"],
    checksum: checksumOf(genuine.card.signed, "geheim-ß")
  }),
  card("a secret longer than a block", {
    secrets: ["k".repeat(65)],
    checksum: checksumOf(genuine.card.signed, "k".repeat(65))
  })
]

const bodies = [
  ...Object.entries({
    "a signed key twice": added('"mid":"mid-1"'),
    "a key twice": added('"a":1,"a":1'),
    "a key twice, one with an escape": added('"a":1,"\\u0061":1'),
    "a key twice in a nested object": added('"a":[{"b":1,"b":2}]'),
    "one key in two objects": added('"a":{"b":1},"c":{"b":1}'),
    "64 levels": added(`"a":${"[".repeat(63)}0${"]".repeat(63)}`),
    "65 levels": added(`"a":${'{"a":'.repeat(63)}[0]${"}".repeat(63)}`),
    "65 levels, the last one empty": added(`"a":${"[".repeat(64)}${"]".repeat(64)}`),
    "a list beside a deep one": added(`"a":[${"[".repeat(62)}${"]".repeat(62)},[[0]]]`),
    "a comma too many": added('"a":1,'),
    NaN: added('"a":NaN'),
    Infinity: added('"a":-Infinity'),
    "a number with a zero before it": added('"a":01'),
    "a line break in a text": added('"a":"\n"'),
    "a byte order mark": { body: `\ufeff${cardBody}` },
    "text behind it": { body: `${cardBody}}` },
    "spaces around it": { body: ` \t\r\n${cardBody}\n` },
    "a no-break space before it": { body: `\u00a0${cardBody}` },
    "a list": { body: `[${cardBody}]` },
    null: { body: "null" },
    "a text": { body: '"mid"' },
    nothing: { body: "" }
  }).map(([about, changes]) => card(`the body: ${about}`, changes)),
  apm("a card callback that is called an APM callback", { body: cardBody, checksum }),
  card("an APM callback that is called a card callback", { body: apm("").body }),
  card("the signed fields of both layouts", added('"accountId":"1","amount":"1","currency":"EUR"')),
  card("both layouts, one field is null", added('"accountId":null,"amount":"1","currency":"EUR"')),
  card("three fields of the other layout", added('"accountId":"1","currency":"EUR"')),
  apm("an APM callback with the fields of a card", {
    body: bodyOf("apm", genuine.apm.json, '"mid":"1","orderAmount":"1","orderCurrency":"EUR"')
  })
]

const apmTyped = (about: string, query: string, apmType: string) =>
  apm(about, { query, body: bodyOf("apm", genuine.apm.json, `"apmType":${apmType},${status}`) })
const queries = [
  ...[
    "",
    "shop=1",
    "paymentMethod=card&paymentMethod=card",
    "paymentMethod=card&paymentMethod=apm",
    "paymentMethod=Card",
    "paymentMethod=",
    "shop=1&paymentMethod=card&a",
    "payment%4dethod=%63ard",
    "paymentMethod=card&paymentmethod=apm",
    "paymentMethod=card&paymentMethod[]=apm",
    "paymentMethod=card&APMTYPE=a",
    "paymentMethod=card&xpaymentMethod=a&paymentMethods=a&apmType%0a=a",
    "paymentMethod=card&apmType=PIX"
  ].map((query) => card(`the query ${query}`, { query })),
  apmTyped("apmType is the same in query and body", "paymentMethod=apm&apmType=P+%26", '"P &"'),
  apmTyped("apmType differs between query and body", "paymentMethod=apm&apmType=PIX", '"pix"'),
  apmTyped("apmType is a number in the body", "paymentMethod=apm&apmType=1", "1"),
  apmTyped("apmType is null in the body", "paymentMethod=apm&apmType=PIX", "null"),
  apmTyped("apmType is not in the query", "paymentMethod=apm", '"PIX"'),
  apmTyped("apmType twice", "paymentMethod=apm&apmType=PIX&apmType=PIX", '"PIX"')
]

const tokenOf = (operation: Token.Operation, account?: string, key = secret) =>
  Token.encode(signOf(key), { operation, ordered: { requestId: "r-1", account } })
const tokens = [
  ...Token.operations.flatMap((operation) =>
    [card, apm].map((make) => {
      const { query } = make("")
      return make(`a token of ${operation}`, { query: `pawl=${tokenOf(operation)}&${query}` })
    })
  ),
  ...Object.entries({
    "of the same account": tokenOf("refund", "mid-1"),
    "of another account": tokenOf("refund", "mid-2"),
    "of another secret is ignored": tokenOf("apm-payment", "mid-2", "other-secret"),
    twice: `${tokenOf("refund")}&pawl=`
  }).map(([about, token]) =>
    card(`a token ${about}`, { query: `paymentMethod=card&pawl=${token}` })
  ),
  apm("a token of another account", {
    query: `paymentMethod=apm&pawl=${tokenOf("apm-payment", "mid-2")}`
  }),
  ...[card, apm].map((make) => {
    const { query } = make("")
    const token = tokenOf("payment", "mid-2")
    return make("a token of an intent, and another account", { query: `pawl=${token}&${query}` })
  }),
  card("a moved token, and another checksum", {
    query: `paymentMethod=card&pawl=${tokenOf("apm-payment")}`,
    checksum: ""
  }),
  card("a token of the previous secret", {
    query: `paymentMethod=card&pawl=${tokenOf("refund", "mid-1", "old")}`,
    secrets: [secret, "old"]
  })
]

const amounts = [
  "0 0.1 5.09 907 1.23000000 1.230000000 1234567890.98 1/ 1: : 1./ 1.: 007 10.001 10. .5 -1 +1 1e2 1,0 ٣",
  `${"9".repeat(18)} ${"9".repeat(19)} 10.0\u00a0`
].flatMap((group) => group.split(" "))

/** Genuine callbacks that are stored and not acted on, and their neighbours. */
const claims = [
  ...["a".repeat(128), "a".repeat(129), "🔑".repeat(128), ".", "..", "...", "a/b"].map((id) =>
    field("card", 3, "a transactionId", JSON.stringify(id), id)
  ),
  ...amounts.map((text) => field("card", 1, "an amount", JSON.stringify(text), text)),
  ...["USD", "AZM", "ZZA", "@ZZ", "ZA[", "eur", "EU", "EURO", "ÉUR"].map((code) =>
    field("card", 2, "a currency", `"${code}"`, code)
  ),
  ...["NEW", "succeed", "SUCCEEDED", ""].map((word) => card("a status", replaced("SUCCEED", word))),
  card("the status is a list", replaced('"SUCCEED"', '["SUCCEED"]')),
  card("no status", replaced("transactionStatus", "status")),
  ...[
    '{"a":["\\u0000"]}',
    '{"\\u0000":1}',
    '"\\ud800"',
    '"\\udbff"',
    '"\\udc00"',
    '"\\udfff"',
    "[true,null,1.0]",
    '"\\u0001\\u007f\\ud83d\\ude00"'
  ].map((json) => card("text that may not be stored", added(`"metadata":${json}`)))
]

export const callbacks: ReadonlyArray<CallbackInput> = [
  card("a card callback"),
  apm("an APM callback"),
  ...signedFields,
  ...checksums,
  ...spellings,
  ...bodies,
  ...queries,
  ...tokens,
  ...claims
]
