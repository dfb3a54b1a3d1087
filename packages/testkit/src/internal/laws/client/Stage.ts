/**
 * What a client is put on to be tried: the service behind a `fetch` that has its weather, and time that passes
 * by itself.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Fake from "../../../Fake.ts"
import type * as Faults from "../../../Faults.ts"
import { Gateway, type Transaction } from "../../../Gateway.ts"
import type { Client, Make, Service } from "./Model.ts"
import * as IdleClock from "../IdleClock.ts"
import * as FaultedResponse from "../../faults/FaultedResponse.ts"

/**
 * What becomes of one request: all is well, a fault, an answer that sends it to another host, or a status that
 * nobody knows.
 *
 * @category models
 * @since 0.1.0
 */
export type Weather = "fine" | Faults.Kind | "redirect" | "unknown"

/**
 * A request as it left the client, and the status it was answered with, if it was.
 *
 * @category models
 * @since 0.1.0
 */
export interface Sent {
  readonly at: number
  readonly method: string
  readonly url: URL
  readonly token: string | undefined
  readonly body: string
  readonly status: number | undefined
}

/**
 * A client, and what can be seen of it from the service's side.
 *
 * - `weather` of the n-th request, from 0 and from now on; `delay` is how long its answer takes. Requests for a
 *   token have no number, and fine weather.
 * - `sent` are the requests that left, `auths` those for a token, `others` the rest.
 * - `sleep` is the client's.
 * - `during` has time pass while a promise is waited for, and fails after 200 requests or two months.
 *
 * @category models
 * @since 0.1.0
 */
export interface Stage {
  readonly client: Client
  readonly sleep: Service["sleep"]
  readonly during: <A>(promise: () => Promise<A>) => Effect.Effect<A, Rejected>
  readonly weather: (
    weather: (n: number, sent: Sent) => Weather,
    delay?: (n: number | undefined) => number
  ) => void
  readonly auths: () => ReadonlyArray<Sent>
  readonly others: () => ReadonlyArray<Sent>
  readonly transactions: Effect.Effect<ReadonlyArray<Transaction>>
}

/**
 * Error raised when an operation of the client was rejected, or has no end.
 *
 * @category errors
 * @since 0.1.0
 */
export class Rejected extends Data.TaggedError("Rejected")<{ readonly reason: unknown }> {
  override get message() {
    return `an operation was rejected: ${Inspectable.toStringUnknown(this.reason)}`
  }
}

/**
 * Where the service is, behind `fetch`.
 *
 * @category constants
 * @since 0.1.0
 */
export const baseUrl = "https://service.invalid/api"

/**
 * The secret of the merchant, which nobody is to tell.
 *
 * @category constants
 * @since 0.1.0
 */
export const merchantSecret = "sandbox-secret"

/**
 * Puts a client on a stage of its own.
 *
 * @category running
 * @since 0.1.0
 */
export const on = <A, E>(
  make: Make,
  act: (stage: Stage) => Effect.Effect<A, E>
): Effect.Effect<A, unknown> =>
  Effect.suspend(() => {
    const { clock, during } = IdleClock.make()
    return Effect.gen(function* () {
      const gateway = yield* Gateway
      const run = Effect.runPromiseWith(yield* Effect.context())
      const sent: Array<Sent> = []
      let weatherOf: Parameters<Stage["weather"]>[0] = () => "fine"
      let delayOf: Required<Parameters<Stage["weather"]>>[1] = () => 0
      const others = () => sent.filter((each) => !isAuth(each))

      const exchange = Effect.fnUntraced(function* (request: Request) {
        const at = yield* Clock.currentTimeMillis
        const url = new URL(request.url)
        const headers = Object.fromEntries(request.headers)
        const body = new Uint8Array(yield* Effect.promise(() => request.arrayBuffer()))
        const token = headers["authorization"]
        const one = { at, method: request.method, url, token, body: utf8.decode(body) }
        const index = sent.push({ ...one, status: undefined }) - 1
        if (sent.length > most) return yield* Effect.never
        const n = others().length - 1
        const weather = isAuth(one) ? "fine" : weatherOf(n, sent[index] as Sent)
        const delay = delayOf(isAuth(one) ? undefined : n)
        if (delay > 0) yield* Effect.sleep(delay)
        const { method } = request
        const path = url.pathname + url.search
        const answer = gateway.handle({ method, path, headers, body })
        const response = yield* responseTo(weather, answer)
        sent[index] = { ...one, status: response?.status }
        // What `fetch` says of a connection that broke.
        return response ?? (yield* Effect.die(new TypeError("fetch failed")))
      })

      const service: Service = {
        baseUrl,
        merchantKey: "sandbox-key",
        merchantSecret,
        fetch: (input, init) => {
          const request = new Request(input, init)
          const response = Effect.flatMap(exchange(request), (answer) => {
            const place = answer.headers.get("location")
            if (place === null || request.redirect === "manual") return Effect.succeed(answer)
            if (request.redirect === "error") return Effect.die(new TypeError("fetch failed"))
            return exchange(new Request(place, init))
          })
          return run(response, { signal: request.signal })
        },
        sleep: (millis, signal) => run(Effect.sleep(millis), { ...(signal && { signal }) }),
        now: () => clock.currentTimeMillisUnsafe()
      }

      const patience = Effect.gen(function* () {
        for (let hour = 0; hour < 1500 && sent.length <= most; hour++) yield* Effect.sleep("1 hour")
        const isCrowd = sent.length > most
        return yield* new Rejected({
          reason: isCrowd ? `it sent more than ${most} requests` : "it was not done in two months"
        })
      })

      return yield* act({
        client: make(service),
        sleep: service.sleep,
        during: (promise) =>
          during(
            Effect.raceFirst(
              Effect.tryPromise({ try: promise, catch: (reason) => new Rejected({ reason }) }),
              patience
            )
          ),
        weather: (weather, delay = () => 0) => {
          const before = others().length
          weatherOf = (n, one) => weather(n - before, one)
          delayOf = (n) => delay(n === undefined ? n : n - before)
        },
        auths: () => sent.filter(isAuth),
        others,
        transactions: gateway.transactions
      })
    }).pipe(
      Effect.provide(Fake.layer({ pace: "15 minutes", seed: 1 }), { local: true }),
      Effect.provideService(Clock.Clock, clock)
    )
  })

/** More than any client has a reason for. */
const most = 200

const utf8 = new TextDecoder()

const isAuth = ({ url }: { readonly url: URL }) => url.pathname.endsWith("/v1/auth")

/** What `fetch` gives for an answer, or nothing where the connection broke. */
const responseTo = Effect.fnUntraced(function* (
  weather: Weather,
  answer: Parameters<typeof FaultedResponse.make>[1]
) {
  if (weather === "unknown") return new Response('"SETTLED"', json)
  if (weather === "redirect") {
    const headers = { location: "https://elsewhere.invalid/api/v1/payments/apm" }
    return new Response(null, { status: 307, headers })
  }
  const seen = yield* FaultedResponse.make(weather === "fine" ? undefined : weather, answer)
  if (seen._tag === "reset") return undefined
  const { body, headers, status } = seen.response
  return new Response(seen._tag === "half" ? broken(body) : status === 204 ? null : body, {
    status,
    headers: { ...headers }
  })
})

const json = { headers: { "content-type": "application/json" } }

/** A body whose connection ends in the middle of it. */
const broken = (body: string) =>
  new ReadableStream({
    start: (controller) =>
      controller.enqueue(new TextEncoder().encode(body.slice(0, body.length / 2))),
    pull: (controller) => controller.error(new TypeError("terminated"))
  })
