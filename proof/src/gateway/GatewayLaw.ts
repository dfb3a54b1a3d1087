/** A law of the payments service, and the client with which it sends requests. */
import * as Checksum from "@pawl/core/Checksum"
import * as Hmac from "@pawl/core/Hmac"
import type { Request, Response } from "@pawl/testkit/Gateway"
import * as Laws from "@pawl/testkit/Laws"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"

/**
 * Service that is the payments service under test, new and empty.
 *
 * - `handle`: sends one request; `path` is from the host root.
 * - `pass`: lets time pass, and returns when everything due is done.
 */
export class GatewayUnderTest extends Context.Service<
  GatewayUnderTest,
  {
    readonly handle: (request: Request) => Effect.Effect<Response>
    readonly pass: (duration: Duration.Duration) => Effect.Effect<void>
    readonly merchantKey: string
    readonly merchantSecret: string
  }
>()("@pawl/proof/gateway/GatewayLaw/GatewayUnderTest") {}

export type MakeGateway = () => Layer.Layer<GatewayUnderTest, unknown>

export type GatewayLaw = Laws.Law<MakeGateway>

export type Body = Readonly<Record<string, unknown>> | string

/**
 * The client of a law. `post` and `get` send the access token; `authenticate` requests one with these credentials,
 * and returns the status code.
 */
export interface LawClient {
  readonly post: (path: string, body: Body, token?: string) => Effect.Effect<JsonResponse>
  readonly get: (path: string, token?: string) => Effect.Effect<JsonResponse>
  readonly authenticate: (over?: object) => Effect.Effect<number>
  readonly token: string
  readonly pass: GatewayUnderTest["Service"]["pass"]
  readonly sign: (fields: SignedFields) => string
}

export interface JsonResponse {
  readonly status: number
  readonly text: string
  readonly json: unknown
}

export interface SignedFields {
  readonly accountId: string
  readonly requestId: string
  readonly amount: string
  readonly currency: string
}

/** Makes a law, whose `body` checks one list of requests against a new service. */
export const law = <A>(
  about: Laws.LawText,
  requests: fc.Arbitrary<ReadonlyArray<A>> | ReadonlyArray<ReadonlyArray<A>>,
  body: (
    client: LawClient,
    requests: ReadonlyArray<A>
  ) => Generator<Effect.Effect<unknown, unknown>, void, never>
): GatewayLaw => {
  const trial = {
    show: (requests: ReadonlyArray<A>) =>
      requests.map((request, index) => `${index + 1}. ${JSON.stringify(request)}`).join("\n"),
    body: (makeGateway: MakeGateway, requests: ReadonlyArray<A>) =>
      Effect.suspend(() =>
        Effect.flatMap(makeClient, (client) => Effect.gen(() => body(client, requests))).pipe(
          Effect.provide(makeGateway(), { local: true })
        )
      )
  }
  return requests instanceof fc.Arbitrary
    ? Laws.propertyEffect(about, { ...trial, arbitrary: requests, numRuns: 50 })
    : Laws.each(about, { ...trial, values: requests })
}

const makeClient = Effect.gen(function* () {
  const { handle, merchantKey, merchantSecret, pass } = yield* GatewayUnderTest
  const hmac = Hmac.keyed(Redacted.make(merchantSecret))
  const send = (method: string, path: string, body: Body | undefined, token: string | undefined) =>
    handle({
      method,
      path: `/api/v1${path}`,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` })
      },
      body: utf8.encode(typeof body === "string" ? body : JSON.stringify(body))
    }).pipe(
      Effect.map(({ body: text, status }): JsonResponse => ({
        status,
        text,
        json: text === "" ? undefined : JSON.parse(text)
      }))
    )
  const authenticate = (over: object) =>
    send("POST", "/auth", { merchantKey, merchantSecret, ...over }, undefined)
  const { json } = yield* authenticate({})
  const token = String((json as { readonly accessToken: unknown }).accessToken)
  return {
    post: (path, body, accessToken = token) => send("POST", path, body, accessToken || undefined),
    get: (path, accessToken = token) => send("GET", path, undefined, accessToken || undefined),
    authenticate: (over = {}) => Effect.map(authenticate(over), ({ status }) => status),
    token,
    pass,
    sign: (fields) => Checksum.request(hmac, "|", fields)
  } satisfies LawClient
})

const utf8 = new TextEncoder()

export const apmBody = (
  { sign }: LawClient,
  signed: Partial<SignedFields> = {},
  over: Readonly<Record<string, unknown>> = {}
) => {
  const fields = { accountId: "77", requestId: "r-1", amount: "10.50", currency: "EUR", ...signed }
  return { ...fields, apmPayload: { paymentMethod: "WALLET" }, checksum: sign(fields), ...over }
}

const card = {
  number: "4242424242424242",
  expMonth: "04",
  expYear: "2030",
  cardHolderName: "Ada Lovelace"
}

export const cardBody = (over: Readonly<Record<string, unknown>> = {}) => ({
  requestId: "r-1",
  mid: "m-1",
  amount: "10.50",
  card,
  ...over
})

export const scenarioMetadata = (name: string) => ({ metadata: { "sandbox.scenario": name } })

export const field = ({ json }: JsonResponse, name: string): string =>
  String((json as Readonly<Record<string, unknown>> | undefined)?.[name])
