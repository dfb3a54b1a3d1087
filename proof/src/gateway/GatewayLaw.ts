/** A law of the payments service, and the client with which it sends requests. */
import type { Request, Response } from "@pawl/testkit/Gateway"
import { card } from "@pawl/test-support/Creates"
import * as TestGateway from "@pawl/test-support/TestGateway"
import * as Laws from "@pawl/testkit/Laws"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
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
  }
>()("@pawl/proof/gateway/GatewayLaw/GatewayUnderTest") {}

export type MakeGateway = () => Layer.Layer<GatewayUnderTest, unknown>

export type GatewayLaw = Laws.Law<MakeGateway>

/**
 * The client of a law. `post` and `get` send the access token; `authenticate` requests one with these credentials,
 * and returns the status code.
 */
type LawClient = Effect.Success<typeof makeClient>

export type JsonResponse = Response & { readonly json: unknown }

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
  const { handle, pass } = yield* GatewayUnderTest
  const send = TestGateway.sender(handle)
  const token = yield* TestGateway.authenticateBy(send)
  return {
    post: (path: string, body: object | string, accessToken = token) =>
      send("POST", path, { body, token: accessToken || undefined }),
    get: (path: string, accessToken = token) =>
      send("GET", path, { token: accessToken || undefined }),
    authenticate: (over: object = {}) =>
      Effect.map(
        send("POST", "/auth", { body: { ...TestGateway.credentials, ...over } }),
        ({ status }) => status
      ),
    token,
    pass
  }
})

export const apmBody = (signed: object = {}, over: object = {}) => ({
  ...TestGateway.payment({ callbackUrl: undefined, ...signed }),
  ...over
})

export const cardBody = (over: Readonly<Record<string, unknown>> = {}) => ({
  requestId: "r-1",
  mid: "m-1",
  amount: "10.50",
  card,
  ...over
})

export const field = ({ json }: JsonResponse, name: string): string =>
  String((json as Readonly<Record<string, unknown>> | undefined)?.[name])
