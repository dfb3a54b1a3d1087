/**
 * The inputs of the committed vectors: named callbacks and requests, every pair of observations, the conflicts, and
 * histories in every order.
 */
import { type Method } from "@pawl/core/Kind"
import * as Checksum from "@pawl/core/Checksum"
import * as Evidence from "@pawl/core/Evidence"
import { type Status, statuses } from "@pawl/core/Status"
import {
  type CallbackInput,
  type Event,
  type HistoryInput,
  type Inputs,
  type JoinInput,
  queryOf,
  type RequestInput,
  signOf,
  type StandingInput,
  type State
} from "./Vectors.ts"

const secret = "sandbox-secret"
const policies = ["final", "always", "never"] as const

/** Signs four texts, and makes the callback with a body that may have other fields. */
const callback = (
  about: string,
  method: Method,
  signed: readonly [account: string, amount: string, currency: string, transactionId: string],
  body: string,
  changes: Partial<CallbackInput> = {}
): CallbackInput => {
  const [account, amount, currency, transactionId] = signed
  const sign = signOf(changes.secret ?? secret)
  const checksum = Checksum.callback(sign, { account, amount, currency, transactionId })
  return { about, secret, query: queryOf(method), body, checksum, ...changes }
}

const cardBody =
  '{"transactionId":"100001","transactionStatus":"SUCCEED","mid":"mid-1","orderAmount":"10.00","orderCurrency":"EUR"}'
const cardSigned = ["mid-1", "10.00", "EUR", "100001"] as const
const apmBody =
  '{"transactionId":"100001","transactionStatus":"SUCCEED","accountId":"4711","amount":"10.00","currency":"EUR","apmType":"PIX"}'
const apmSigned = ["4711", "10.00", "EUR", "100001"] as const

const card = (about: string, changes: Partial<CallbackInput> = {}) =>
  callback(about, "card", cardSigned, cardBody, changes)
const { checksum: genuine } = card("")
const spelled = (spelling: (bytes: Buffer) => string) => ({
  checksum: spelling(Buffer.from(genuine ?? "", "base64"))
})
const replaced = (from: string, to: string) => ({ body: cardBody.replace(from, to) })

const callbacks: ReadonlyArray<CallbackInput> = [
  card("a card callback"),
  callback("an APM callback", "apm", apmSigned, apmBody),
  callback(
    "identifiers and an amount that are JSON numbers are signed as they are written",
    "apm",
    ["4711", "10.00", "EUR", "12345678901234567890"],
    '{"transactionId":12345678901234567890,"transactionStatus":"SUCCEED","accountId":4711,"amount":10.00,"currency":"EUR"}'
  ),
  callback(
    "an integer amount has another checksum than the same amount with decimals",
    "apm",
    ["4711", "10", "EUR", "100001"],
    apmBody.replace('"10.00"', "10")
  ),
  callback(
    "texts and secrets are UTF-8",
    "card",
    ["mid-ü✓", "10.00", "EUR", "100001"],
    cardBody.replace("mid-1", "mid-ü✓"),
    { secret: "geheim-ß" }
  ),
  callback(
    "escapes are decoded before the text is signed",
    "card",
    ["mid-ü", "10.00", "EUR", "100001"],
    cardBody.replace("mid-1", "mid-\\u00fc")
  ),
  card("the status is not signed", replaced("SUCCEED", "FAILED")),
  card("other fields are not signed", replaced("{", '{"metadata":{"a":"1"},')),
  card("another amount", replaced("10.00", "10.01")),
  card("the same amount, written otherwise", replaced('"10.00"', '"10.0"')),
  card("another account", replaced("mid-1", "mid-2")),
  card("another currency", replaced("EUR", "USD")),
  card("another transaction", replaced("100001", "100002")),
  card("the checksum of another secret", { secret: "other-secret", checksum: genuine }),
  card("no checksum", { checksum: null }),
  card("an empty checksum", { checksum: "" }),
  card(
    "the checksum in hex",
    spelled((bytes) => bytes.toString("hex"))
  ),
  card(
    "the checksum in base64url",
    spelled((bytes) => bytes.toString("base64url"))
  ),
  card(
    "the checksum without padding",
    spelled((bytes) => bytes.toString("base64").replace("=", ""))
  ),
  card(
    "the checksum with a space after it",
    spelled((bytes) => `${bytes.toString("base64")} `)
  ),
  card(
    "the checksum with other unused bits",
    spelled((bytes) => bytes.toString("base64").replace(/.=$/u, "p="))
  ),
  callback(
    "a bar in a signed field makes the signed text ambiguous",
    "card",
    ["mid-1|10.00", "EUR", "100001", ""],
    cardBody.replace("mid-1", "mid-1|10.00")
  ),
  callback(
    "an empty signed field",
    "card",
    ["", "10.00", "EUR", "100001"],
    cardBody.replace("mid-1", "")
  ),
  callback(
    "a control character in a signed field",
    "card",
    ["mid\u0085", "10.00", "EUR", "100001"],
    cardBody.replace("mid-1", "mid\\u0085")
  ),
  card("a lone surrogate in a signed field", replaced("mid-1", "mid\\ud800")),
  card("a signed field is missing", replaced('"mid":"mid-1",', "")),
  card("a signed field is null", replaced('"mid-1"', "null")),
  card("a signed field is a boolean", replaced('"mid-1"', "true")),
  callback("a card callback that is called an APM callback", "apm", cardSigned, cardBody),
  callback("an APM callback that is called a card callback", "card", apmSigned, apmBody, {
    query: "paymentMethod=card"
  }),
  callback(
    "the signed fields of both layouts",
    "card",
    cardSigned,
    cardBody.replace("{", '{"accountId":"4711","amount":"99.00","currency":"EUR",')
  ),
  card("no paymentMethod", { query: "shop=1" }),
  card("paymentMethod twice", { query: "paymentMethod=card&paymentMethod=card" }),
  card("an unknown paymentMethod", { query: "paymentMethod=Card" }),
  card("other parameters before paymentMethod", { query: "shop=1&paymentMethod=card" })
]

