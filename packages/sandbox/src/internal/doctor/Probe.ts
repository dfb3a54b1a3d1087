/**
 * Sends the requests of a run to the probed service, and records them.
 *
 * A step cannot exceed the requests of its plan. A requestId is made of the run and the name of the
 * request, so no create is made twice.
 */
import type * as Checksum from "@pawl/core/Checksum"
import * as Hmac from "@pawl/core/Hmac"
import * as Transport from "@pawl/http/Transport"
import { type Incoming, verifyWith } from "@pawl/webhook/VerifyCallback"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Recording from "./Recording.ts"
import * as Token from "./Token.ts"

/**
 * Error raised when a run cannot go on. `message` is one sentence without secrets.
 *
 * @category errors
 * @since 0.1.0
 */
export class DoctorFailed extends Data.TaggedError("DoctorFailed")<{ readonly message: string }> {}

/**
 * The settings of a run.
 *
 * @category models
 * @since 0.1.0
 */
export interface Settings {
  readonly baseUrl: string
  readonly merchantKey: string
  readonly merchantSecret: Redacted.Redacted
  /** The public URL of the doctor's receiver; without it no callbacks are probed. */
  readonly callbackUrl?: string | undefined
  readonly accountId: string
  readonly mid: string
  readonly paymentMethod: string
  readonly currency: string
  /** The amounts of the run: this number of major units, and a fraction. */
  readonly units: number
  /** The number of a test card of the service. */
  readonly card: Redacted.Redacted
  /** A test card that the service declines; without it no decline is probed. */
  readonly declinedCard?: Redacted.Redacted | undefined
  /** The longest time to wait for callbacks. */
  readonly wait: Duration.Duration
  readonly pause: (duration: Duration.Duration) => Effect.Effect<void>
  /** The time of the service, in milliseconds since the epoch. */
  readonly now: Effect.Effect<number>
  /** The separator of request checksums to try first. */
  readonly separator: string
}

/** A request to send. */
export interface Call {
  /** The name of the request, unique in a run. */
  readonly name: string
  /** The candidate that the request tries. */
  readonly variant?: string
  readonly method?: Recording.Exchange["method"]
  readonly path: string
  readonly body?: object
  readonly contentType?: string
  /** Replaces the access token. */
  readonly token?: string
}

export interface Probe {
  readonly settings: Settings
  readonly recording: () => Recording.Recording
  readonly update: (change: Partial<Recording.Recording>) => void
  /** Returns the exchange, even if there was no response. */
  readonly send: (call: Call) => Effect.Effect<Recording.Exchange, DoctorFailed>
  readonly marks: (name: string) => {
    readonly requestId: string
    readonly metadata: Readonly<Record<string, string>>
    readonly callbackUrl?: string
  }
  /** Returns the units of the run with a fraction. */
  readonly amount: (fraction: string) => string
  /** The HMAC under the merchant secret. */
  readonly sign: Checksum.Sign
  /** Sets the access token of later requests. */
  readonly accept: (accessToken: string) => void
  /** Removes a value from the recording, and keeps it out. */
  readonly hide: (value: string) => void
  readonly receive: (incoming: Incoming) => Effect.Effect<number>
  /** Sets the number of requests that may still be sent. */
  readonly allow: (requests: number) => void
}

const responseTimeout = Duration.seconds(30)

/** The longest time without a response to a callback. */
const longestHold = Duration.seconds(35)

/** A public URL may get any number of posts, of which genuine ones are always recorded. */
const mostCallbacks = 1000

const recordedHeaders =
  /^(?:content-type|date|allow|location|retry-after|deprecation|sunset|.*rate-?limit.*)$/u

const mark = "pawl.doctor"

