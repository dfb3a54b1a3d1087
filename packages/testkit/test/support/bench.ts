/**
 * A gateway on a bench: no port, no network, and a merchant's receiver that is a list.
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
import * as Courier from "../../src/Courier.ts"
import * as Gateway from "../../src/Gateway.ts"
import * as GatewayConfig from "../../src/GatewayConfig.ts"

/** A callback as it arrived. */
export interface Received {
  readonly url: string
  readonly checksum: string | undefined
  readonly contentType: string | undefined
  readonly body: Readonly<Record<string, unknown>>
  readonly text: string
  /** Virtual milliseconds since the start. */
  readonly at: number
}

/** What the receiver answers to its n-th callback, from 0. */
export type Answering = (n: number, received: Received) => number | "never"

/** Service that is the merchant's side: everything that arrived, in order. */
export class Receiver extends Context.Service<
  Receiver,
  { readonly received: Array<Received>; answering: Answering }
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
        const answer = receiver.answering(receiver.received.push(received) - 1, received)
        if (answer === "never") return yield* Effect.never
        // A body that is null costs no promise, so virtual time stays exact.
        return HttpClientResponse.fromWeb(request, new Response(null, { status: answer }))
      })
    )
  )
)

/** Layer that is the whole bench, under virtual time. */
export const bench = (options: GatewayConfig.Options = {}, answering: Answering = () => 200) =>
  Gateway.layer.pipe(
    Layer.provideMerge(Courier.layer),
    Layer.provide(client),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.sync(Receiver, () => ({ received: [], answering })),
        NodeHmac.layer,
        GatewayConfig.layer(options)
      )
    ),
    Layer.provideMerge(TestClock.layer())
  )

/** Runs a test on a bench of its own. */
export const run = <A, E>(
  test: Effect.Effect<A, E, Layer.Success<ReturnType<typeof bench>> | Scope.Scope>,
  options?: GatewayConfig.Options,
  answering?: Answering
): Promise<A> => Effect.runPromise(Effect.scoped(Effect.provide(test, bench(options, answering))))

/** Sends a request to the gateway; a body that is not text is sent as JSON. */
export const send = Effect.fnUntraced(function* (
  method: string,
  path: string,
  options: {
    readonly token?: string | undefined
    readonly body?: unknown
    readonly contentType?: string
  } = {}
) {
  const gateway = yield* Gateway.Gateway
  const { body, contentType = "application/json", token } = options
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body)
  const answer = yield* gateway.handle({
    method,
    path: `/api/v1${path}`,
    headers: {
      ...(body === undefined ? {} : { "content-type": contentType }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
    },
    body: new TextEncoder().encode(text)
  })
  return { ...answer, json: (answer.body === "" ? undefined : JSON.parse(answer.body)) as unknown }
})

export const credentials = { merchantKey: "sandbox-key", merchantSecret: "sandbox-secret" }

/** Gets a token. */
export const authenticate = Effect.map(
  send("POST", "/auth", { body: credentials }),
  ({ json }) => (json as { readonly accessToken: string }).accessToken
)

/** The request checksum, by Node and not by us. */
export const checksum = (
  body: {
    readonly accountId: string
    readonly requestId: string
    readonly amount: string
    readonly currency: string
  },
  secret = "sandbox-secret"
): string =>
  createHmac("sha256", secret)
    .update(`${body.accountId}|${body.requestId}|${body.amount}|${body.currency}`)
    .digest("hex")

/** The body of a create, with a checksum that holds. */
export const payment = (
  over: {
    readonly requestId?: string
    readonly accountId?: string
    readonly amount?: string
    readonly currency?: string
    readonly scenario?: string
    readonly [field: string]: unknown
  } = {}
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

/** What a create answers. */
export interface Created {
  readonly requestId: string
  readonly transactionId: string
  readonly transactionStatus: string
  readonly declineCode?: number
  readonly createdTime: string
  readonly paymentType: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly apmResponseData: Readonly<Record<string, unknown>>
}

/** Creates a payment that has to be accepted. */
export const create = Effect.fnUntraced(function* (over: Parameters<typeof payment>[0] = {}) {
  const token = yield* authenticate
  const answer = yield* send("POST", "/payments/apm", { token, body: payment(over) })
  if (answer.status !== 200)
    return yield* Effect.die(`create answered ${answer.status} ${answer.body}`)
  return answer.json as Created
})

/** The names of the fields a 400 complains of. */
export const fields = (json: unknown): ReadonlyArray<string> =>
  (json as { readonly errors: ReadonlyArray<{ readonly field: string }> }).errors.map(
    ({ field }) => field
  )
