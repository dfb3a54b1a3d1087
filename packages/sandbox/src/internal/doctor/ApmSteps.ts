/**
 * The steps about access tokens, errors, and APM payments and payouts.
 */
import type * as Checksum from "@pawl/core/Checksum"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { DoctorFailed, type Probe } from "./Probe.ts"
import { find, isSuccess, member } from "./Recording.ts"
import { read } from "./StatusRead.ts"
import * as Token from "./Token.ts"

const encodings: ReadonlyArray<readonly [name: string, encode: (bytes: Uint8Array) => string]> = [
  ["lower-case hex", Hex.encode],
  ["upper-case hex", (bytes) => Hex.encode(bytes).toUpperCase()],
  ["base64", Base64.encode]
]
const separators = ["|", "", ":", ",", ";", "-", ".", "&"]

/** Lists the ways to compute a request checksum, the likeliest first. */
export const candidates = (first: string) =>
  encodings.flatMap(([encoding, encode]) =>
    [first, ...separators.filter((separator) => separator !== first)].map((separator) => ({
      name: `"${separator}", ${encoding}`,
      of: (sign: Checksum.Sign, fields: Parameters<typeof Checksum.request>[2]) =>
        encode(
          sign([fields.accountId, fields.requestId, fields.amount, fields.currency].join(separator))
        )
    }))
  )

export const auth = Effect.fnUntraced(function* (probe: Probe) {
  const { merchantKey, merchantSecret } = probe.settings
  const response = yield* probe.send({
    name: "auth",
    path: "/v1/auth",
    body: { merchantKey, merchantSecret: Redacted.value(merchantSecret) }
  })
  const token = isSuccess(response) ? Token.find(response.body) : undefined
  if (token === undefined) {
    return yield* new DoctorFailed({
      message:
        response.status === 0
          ? `no service answers at ${probe.settings.baseUrl}`
          : `POST /v1/auth is answered ${response.status} without an access token; are key, secret and base URL of one environment?`
    })
  }
  probe.accept(token.value)
})

/** An identifier and an access token that no service has issued. */
const unknown = { id: "999999999999999", token: "doctor" }

export const mistakes = Effect.fnUntraced(function* ({ send }: Probe) {
  const path = `/v1/payments/apm/status/${unknown.id}`
  yield* send({ name: "unknown-id", method: "GET", path })
  yield* send({ name: "bad-token", method: "GET", path, token: unknown.token })
  yield* send({ name: "invalid", path: "/v1/payments/apm", body: { requestId: "doctor" } })
  yield* send({ name: "wrong-method", method: "PUT", path: "/v1/payments/apm", body: {} })
  yield* send({
    name: "wrong-type",
    path: "/v1/payments/apm",
    body: {},
    contentType: "text/plain"
  })
})

const apm = ({ amount, marks, settings }: Probe, name: string, fraction: string) => ({
  ...marks(name),
  accountId: settings.accountId,
  amount: amount(fraction),
  currency: settings.currency,
  apmPayload: { paymentMethod: settings.paymentMethod },
  successRedirectUrl: "https://example.com/success",
  failureRedirectUrl: "https://example.com/failure"
})

const checksumOf = (probe: Probe, request: ReturnType<typeof apm>): string => {
  const accepted = find(probe.recording(), "payment")?.variant
  const all = candidates(probe.settings.separator)
  return (all.find(({ name }) => name === accepted) ?? all[0])?.of(probe.sign, request) ?? ""
}

/** Makes a payment, with each way to compute its checksum until one is accepted. */
export const payment = Effect.fnUntraced(function* (probe: Probe) {
  const path = "/v1/payments/apm"
  const request = apm(probe, "payment", "10")
  const unchecked = yield* probe.send({
    name: "payment",
    variant: "not checked",
    path,
    body: { ...request, checksum: "0".repeat(64) }
  })
  if (isSuccess(unchecked)) return
  for (const { name, of } of candidates(probe.settings.separator)) {
    const checksum = of(probe.sign, request)
    const response = yield* probe.send({
      name: "payment",
      variant: name,
      path,
      body: { ...request, checksum }
    })
    if (isSuccess(response) || response.status >= 500 || response.status === 0) return
  }
})

export const status = Effect.fnUntraced(function* (probe: Probe) {
  const id = member(probe.recording(), "payment", "transactionId")
  if (id === undefined) return
  const path = `/v1/payments/apm/status/${id}`
  yield* read(probe, "payment.status", path, ({ status }) => status !== 404)
})

/** The requestId of the payment is sent again, with another amount. */
export const repeat = Effect.fnUntraced(function* (probe: Probe) {
  if (member(probe.recording(), "payment", "transactionId") === undefined) return
  const request = apm(probe, "payment", "20")
  yield* probe.send({
    name: "payment.repeated",
    path: "/v1/payments/apm",
    body: { ...request, checksum: checksumOf(probe, request) }
  })
})

export const payout = Effect.fnUntraced(function* (probe: Probe) {
  const send = (name: string, more: (request: ReturnType<typeof apm>) => object) => {
    const request = apm(probe, name, "10")
    return probe.send({ name, path: "/v1/payouts/apm", body: { ...request, ...more(request) } })
  }
  const right = (request: ReturnType<typeof apm>) => ({ checksum: checksumOf(probe, request) })
  const billingDetails = { ssn: "000-00-0000" }
  const first = yield* send("payout", (request) => ({ ...right(request), billingDetails }))
  const isRefused = !isSuccess(first) && isSuccess(yield* send("payout.without-ssn", right))
  yield* send("payout.wrong", () => ({ checksum: "0".repeat(64) }))
  const without = yield* send("payout.without", () => (isRefused ? {} : { billingDetails }))
  // Neither a checksum nor an ssn may be accepted.
  if (!isSuccess(first) && !isRefused && !isSuccess(without)) yield* send("payout.bare", () => ({}))
  const id = ["payout", "payout.without-ssn", "payout.without", "payout.bare"]
    .map((name) => member(probe.recording(), name, "transactionId"))
    .find((id) => id !== undefined)
  if (id === undefined) return
  yield* probe.send({ name: "payout.info", method: "GET", path: `/v1/payouts/apm/info/${id}` })
})
