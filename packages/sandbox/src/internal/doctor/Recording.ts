/**
 * The recording of a probed service: every response and callback, without secrets. It is the state
 * of an unfinished run, the evidence of a finished one, and the fixture of later runs.
 */
import * as Checksum from "@pawl/core/Checksum"
import * as Json from "@pawl/core/internal/Json"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const optionalText = Schema.optionalKey(Schema.String)

export const Exchange = Schema.Struct({
  /** The purpose of the request, unique in a recording, such as `payment`. */
  name: Schema.String,
  /** The candidate that was tried, such as a separator. */
  variant: optionalText,
  method: Schema.Literals(["GET", "POST", "PUT", "DELETE"]),
  path: Schema.String,
  sent: optionalText,
  /** The time of the request, in milliseconds since the epoch. */
  at: Schema.Finite,
  /** The time until the response, in milliseconds. */
  took: Schema.Finite,
  /** The HTTP status; 0 if there was no response. */
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.String
})

export type Exchange = typeof Exchange.Type

export const ReceivedCallback = Schema.Struct({
  /** The request whose callbackUrl received the callback. */
  name: Schema.String,
  at: Schema.Finite,
  search: Schema.String,
  contentType: Schema.String,
  body: Schema.String,
  /** The format of the amount for which the checksum matched; absent if it matched for none. */
  signed: Schema.optionalKey(Schema.Literals(["as sent", "with two decimals", "shortest"])),
  /**
   * The reason why the receiver of pawl refuses the callback or cannot act on it, its content type
   * aside.
   */
  refused: optionalText,
  /** False if the callback's URL had lost the query, so that the body named the request. */
  isNamed: Schema.optionalKey(Schema.Boolean),
  /** The status that the doctor responded with. */
  answer: Schema.Int,
  /**
   * The time without a response, in milliseconds, until the service gave up or the doctor
   * responded.
   */
  heldFor: Schema.optionalKey(Schema.Finite)
})

export type ReceivedCallback = typeof ReceivedCallback.Type

export const Recording = Schema.Struct({
  doctor: Schema.Literal(1),
  /** The name of the run, which is part of every requestId. */
  run: Schema.String,
  baseUrl: Schema.String,
  /** Describes the TLS connection, if there is one. */
  connection: optionalText,
  units: Schema.Int,
  steps: Schema.Array(Schema.String),
  /** The time spent waiting for callbacks, in milliseconds. */
  waited: Schema.Finite,
  exchanges: Schema.Array(Exchange),
  callbacks: Schema.Array(ReceivedCallback)
})

export type Recording = typeof Recording.Type

/**
 * Leaves out callbacks whose checksum does not match, because anyone can post to a public URL; but
 * all stay if none matches.
 */
export const genuine = (recording: Recording): Recording => {
  const callbacks = recording.callbacks.filter(({ signed }) => signed !== undefined)
  return callbacks.length === 0 ? recording : { ...recording, callbacks }
}

/**
 * Returns the create that a callback's body belongs to: a service may drop the query of a callback
 * URL.
 */
export const nameOf = ({ exchanges }: Recording, body: string): string => {
  const fields = json(body)
  // A refund's callback may have the transactionId of its payment.
  const id = text(fields, "refundId") ?? text(fields, "transactionId")
  const made = exchanges.find(
    (exchange) =>
      id !== undefined &&
      exchange.method === "POST" &&
      ["transactionId", "refundId"].some((name) => text(json(exchange.body), name) === id)
  )
  return made?.name ?? ""
}

/** Returns the last exchange with a name: a repeated request replaces its predecessor. */
export const find = (recording: Recording, name: string): Exchange | undefined =>
  recording.exchanges.findLast((exchange) => exchange.name === name)

export const json = (body: string): Schema.Json | undefined =>
  Result.getOrUndefined(Json.fromText(body))

/** Returns a member of an object; a number becomes text. */
export const text = (value: unknown, name: string): string | undefined => {
  const member = Predicate.hasProperty(value, name) ? value[name] : undefined
  return typeof member === "string" || typeof member === "number" ? String(member) : undefined
}

export const member = (
  recording: Recording,
  exchange: string,
  name: string
): string | undefined => {
  const found = find(recording, exchange)
  return found !== undefined && isSuccess(found) ? text(json(found.body), name) : undefined
}

export const statusFields = ["transactionStatus", "status"] as const

export const statusIn = ({ body }: Exchange): string => {
  const value = json(body)
  const field = statusFields.map((name) => text(value, name)).find(Predicate.isNotUndefined)
  return typeof value === "string" ? value : (field ?? body.trim())
}

/** Tells whether a request was accepted: some services refuse with 200 and the body of an error. */
export const isSuccess = ({ body, status }: Exchange): boolean =>
  status >= 200 && status < 300 && !isError(json(body))

const isError = (value: Schema.Json | undefined): boolean =>
  Predicate.isObject(value) &&
  text(value, "message") !== undefined &&
  Object.keys(value).every((name) => name === "message" || name === "errors")

export const signedAs = (
  sign: Checksum.Sign,
  checksum: string,
  search: string,
  body: string
): ReceivedCallback["signed"] => {
  const fields = json(body)
  const isCard = new URLSearchParams(search).get("paymentMethod") === "card"
  const field = (...names: ReadonlyArray<string>) =>
    names.map((name) => text(fields, name)).find(Predicate.isNotUndefined) ?? ""
  // The other method's layout is a finding of its own.
  const amount = isCard ? field("orderAmount", "amount") : field("amount", "orderAmount")
  const rest = {
    account: isCard ? field("mid", "merchantId", "accountId") : field("accountId", "mid"),
    currency: isCard ? field("orderCurrency", "currency") : field("currency", "orderCurrency"),
    transactionId: field("transactionId")
  }
  const writings = [
    ["as sent", amount],
    ["with two decimals", Number(amount).toFixed(2)],
    ["shortest", String(Number(amount))]
  ] as const
  return writings.find(([, amount]) =>
    Checksum.matches(Checksum.callback(sign, { ...rest, amount }), checksum)
  )?.[0]
}

const secret =
  /^(?:merchantKey|merchantSecret|checksum|number|cvv|expMonth|expYear|cardHolderName|cardToken|token|accessToken|access_token|jwt)$/u

/** Leaves out the values of secret fields, and replaces each key of `secrets` by its text. */
export const redacted = (body: string, secrets: ReadonlyMap<string, string>): string => {
  let clean = body
  for (const [value, mark] of secrets) {
    // A shorter value occurs in too many words.
    if (value.length >= 6) clean = clean.replaceAll(JSON.stringify(value).slice(1, -1), mark)
  }
  return clean.replaceAll(
    /"(\w+)"(\s*:\s*)"((?:[^"\\]|\\.)*)"/gu,
    (whole, name: string, colon: string, value: string) =>
      secret.test(name) && !value.startsWith("<") ? `"${name}"${colon}"<redacted>"` : whole
  )
}