export const make = Effect.fnUntraced(function* (
  settings: Settings,
  recorded: Recording.Recording
): Effect.fn.Return<Probe, never, Transport.Transport> {
  const transport = yield* Transport.Transport
  const sign = Hmac.keyed(settings.merchantSecret)
  const secrets = new Map([
    [settings.merchantKey, "<merchantKey>"],
    [Redacted.value(settings.merchantSecret), "<merchantSecret>"],
    [Redacted.value(settings.card), "<card>"],
    ...(settings.declinedCard === undefined
      ? []
      : [[Redacted.value(settings.declinedCard), "<card>"] as const])
  ])
  let recording = recorded
  let bearer: string | undefined
  let left = 0

  const record = (exchange: Recording.Exchange) => {
    const others = recording.exchanges.filter(
      ({ name, variant }) => name !== exchange.name || variant !== exchange.variant
    )
    recording = { ...recording, exchanges: [...others, exchange] }
  }

  /** Responses of an earlier process, not yet used. Bodies with a token are not recorded. */
  const recordedBefore = recorded.exchanges.filter(
    ({ name, status }) => status > 0 && name !== "auth" && name !== "card-token"
  )
  const takeRecorded = ({ name, variant }: Call) => {
    const at = recordedBefore.findIndex(
      (exchange) => exchange.name === name && exchange.variant === variant
    )
    return at === -1 ? undefined : recordedBefore.splice(at, 1)[0]
  }

  const send = Effect.fnUntraced(function* (call: Call) {
    const before = takeRecorded(call)
    if (before !== undefined) return before
    if (left === 0) {
      return yield* new DoctorFailed({ message: "the step needs more requests than it announced" })
    }
    left--
    const { contentType = "application/json", method = "POST", name, path, variant } = call
    const { token = bearer } = call
    const body = call.body && JSON.stringify(call.body)
    const at = yield* settings.now
    const start = yield* Clock.currentTimeMillis
    const response = yield* transport
      .send(
        {
          method,
          url: `${settings.baseUrl}${path}`,
          headers: {
            ...(method !== "GET" && { "content-type": contentType }),
            ...(token !== undefined && { authorization: `Bearer ${token}` })
          },
          body
        },
        responseTimeout
      )
      .pipe(
        Effect.timeoutOrElse({ duration: responseTimeout, orElse: () => noResponse }),
        Effect.catch(({ message }) => Effect.andThen(Effect.logWarning(message), noResponse))
      )
    const received = utf8.decode(response.body)
    if (path === "/v1/auth") {
      const token = Token.find(received)
      if (token !== undefined) {
        const now = (yield* settings.now) / 1000
        secrets.set(token.value, `<token, ${Token.lifetime(token.value, now)}>`)
      }
    }
    const clean = (text: string) => Recording.redacted(text, secrets)
    const exchange: Recording.Exchange = {
      name,
      ...(variant !== undefined && { variant }),
      method,
      path,
      ...(body !== undefined && { sent: clean(body) }),
      at,
      took: (yield* Clock.currentTimeMillis) - start,
      status: response.status,
      headers: Object.fromEntries(
        Object.entries(response.headers).flatMap(([name, value]) =>
          value !== undefined && recordedHeaders.test(name) ? [[name, clean(value)]] : []
        )
      ),
      body: clean(received)
    }
    record(exchange)
    // The caller needs the token of a card from the true body.
    return { ...exchange, body: received }
  })

  const answers = new Map<string, number>()
  const verify = verifyWith({ current: sign })

  const receive = Effect.fnUntraced(function* (incoming: Incoming) {
    const { body, checksum = "", contentType, search } = incoming
    const received = utf8.decode(body)
    const query = new URLSearchParams(search)
    const name = query.get(probeParameter) ?? Recording.nameOf(recording, received)
    const signed = Recording.signedAs(sign, checksum, search, received)
    if (signed === undefined && recording.callbacks.length >= mostCallbacks) return 503
    // A stranger's post must not use up the attempts that are refused, failed or held.
    const times = (answers.get(name) ?? 0) + (signed === undefined ? 0 : 1)
    answers.set(name, times)
    const callback = {
      name,
      ...(query.has(probeParameter) ? {} : { isNamed: false }),
      at: yield* settings.now,
      search: search.replace(new RegExp(`${probeParameter}=[^&]*&?`, "u"), ""),
      contentType: contentType ?? "",
      body: Recording.redacted(received, secrets),
      ...(signed !== undefined && { signed }),
      ...refusedBy(verify({ ...incoming, contentType: "application/json" })),
      answer: signed === undefined ? 200 : answerTo(name, times)
    }
    const keep = (more: { readonly heldFor?: number }) => {
      recording = { ...recording, callbacks: [...recording.callbacks, { ...callback, ...more }] }
    }
    if (signed === undefined || name !== "refund" || times > 1) {
      keep({})
      return callback.answer
    }
    const start = yield* Clock.currentTimeMillis
    return yield* Effect.sleep(longestHold).pipe(
      Effect.andThen(
        Effect.sync(() => {
          keep({ heldFor: Duration.toMillis(longestHold) })
          return 200
        })
      ),
      Effect.onInterrupt(() =>
        Effect.map(Clock.currentTimeMillis, (now) => keep({ heldFor: now - start }))
      )
    )
  })

  return {
    settings,
    recording: () => recording,
    update: (change) => {
      recording = { ...recording, ...change }
    },
    send,
    marks: (name) => ({
      requestId: `doctor-${recording.run}-${name}`,
      metadata: { [mark]: recording.run },
      ...(settings.callbackUrl !== undefined && {
        callbackUrl: `${settings.callbackUrl}?${probeParameter}=${name}`
      })
    }),
    amount: (fraction) => `${settings.units}.${fraction}`,
    sign,
    accept: (accessToken) => {
      bearer = accessToken
    },
    hide: (value) => {
      secrets.set(value, "<redacted>")
      const exchanges = recording.exchanges.map((exchange) => ({
        ...exchange,
        body: Recording.redacted(exchange.body, secrets)
      }))
      recording = { ...recording, exchanges }
    },
    receive,
    allow: (requests) => {
      left = requests
    }
  }
})

const refusedBy = (verified: ReturnType<ReturnType<typeof verifyWith>>) => {
  if ("reason" in verified) return { refused: verified.reason }
  const { quarantine } = verified
  return quarantine === undefined ? {} : { refused: `quarantine, because of ${quarantine}` }
}

const answerTo = (name: string, times: number): number =>
  name.startsWith("payout") ? 500 : name.startsWith("card-payout") && times === 1 ? 401 : 200

const probeParameter = "doctor"

const noResponse = Effect.succeed({ status: 0, headers: {}, body: new Uint8Array() })

const utf8 = new TextDecoder()
