/**
 * A gateway for tests, without a port or network. The merchant's receiver is a list of callbacks.
 */
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { createHmac } from "node:crypto"
import * as Courier from "@pawl/testkit/Courier"
import * as Gateway from "@pawl/testkit/Gateway"

export interface Received {
  readonly url: string
  readonly checksum: string | undefined
  readonly contentType: string | undefined
  readonly body: Readonly<Record<string, unknown>>
  readonly text: string
  /** Virtual milliseconds since the start. */
  readonly at: number
}

/** Returns the HTTP status for the n-th callback, counted from 0. */
export type StatusForCallback = (n: number, received: Received) => number | "never"

/** Service that records the merchant's callbacks in order of arrival. */
export class Receiver extends Context.Service<
  Receiver,
  { readonly received: Array<Received>; statusFor: StatusForCallback }
>()("test/Receiver") {}

const client = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(Receiver, (receiver) =>
    HttpClient.make((request, url) =>
      Effect.gen(function* () {
        const text =
          request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
        const received = {
          url: url.href,
          checksum: request.headers["x-checksum"],
          contentType: request.headers["content-type"],
          body: JSON.parse(text) as Received["body"],
          text,
          at: yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        }
        const status = receiver.statusFor(receiver.received.push(received) - 1, received)
        if (status === "never") return yield* Effect.never
        // A null body needs no promise, so virtual time stays exact.
        return HttpClientResponse.fromWeb(request, new Response(null, { status }))
      })
    )
  )
)

/** Layer that provides a gateway, its courier and the receiver, in virtual time. */
export const testGateway = (
  options: Gateway.Options = {},
  statusFor: StatusForCallback = () => 200,
  clock: Layer.Layer<never> = TestClock.layer()
) =>
  Gateway.layer.pipe(
    Layer.provideMerge(Courier.layer()),
    Layer.provide(client),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.sync(Receiver, () => ({ received: [], statusFor })),
        NodeHmac.layer,
        Gateway.layerSettings(options)
      )
    ),
    Layer.provideMerge(clock)
  )

export type Test<A, R> =
  | Effect.Effect<A, unknown, R>
  | (() => Generator<Effect.Effect<unknown, unknown, R>, A, never>)

export const toEffect = <A, R>(test: Test<A, R>): Effect.Effect<A, unknown, R> =>
  typeof test === "function" ? Effect.gen(test) : test

export const run = <A>(
  test: Test<A, Layer.Success<ReturnType<typeof testGateway>> | Scope.Scope>,
  options?: Gateway.Options,
  statusFor?: StatusForCallback
): Promise<A> =>
  toEffect(test).pipe(
    Effect.provide(testGateway(options, statusFor)),
    Effect.scoped,
    Effect.runPromise
  )

/** Makes a function that sends requests; a body that is not text is sent as JSON. */
export const sender = <R>(
  handle: (request: Gateway.Request) => Effect.Effect<Gateway.Response, never, R>
) =>
  Effect.fnUntraced(function* (
    method: string,
    path: string,
    options: {
      readonly token?: string | undefined
      readonly body?: unknown
      readonly contentType?: string
    } = {}
  ) {
    const { body, contentType = "application/json", token } = options
    const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body)
    const response = yield* handle({
      method,
      path: `/api/v1${path}`,
      headers: {
        ...((body === undefined && method !== "DELETE") || contentType === ""
          ? {}
          : { "content-type": contentType }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
      },
      body: new TextEncoder().encode(text)
    })
    const json: unknown = response.body === "" ? undefined : JSON.parse(response.body)
    return { ...response, json }
  })

export const send = sender((request) => Gateway.Gateway.use(({ handle }) => handle(request)))

export const stories = [
  "succeed",
  "decline:51",
  "challenge",
  "cancel",
  "refund",
  "chargeback",
  "conflict",
  "stuck"
]

export const credentials = { merchantKey: "sandbox-key", merchantSecret: "sandbox-secret" }

export const authenticateBy = <R>(by: ReturnType<typeof sender<R>>) =>
  Effect.map(
    by("POST", "/auth", { body: credentials }),
    ({ json }) => (json as { readonly accessToken: string }).accessToken
  )

export const authenticate = authenticateBy(send)

export const checksum = (
  body: Readonly<Record<"accountId" | "requestId" | "amount" | "currency", string>>,
  secret = "sandbox-secret"
): string =>
  createHmac("sha256", secret)
    .update(`${body.accountId}|${body.requestId}|${body.amount}|${body.currency}`)
    .digest("hex")

export const payment = (
  over: { readonly scenario?: string; readonly [field: string]: unknown } = {}
) => {
  const { scenario, ...rest } = over
  const body = {
    requestId: "r-1",
    accountId: "77",
    amount: "10.50",
    currency: "EUR",
    apmPayload: { paymentMethod: "WALLET" },
    callbackUrl: "http://127.0.0.1:4020/callback",
    ...(scenario === undefined ? {} : { metadata: { "sandbox.scenario": scenario } }),
    ...rest
  }
  return { checksum: checksum(body), ...body }
}

export interface Created {
  readonly transactionId: string
  readonly transactionStatus: string
  readonly declineCode?: number
}

/** Creates a payment, and dies unless it is accepted. */
export const create = Effect.fnUntraced(function* (over: Parameters<typeof payment>[0] = {}) {
  const token = yield* authenticate
  const response = yield* send("POST", "/payments/apm", { token, body: payment(over) })
  if (response.status !== 200)
    return yield* Effect.die(`create answered ${response.status} ${response.body}`)
  return response.json as Created
})

export const fields = (json: unknown): ReadonlyArray<string> =>
  (json as { readonly errors: ReadonlyArray<{ readonly field: string }> }).errors.map(
    ({ field }) => field
  )
