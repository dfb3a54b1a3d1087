/** The code that reads text of strangers before the checksum is compared, and every decoder. */
import * as Amount from "@pawl/core/Amount"
import * as Hmac from "@pawl/core/Hmac"
import * as Json from "@pawl/core/internal/Json"
import { CardPayments } from "@pawl/http/CardPayments"
import { ApmPayments } from "@pawl/http/ApmPayments"
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as PawlPortable from "@pawl/http/PawlPortable"
import { Refunds } from "@pawl/http/Refunds"
import { type Response, Transport } from "@pawl/http/Transport"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as Service from "@pawl/test-support/Service"
import { maxBytes, verifyWith } from "@pawl/webhook/VerifyCallback"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Result from "effect/Result"
import { isDeepStrictEqual } from "node:util"
import corpora from "../../fuzz/corpus.json" with { type: "json" }
import type { Target } from "./Fuzzer.ts"

const utf8 = new TextDecoder()

const promise = (holds: boolean, sentence: string): void => {
  if (!holds) throw new Error(sentence)
}

/** Signs every text alike, so that inputs pass the comparison of checksums. */
const sign = (): Uint8Array => new Uint8Array(32)
const checksum = Buffer.from(sign()).toString("base64")
const tag = Buffer.from(sign().subarray(0, 16)).toString("base64url")

const jsonWords = [
  '{"',
  '":',
  '",',
  "[",
  "]",
  "{",
  "}",
  "null",
  "true",
  "-0",
  "1e400",
  "10.00",
  "\\u0000",
  "\\ud800",
  '"__proto__":',
  "12345678901234567890",
  "[[[[[[[[",
  '{"a":{"a":',
  "\u{feff}",
  '\\"',
  " "
]
const callbackWords = [
  "mid",
  "accountId",
  "orderAmount",
  "amount",
  "orderCurrency",
  "currency",
  "transactionId",
  "transactionStatus",
  "SUCCEED",
  "CHARGEBACK",
  "apmType",
  "PIX",
  "refundId",
  "|",
  "10.00",
  "EUR"
]

/** Compares a value with that of JSON.parse, in which a number may have lost digits. */
const isSameJson = (one: unknown, other: unknown): boolean =>
  typeof other === "number"
    ? one === other || (typeof one === "string" && Number(one) === other)
    : Array.isArray(other)
      ? Array.isArray(one) &&
        one.length === other.length &&
        other.every((each, at) => isSameJson(one[at], each))
      : typeof other === "object" && other !== null
        ? typeof one === "object" &&
          one !== null &&
          isDeepStrictEqual(Object.keys(one), Object.keys(other)) &&
          Object.entries(other).every(([key, each]) => isSameJson(Reflect.get(one, key), each))
        : one === other

const json: Target["run"] = (input) => {
  const exact = Json.readBytes(input)
  const draft = Json.draftBytes(input)
  promise("json" in exact === "json" in draft, "the two readers of JSON agree on what they refuse")
  if (!("json" in exact) || !("json" in draft)) return
  promise(
    isSameJson(exact.json, JSON.parse(utf8.decode(input))),
    "what is accepted is what JSON.parse reads"
  )
  promise(isDeepStrictEqual(draft.exact(), exact.json), "the two readers of JSON read the same")
}

const verify = verifyWith({ current: sign, previous: sign, accounts: ["mid-1", "4711"] })

/** The lines are method, query, content type, content encoding, checksum and body. */
const callback: Target["run"] = (input) => {
  const parts: Array<string> = []
  let from = 0
  for (let at = 0; at < 5; at++) {
    const end = input.indexOf(10, from)
    parts.push(utf8.decode(input.subarray(from, end < 0 ? input.length : end)))
    from = end < 0 ? input.length : end + 1
  }
  const [method = "", search = "", contentType = "", encoding = "", received = ""] = parts
  const result = verify({
    method,
    search,
    contentType,
    contentEncoding: encoding === "" ? undefined : encoding,
    checksum: received === "*" ? checksum : received,
    body: input.subarray(from)
  })
  if ("reason" in result) {
    promise([400, 401, 405, 413, 415].includes(result.status), "a refusal has a documented status")
    return
  }
  promise(input.length - from <= maxBytes, "a callback has at most 64 KiB")
  promise(received === "*" || received === checksum, "a callback has a checksum")
  promise(
    (result.claim === undefined) === (result.quarantine !== undefined),
    "a callback claims a status or is in quarantine"
  )
  const { account, amount, currency, transactionId } = result.signed
  promise(
    [account, amount, currency, transactionId].every((text) => text !== "" && !text.includes("|")),
    "signed fields are unambiguous"
  )
}

const amount: Target["run"] = (input) => {
  const [one = "", two = ""] = utf8.decode(input).split("\n")
  const rounded = Amount.round(one, { mode: "half-from-zero" })
  const [left, right] = [Amount.parse(one), Amount.parse(two)]
  if (Result.isFailure(left)) return
  promise(
    Result.isSuccess(rounded) && Amount.compare(rounded.success, left.success) === 0,
    "an amount is rounded to itself"
  )
  if (Result.isFailure(right)) return
  const [sum, turned] = [
    Amount.add(left.success, right.success),
    Amount.add(right.success, left.success)
  ]
  promise(
    isDeepStrictEqual(Result.getOrUndefined(sum), Result.getOrUndefined(turned)),
    "a sum does not depend on its order"
  )
  for (const name of ["EUR", "JPY", "KWD"]) {
    const currency = Amount.Currency.make(name)
    const units = Amount.toMinorUnits(left.success, currency)
    if (Result.isFailure(units)) continue
    const back = Amount.fromMinorUnits(units.success, currency)
    promise(
      Result.isSuccess(back) && Amount.compare(back.success, left.success) === 0,
      "minor units keep an amount"
    )
  }
}

