import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { assert } from "vitest"
import type * as Gateway from "@pawl/testkit/Gateway"
import { authenticateBy, fields, sender } from "@pawl/test-support/TestGateway"
import { askBy, body, prepareBy, scenario } from "@pawl/test-support/Creates"

/** Real time is negligible beside it. */
export const pace = "1 hour"

export interface Arrived {
  readonly method: string
  readonly search: string
  readonly contentType: string | undefined
  readonly checksum: string | undefined
  readonly body: Json
}

export type Json = Readonly<Record<string, unknown>>

/** A new, unused payments service. */
export interface Service {
  readonly handle: (request: Gateway.Request) => Effect.Effect<Gateway.Response>
  /** Lets time pass, and returns when all that fell due is done. */
  readonly pass: (duration: `${number} ${"seconds" | "hours" | "days"}`) => Effect.Effect<void>
  readonly reset: Effect.Effect<void>
  /** With the same options, later than the first. */
  readonly another: Effect.Effect<Service, never, Scope.Scope>
  readonly press: (url: string, form: Readonly<Record<string, string>>) => Effect.Effect<void>
  /** Has a query. */
  readonly callbackUrl: string
  readonly arrived: Effect.Effect<ReadonlyArray<Arrived>>
}

export class ServiceUnderTest extends Context.Service<ServiceUnderTest, Service>()(
  "test/ServiceUnderTest"
) {}

export interface Case {
  readonly name: string
  readonly holds: Effect.Effect<void, never, ServiceUnderTest | Scope.Scope>
  readonly options: Gateway.Options
}

type Test = () => Generator<
  Effect.Effect<unknown, never, ServiceUnderTest | Scope.Scope>,
  void,
  never
>

/** Makes cases of a service with options, beside a pace and a seed. */
export const itWith =
  (options: Gateway.Options) =>
  (name: string, test: Test): Case => ({ name, holds: Effect.gen(test), options })

export const it = itWith({})

export const pass = (duration: Parameters<Service["pass"]>[0]) =>
  ServiceUnderTest.use((service) => service.pass(duration))

export const reset = ServiceUnderTest.use((service) => service.reset)

export const arrived = ServiceUnderTest.use((service) => service.arrived)

export const press = (...args: Parameters<Service["press"]>) =>
  ServiceUnderTest.use((service) => service.press(...args))

export const send = sender((request) => ServiceUnderTest.use(({ handle }) => handle(request)))

export const authenticate = authenticateBy(send)

export const ask = askBy(send)

/** Expects a 400, and returns the names of the fields. */
export const refused = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const token = yield* authenticate
  const { body: text, json, status } = yield* send(method, path, { token, body })
  assert.strictEqual(status, 400, `${method} ${path} ${JSON.stringify(body)}: ${text}`)
  return [...fields(json)]
})

/** For a create that needs none. */
export const noResources = { cardToken: "", paymentId: 0 }

/** A valid create with a callbackUrl, with some fields replaced. */
export const bodyFor = (path: string, over: Json = {}, resources = noResources) =>
  Effect.map(ServiceUnderTest, ({ callbackUrl }) => body(path, resources, { callbackUrl, ...over }))

export const create = Effect.fnUntraced(function* (...create: Parameters<typeof bodyFor>) {
  return yield* ask("POST", create[0], yield* bodyFor(...create))
})

export const idOf = (answer: Json): string =>
  String(answer["refundId"] ?? answer["subscriptionId"] ?? answer["transactionId"])

/**
 * The number of ids of transactions and subscriptions so far; with a seed they count from 100001.
 */
export const opened = Effect.gen(function* () {
  const { transactionId } = yield* create("/payments/apm", { requestId: crypto.randomUUID() })
  return Number(transactionId) - 100_001
})

/** Every transaction makes the moves, and their callbacks are delivered. */
export const steps = (count: number) => pass(`${count} hours`)

export const prepare = prepareBy(ask, steps(9))

export const callbacksOf = (id: string) =>
  Effect.map(arrived, (all) => all.filter(({ body }) => body["transactionId"] === id))

/** In order of arrival. */
export const callbackStatuses = (id: string) =>
  Effect.map(callbacksOf(id), (all) => all.map(({ body }) => String(body["transactionStatus"])))

export const begin = Effect.fnUntraced(function* (
  path: string,
  story: string,
  over: Json = {},
  resources = noResources
) {
  const answer = yield* create(path, { requestId: story, ...scenario(story), ...over }, resources)
  return { answer, id: idOf(answer) }
})

/** As text, in which a number has all its digits. */
export const textOf = Effect.fnUntraced(function* (path: string) {
  const token = yield* authenticate
  return (yield* send("GET", path, { token })).body
})

/** By its create. */
export const kinds = {
  "/payments/apm": { status: "/payments/apm/status" },
  "/payouts/apm": { status: "/payouts/apm/status", info: "/payouts/apm/info" },
  "/payments/card": { status: "/payments/card/status" },
  "/payments/card/charge": { status: "/payments/card/status" },
  "/payouts/card": { status: "/payouts/card/status", info: "/payouts/card/info" },
  "/refunds/card": { status: "/refunds/card/status", info: "/refunds/card/info" }
} as const

export const kindsList: ReadonlyArray<
  readonly [path: string, reads: { readonly status: string; readonly info?: string }]
> = Object.entries(kinds)
