/** The service behind a `fetch` with faults, and a virtual clock. */
import * as Cause from "effect/Cause"
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

/** Fault of one request: `redirect` leads to another host. */
export type RequestFault = "none" | Faults.Kind | "redirect" | "unknown"

export interface SentRequest {
  readonly at: number
  readonly method: string
  readonly url: URL
  readonly token: string | undefined
  readonly body: string
  readonly status: number | undefined
  readonly refusal?: string
}

export interface Harness {
  readonly client: Client
  readonly sleep: Service["sleep"]
  /** Advances the clock until a promise settles, for at most 200 requests or two months. */
  readonly settle: <A>(promise: () => Promise<A>) => Effect.Effect<A, Rejected>
  /**
   * Sets the fault of the n-th API request from now on, counted from 0, and the milliseconds until
   * its response.
   */
  readonly setFaults: (
    fault: (n: number, sent: SentRequest) => RequestFault,
    delay?: (n: number | undefined) => number
  ) => void
  readonly authRequests: () => ReadonlyArray<SentRequest>
  readonly apiRequests: () => ReadonlyArray<SentRequest>
  readonly transactions: Effect.Effect<ReadonlyArray<Transaction>>
}

/** Error raised when the client rejects an operation, or an operation does not end. */
export class Rejected extends Data.TaggedError("Rejected")<{
  readonly reason: unknown
  readonly cause?: unknown
}> {
  override readonly stack = ""
  override get message() {
    return `an operation was rejected: ${Inspectable.toStringUnknown(this.reason)}`
  }
}

export const baseUrl = "https://service.invalid/api"

export const merchantSecret = "sandbox-secret"

export const withHarness = <A, E>(
  make: Make,
  test: (harness: Harness) => Effect.Effect<A, E>
): Effect.Effect<A, unknown> =>
  Effect.suspend(() => {
    const { clock, during } = IdleClock.make()
    return Effect.gen(function* () {
      const gateway = yield* Gateway
      const run = Effect.runPromiseWith(yield* Effect.context())
      const sent: Array<SentRequest> = []
      let faultOf: Parameters<Harness["setFaults"]>[0] = () => "none"
      let delayOf: Required<Parameters<Harness["setFaults"]>>[1] = () => 0
      const apiRequests = () => sent.filter((each) => !isAuth(each))

      const exchange = Effect.fnUntraced(function* (request: Request) {
        const at = yield* Clock.currentTimeMillis
        const url = new URL(request.url)
        const headers = Object.fromEntries(request.headers)
        const body = new Uint8Array(yield* Effect.promise(() => request.arrayBuffer()))
        const token = headers["authorization"]
        const one = { at, method: request.method, url, token, body: utf8.decode(body) }
        const index = sent.push({ ...one, status: undefined }) - 1
        if (sent.length > maxRequests) return yield* Effect.never
        const n = apiRequests().length - 1
        const fault = isAuth(one) ? "none" : faultOf(n, sent[index] as SentRequest)
        const delay = delayOf(isAuth(one) ? undefined : n)
        if (delay > 0) yield* Effect.sleep(delay)
        const { method } = request
        const path = url.pathname + url.search
        const handled = gateway.handle({ method, path, headers, body })
        const response = yield* responseOf(fault, handled)
        const status = response?.status
        const copy = status === 400 ? response?.clone() : undefined
        // A fault may cut the body off.
        const refusal = yield* Effect.promise(
          () => copy?.text().catch(() => "") ?? Promise.resolve("")
        )
        sent[index] = { ...one, status, refusal }
        return response ?? (yield* Effect.die(new TypeError("fetch failed")))
      })

      const service: Service = {
        baseUrl,
        merchantKey: "sandbox-key",
        merchantSecret,
        fetch: (input, init) => {
          const request = new Request(input, init)
          const response = Effect.flatMap(exchange(request), (first) => {
            const location = first.headers.get("location")
            if (location === null || request.redirect === "manual") return Effect.succeed(first)
            if (request.redirect === "error") return Effect.die(new TypeError("fetch failed"))
            return exchange(new Request(location, init))
          })
          return run(response, { signal: request.signal })
        },
        sleep: (millis, signal) => run(Effect.sleep(millis), { ...(signal && { signal }) }),
        now: () => clock.currentTimeMillisUnsafe()
      }

      const timeout = Effect.gen(function* () {
        for (let day = 0; day < 62 && sent.length <= maxRequests; day++)
          yield* Effect.sleep("1 day")
        return yield* new Rejected({
          reason:
            sent.length > maxRequests
              ? `it sent more than ${maxRequests} requests`
              : "it did not end within two months"
        })
      })

      return yield* test({
        client: make(service),
        sleep: service.sleep,
        settle: (promise) =>
          during(
            Effect.raceFirst(
              Effect.tryPromise({
                try: promise,
                catch: (reason) => new Rejected({ reason, cause: reason })
              }),
              timeout
            )
          ),
        setFaults: (fault, delay = () => 0) => {
          const before = apiRequests().length
          faultOf = (n, one) => fault(n - before, one)
          delayOf = (n) => delay(n === undefined ? n : n - before)
        },
        authRequests: () => sent.filter(isAuth),
        apiRequests,
        transactions: gateway.transactions
      }).pipe(Effect.catchCause((cause) => Effect.fail(wrongAfter(sent, Cause.squash(cause)))))
    }).pipe(
      Effect.provide(Fake.layer({ pace: "15 minutes", seed: 1 }), { local: true }),
      Effect.provideService(Clock.Clock, clock)
    )
  })

const maxRequests = 200

/** Adds the last requests, because a client may report less of a response than it got. */
const wrongAfter = (sent: ReadonlyArray<SentRequest>, error: unknown): unknown => {
  if (!(error instanceof Error) || sent.length === 0) return error
  const lines = sent.slice(-5).map(({ method, refusal = "", status = "no response", url }) => {
    return `${method} ${url.pathname}: ${status} ${refusal}`.trimEnd()
  })
  const message = `${error.message}\nIts last requests were\n${lines.join("\n")}`
  return Object.assign(new Error(message, { cause: error }), { name: error.name, stack: "" })
}

const utf8 = new TextDecoder()

const isAuth = ({ url }: { readonly url: URL }) => url.pathname.endsWith("/v1/auth")

const responseOf = Effect.fnUntraced(function* (
  fault: RequestFault,
  handled: Parameters<typeof FaultedResponse.make>[1]
) {
  if (fault === "unknown") return new Response('"SETTLED"', json)
  if (fault === "redirect") {
    const headers = { location: "https://elsewhere.invalid/api/v1/payments/apm" }
    return new Response(null, { status: 307, headers })
  }
  const met = yield* FaultedResponse.make(fault === "none" ? undefined : fault, handled)
  if (met._tag === "reset") return undefined
  const { body, headers, status } = met.response
  return new Response(met._tag === "half" ? brokenBody(body) : status === 204 ? null : body, {
    status,
    headers: { ...headers }
  })
})

const json = { headers: { "content-type": "application/json" } }

const brokenBody = (body: string) =>
  new ReadableStream({
    start: (controller) =>
      controller.enqueue(new TextEncoder().encode(body.slice(0, body.length / 2))),
    pull: (controller) => controller.error(new TypeError("terminated"))
  })