const order = { accountId: "acc-1", requestId: "req-1", amount: "10.00", currency: "EUR" }
const requests: ReadonlyArray<RequestInput> = [
  { about: "the default separator", secret, separator: "|", ...order },
  { about: "no separator", secret, separator: "", ...order },
  { about: "the amount as it is sent", secret, separator: "|", ...order, amount: "10" },
  { about: "UTF-8", secret: "geheim-ß", separator: "|", ...order, accountId: "acc-ü" }
]

const reads: ReadonlyArray<State["read"]> = [
  null,
  { status: "SUCCEED", askedAt: 1_700_000_000_005 },
  { status: "SUCCEED", askedAt: 1_700_000_000_007 },
  { status: "FAILED", askedAt: 1_700_000_000_005 },
  { status: "PROCESSING", askedAt: 1_700_000_000_009 }
]
const bits = statuses.flatMap((status) => [Evidence.claimed(status), Evidence.confirmed(status)])
const joins: ReadonlyArray<JoinInput> = reads.flatMap((left, row) =>
  reads.map((right, column) => ({
    left: { evidence: (bits[row] ?? 0) | (bits[column + 9] ?? 0), read: left },
    right: { evidence: (bits[column] ?? 0) | (bits[row + 5] ?? 0), read: right }
  }))
)

/** Returns the unions of all subsets. */
const subsets = (evidence: ReadonlyArray<number>): Array<number> =>
  evidence.reduce<Array<number>>((all, bit) => [...all, ...all.map((each) => each | bit)], [0])
const observationsOf = (...of: ReadonlyArray<Status>) =>
  of.flatMap((status) => [Evidence.claimed(status), Evidence.confirmed(status)])

const evidences = new Set([
  ...bits.flatMap((one) => bits.map((other) => one | other)),
  ...subsets(observationsOf("SUCCEED", "FAILED", "CANCELLED")),
  ...subsets(observationsOf("PROCESSING", "CUSTOMER_VERIFICATION")),
  // All observations, and bits of a later version, which are ignored.
  2 ** 18 - 1,
  2 ** 18,
  (2 ** 19) | Evidence.claimed("PENDING")
])
const deciding = [null, "SUCCEED", "FAILED", "CANCELLED", "PROCESSING", "REFUNDED"] as const
const standings: ReadonlyArray<StandingInput> = policies.flatMap((policy) =>
  [...evidences].flatMap((evidence) => {
    const { conflict } = Evidence.standing(evidence, undefined, policy)
    const one = [null, ...statuses][evidence % 10] ?? null
    return (conflict === null ? [one] : deciding).map((read) => ({ evidence, read, policy }))
  })
)

const stories: Readonly<Record<string, ReadonlyArray<Event>>> = {
  "open statuses": [{ callback: "NEW" }, { callback: "PENDING" }, { callback: "PROCESSING" }],
  "a 3D Secure challenge": [
    { callback: "PROCESSING" },
    { callback: "CUSTOMER_VERIFICATION" },
    { read: "SUCCEED", askedAt: 3 }
  ],
  "a forged success": [
    { callback: "PENDING" },
    { callback: "SUCCEED" },
    { read: "FAILED", askedAt: 1 }
  ],
  "a repeated callback, and its confirmation": [
    { callback: "PENDING" },
    { callback: "SUCCEED" },
    { callback: "SUCCEED" },
    { read: "SUCCEED", askedAt: 1 }
  ],
  "a failure that becomes a success": [
    { callback: "SUCCEED" },
    { read: "FAILED", askedAt: 1 },
    { read: "SUCCEED", askedAt: 2 }
  ],
  "a refund": [
    { callback: "SUCCEED" },
    { read: "SUCCEED", askedAt: 1 },
    { callback: "REFUNDED" },
    { read: "REFUNDED", askedAt: 2 }
  ],
  "a chargeback that is won": [
    { read: "SUCCEED", askedAt: 1 },
    { read: "CHARGEBACK", askedAt: 2 },
    { read: "SUCCEED", askedAt: 3 }
  ],
  "a cancelled payment that succeeds": [
    { response: "NEW" },
    { callback: "CANCELLED" },
    { read: "CANCELLED", askedAt: 2 },
    { read: "SUCCEED", askedAt: 4 }
  ]
}

const orders = <A>(items: ReadonlyArray<A>): Array<ReadonlyArray<A>> =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, index) =>
        orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest])
      )
const told: ReadonlyArray<HistoryInput> = Object.entries(stories).flatMap(([about, events]) =>
  policies.flatMap((policy) => {
    const distinct = new Map(orders(events).map((each) => [JSON.stringify(each), each]))
    return [...distinct.values()].map((events) => ({ about, policy, toldBefore: null, events }))
  })
)
const toldBefore: ReadonlyArray<HistoryInput> = statuses.flatMap((before) =>
  statuses.map((callback) => ({
    about: `a handler that was told ${before} before`,
    policy: "never",
    toldBefore: before,
    events: [{ callback }]
  }))
)
const histories = [...told, ...toldBefore]

export const committed: Inputs = { callbacks, requests, joins, standings, histories }