const constantHmac = Layer.succeed(Hmac.Hmac, { keyed: () => sign })
const { make: makeUrl } = Effect.runSync(
  Effect.provide(
    CallbackUrl.CallbackUrl,
    CallbackUrl.layer(Redacted.make("secret")).pipe(Layer.provide(constantHmac))
  )
)

/** The lines are URL, requestId and account. */
const url: Target["run"] = (input) => {
  const [text = "", requestId = "", mid = ""] = utf8.decode(input).split("\n")
  const made = Effect.runSyncExit(makeUrl(text, "card-payment", { requestId, mid }))
  if (Exit.isFailure(made)) {
    promise(!Cause.hasDies(made.cause), "a URL is made or refused")
    return
  }
  const read = URL.parse(made.value)
  promise(
    read !== null && /^https?:$/u.test(read.protocol),
    "a callback URL is an absolute http(s) URL"
  )
  const search = `${read?.search}&paymentMethod=card`
  const body = Service.card({ mid, orderAmount: "1", transactionId: "1" })
  const received = Service.incoming("card", body, { search, checksum })
  const result = verifyWith({ current: sign })(received)
  if ("reason" in result) return
  promise(
    result.ordered?.requestId === requestId,
    "the token of a callback URL is read as it was written"
  )
}

const goodToken = new TextEncoder().encode('{"accessToken":"token"}')

const call = <A, E>(
  effect: Effect.Effect<A, E, PawlPortable.Services>,
  response: Response,
  auth: Uint8Array = goodToken
): void => {
  const transport = Layer.succeed(Transport, {
    send: ({ url }) =>
      Effect.succeed(url.endsWith("/auth") ? { status: 200, headers: {}, body: auth } : response)
  })
  const runtime = ManagedRuntime.make(
    PawlPortable.layerPerRequest.pipe(
      Layer.provide([transport, constantHmac]),
      Layer.provide(
        PawlConfig.layer({
          baseUrl: "https://payments.example/api",
          merchantKey: "key",
          merchantSecret: Redacted.make("secret"),
          maxAttempts: 1
        })
      ),
      Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
    )
  )
  const exit = runtime.runSyncExit(effect)
  promise(
    Exit.isSuccess(exit) || !Cause.hasDies(exit.cause),
    `a call succeeds or fails: ${Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""}`
  )
}

const statuses = [200, 200, 200, 201, 204, 302, 400, 400, 404, 422]

const calls = [
  CardPayments.use((payments) => payments.status("1")),
  CardPayments.use((payments) =>
    payments.create({ mid: "mid-1", amount: "10.00", currency: "EUR", requestId: "r-1" })
  ),
  Refunds.use((refunds) => refunds.status("1"))
]

/** The first byte chooses the call and the status of the response; the rest is the body. */
const response: Target["run"] = (input) => {
  const [first = 0] = input
  const status = statuses[first % statuses.length] ?? 200
  const got = { status, headers: { "content-type": "application/json" }, body: input.subarray(1) }
  const which = calls[Math.floor(first / statuses.length) % calls.length]
  if (which !== undefined) call<unknown, unknown>(which, got)
}

const auth: Target["run"] = (input) => {
  call(
    ApmPayments.use((payments) => payments.status("1")),
    { status: 200, headers: {}, body: new TextEncoder().encode('"NEW"') },
    input
  )
}

export const targets = {
  json: { run: json, words: jsonWords, corpus: corpora.json },
  callback: {
    run: callback,
    words: [
      ...jsonWords,
      ...callbackWords,
      "paymentMethod=card",
      "paymentMethod=apm",
      "&pawl=",
      `.${tag}`,
      "%7c",
      "application/json",
      "utf-8",
      "\n",
      "*"
    ],
    corpus: corpora.callback
  },
  amount: {
    run: amount,
    words: ["0", ".", "00", "999999999999999999", "e", "-", "\n", "."],
    corpus: corpora.amount
  },
  url: {
    run: url,
    words: [
      "https://",
      "http://",
      "?",
      "#",
      "&",
      "paymentMethod",
      "%",
      "[",
      "]",
      "@",
      ":",
      "\n",
      "pawl=",
      "\u{1f600}"
    ],
    corpus: corpora.url
  },
  response: {
    run: response,
    words: [
      ...jsonWords,
      ...callbackWords,
      "errors",
      "message",
      "field",
      "refundId",
      "errorCode",
      "declineCode"
    ],
    corpus: corpora.response
  },
  auth: {
    run: auth,
    words: [
      ...jsonWords,
      "accessToken",
      "access_token",
      "token",
      "jwt",
      "data",
      "eyJleHAiOjF9",
      ".",
      "=",
      "-",
      "_"
    ],
    corpus: corpora.auth
  }
} as const satisfies Readonly<Record<string, Target>>
