/**
 * The vectors' results of requests, callback URLs and forwarded transitions, which services of the packages compute.
 */
import { Handler, type Transition } from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import {
  type RequestInput as Fields,
  type RequestKind,
  RequestSender
} from "@pawl/core/RequestSender"
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as PawlPortable from "@pawl/http/PawlPortable"
import { Transport } from "@pawl/http/Transport"
import * as Forwarder from "@pawl/receiver/Forwarder"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as Token from "@pawl/webhook/internal/verify/Token"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

export interface RequestInput {
  readonly about: string
  readonly operation: RequestKind
  readonly secret: string
  readonly separator: string
  readonly request: object
}

export interface UrlInput {
  readonly about: string
  readonly secret: string
  readonly merchant: string | null
  readonly url: string
  readonly operation: CallbackUrl.Operation
  readonly request: Readonly<Record<string, string>>
}

export interface TokenInput {
  readonly about: string
  readonly secret: string
  readonly token: string
}

/** Input of a forwarded transition; `at` is in milliseconds. */
export interface ForwardInput {
  readonly about: string
  readonly secret: string
  readonly source: string | null
  readonly at: number
  readonly body: string
}

const valueOf = <A, E>(effect: Effect.Effect<A, E>): A | null =>
  Option.getOrNull(Effect.runSync(Effect.option(effect)))

/** Returns null if the client refuses the request. */
export const request = ({ operation, request, secret, separator }: RequestInput) => {
  const client = PawlPortable.layer.pipe(
    Layer.provide([
      NodeHmac.layer,
      Layer.succeed(Transport, Transport.of({ send: () => Effect.never })),
      PawlConfig.layer({
        baseUrl: "https://service.example/api",
        merchantKey: "key",
        merchantSecret: Redacted.make(secret)
      }),
      Profile.layer({ requestChecksumSeparator: separator })
    ])
  )
  const encoded = valueOf(
    RequestSender.use(({ encode }) => encode(operation, request as Fields<typeof operation>)).pipe(
      Effect.provide(client)
    )
  )
  return { body: encoded && sorted(encoded.body) }
}

const { rawJSON } = JSON as JSON & { readonly rawJSON: (text: string) => unknown }

/** A number keeps its text. */
const sorted = (body: string): string => {
  const keepText = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" ? rawJSON(context?.source ?? "") : value
  const members = Object.entries(JSON.parse(body, keepText) as object)
  return JSON.stringify(Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1))))
}

/** Returns null if the URL is refused. */
export const url = ({ merchant, operation, request, secret, url }: UrlInput) => {
  const layer = CallbackUrl.layer(Redacted.make(secret), { merchant: merchant ?? undefined })
  const make = CallbackUrl.CallbackUrl.use((service) =>
    service.make(url, operation, request as { readonly requestId: string })
  )
  return { url: valueOf(make.pipe(Effect.provide(Layer.provide(layer, NodeHmac.layer)))) }
}

/** Returns null if the secret did not sign the token. */
export const token = ({ secret, token }: TokenInput) => {
  const content = Token.decode(NodeHmac.keyed(Redacted.make(secret)), token, "card")
  if (content === undefined) return { content: null }
  const { account = null, amount = null, currency = null, requestId = null } = content.ordered
  const { operation } = content
  const merchant = Token.merchantOf(token) ?? null
  return { content: { operation, requestId, account, amount, currency, merchant } }
}

export const forward = ({ at, body, secret, source }: ForwardInput) => {
  const posted: Array<HttpClientRequest> = []
  const client = HttpClient.make((request) => {
    posted.push(request)
    const response = new Response(null, { status: 204 })
    return Effect.succeed(HttpClientResponse.fromWeb(request, response))
  })
  const forwarder = Forwarder.layer({
    url: "https://shop.example/transitions",
    secret: Redacted.make(secret),
    source: source ?? undefined
  }).pipe(Layer.provide([NodeHmac.layer, Layer.succeed(HttpClient.HttpClient, client)]))
  const handled = Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const { handle } = yield* Handler
    const fixed: Clock.Clock = Object.create(clock, {
      currentTimeMillis: { value: Effect.succeed(at) },
      currentTimeMillisUnsafe: { value: () => at }
    })
    yield* Effect.provideService(handle(JSON.parse(body) as Transition), Clock.Clock, fixed)
  })
  Effect.runSync(handled.pipe(Effect.provide(forwarder), Effect.scoped))
  const headers = Object.entries<string>(posted[0]?.headers ?? {})
  return { headers: Object.fromEntries(headers.filter(([name]) => name !== "content-length")) }
}
