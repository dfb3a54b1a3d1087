/**
 * What a law of the service is, and how it asks it.
 *
 * @since 0.1.0
 */
import * as Checksum from "@pawl/core/Checksum"
import * as PortableHmac from "@pawl/core/PortableHmac"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import type { Request, Response } from "@pawl/testkit/Gateway"
import * as Laws from "@pawl/testkit/Laws"

/**
 * Service that is the door of a payments service nobody has used yet.
 *
 * - `handle` sends one request, and reads its answer; `path` is from the host root.
 * - `pass` has time go by, and returns when all that fell due is done.
 * - `merchantKey`, `merchantSecret`: the credentials it knows.
 *
 * @category services
 * @since 0.1.0
 */
export class Door extends Context.Service<
  Door,
  {
    readonly handle: (request: Request) => Effect.Effect<Response>
    readonly pass: (duration: Duration.Duration) => Effect.Effect<void>
    readonly merchantKey: string
    readonly merchantSecret: string
  }
>()("@pawl/testkit/internal/laws/GatewayLaw/Door") {}

/**
 * What is put to the test: a function that makes the layer of such a door. It is built for each value a law is
 * tried on.
 *
 * @category models
 * @since 0.1.0
 */
export type Fresh = () => Layer.Layer<Door, unknown>

/**
 * A law of the service, tried on lists of requests.
 *
 * @category models
 * @since 0.1.0
 */
export type GatewayLaw = Laws.Law<Fresh>

/**
 * A body, before it is written as JSON; text is sent as it is.
 *
 * @category models
 * @since 0.1.0
 */
export type Body = Readonly<Record<string, unknown>> | string

/**
 * The service as a law asks it. `post` and `get` send the token; `authenticate` buys one with these instead of
 * the right credentials, and answers with its status.
 *
 * @category models
 * @since 0.1.0
 */
export interface Asking {
  readonly post: (path: string, body: Body, token?: string) => Effect.Effect<Answered>
  readonly get: (path: string, token?: string) => Effect.Effect<Answered>
  readonly authenticate: (over?: object) => Effect.Effect<number>
  readonly token: string
  readonly pass: Door["Service"]["pass"]
  readonly sign: (order: Signed) => string
}

/**
 * An answer: its status, its bytes as text, and what they say.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answered {
  readonly status: number
  readonly text: string
  readonly json: unknown
}

/**
 * The fields that a request checksum is over.
 *
 * @category models
 * @since 0.1.0
 */
export interface Signed {
  readonly accountId: string
  readonly requestId: string
  readonly amount: string
  readonly currency: string
}

/**
 * Makes a law; `body` asks a service that is new, about one list of requests. Where there are only a few such
 * lists, all of them are tried.
 *
 * @category constructors
 * @since 0.1.0
 */
export const law = <A>(
  about: Laws.About,
  requests: fc.Arbitrary<ReadonlyArray<A>> | ReadonlyArray<ReadonlyArray<A>>,
  body: (
    asking: Asking,
    requests: ReadonlyArray<A>
  ) => Generator<Effect.Effect<unknown, unknown>, void, never>
): GatewayLaw => {
  const trial = {
    show: (requests: ReadonlyArray<A>) =>
      requests.map((request, at) => `${at + 1}. ${JSON.stringify(request)}`).join("\n"),
    body: (fresh: Fresh, requests: ReadonlyArray<A>) =>
      Effect.suspend(() =>
        Effect.flatMap(asking, (service) => Effect.gen(() => body(service, requests))).pipe(
          Effect.provide(fresh(), { local: true })
        )
      )
  }
  return requests instanceof fc.Arbitrary
    ? Laws.propertyEffect(about, { ...trial, arbitrary: requests, numRuns: 50 })
    : Laws.each(about, { ...trial, values: requests })
}

const asking = Effect.gen(function* () {
  const { handle, merchantKey, merchantSecret, pass } = yield* Door
  const hmac = PortableHmac.keyed(Redacted.make(merchantSecret))
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
      Effect.map(({ body: text, status }): Answered => ({
        status,
        text,
        json: text === "" ? undefined : JSON.parse(text)
      }))
    )
  const buy = (over: object) =>
    send("POST", "/auth", { merchantKey, merchantSecret, ...over }, undefined)
  const { json } = yield* buy({})
  const token = String((json as { readonly accessToken: unknown }).accessToken)
  return {
    post: (path, body, given = token) => send("POST", path, body, given || undefined),
    get: (path, given = token) => send("GET", path, undefined, given || undefined),
    authenticate: (over = {}) => Effect.map(buy(over), ({ status }) => status),
    token,
    pass,
    sign: (order) => Checksum.request(hmac, "|", order)
  } satisfies Asking
})

const utf8 = new TextEncoder()

/**
 * The body of an APM payment, signed; what is given takes the place of a field after that.
 *
 * @category constructors
 * @since 0.1.0
 */
export const payment = (
  { sign }: Asking,
  signed: Partial<Signed> = {},
  over: Readonly<Record<string, unknown>> = {}
) => {
  const order = { accountId: "77", requestId: "r-1", amount: "10.50", currency: "EUR", ...signed }
  return { ...order, apmPayload: { paymentMethod: "WALLET" }, checksum: sign(order), ...over }
}

const card = {
  number: "4242424242424242",
  expMonth: "04",
  expYear: "2030",
  cardHolderName: "Ada Lovelace"
}

/**
 * The body of a payout to a card, or of a payment by card, of 10.50 euros.
 *
 * @category constructors
 * @since 0.1.0
 */
export const byCard = (over: Readonly<Record<string, unknown>> = {}) => ({
  requestId: "r-1",
  mid: "m-1",
  amount: "10.50",
  card,
  ...over
})

/**
 * Metadata that asks for a scenario, where there is such a thing.
 *
 * @category constructors
 * @since 0.1.0
 */
export const scenario = (story: string) => ({ metadata: { "sandbox.scenario": story } })

/**
 * Returns a field of an answer, as text.
 *
 * @category getters
 * @since 0.1.0
 */
export const field = ({ json }: Answered, name: string): string =>
  String((json as Readonly<Record<string, unknown>> | undefined)?.[name])
