/**
 * The service under the contract: requests, responses, callbacks and time.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { assert } from "vitest"
import type * as Gateway from "@pawl/testkit/Gateway"
import { authenticateBy, fields, sender } from "@pawl/test-support/TestGateway"
import { body, card, scenario } from "@pawl/test-support/Creates"

/** The time between two moves of a transaction; real time is negligible beside it. */
export const pace = "1 hour"

/** A received callback. */
export interface Arrived {
  readonly method: string
  readonly search: string
  readonly contentType: string | undefined
  readonly checksum: string | undefined
  readonly body: Json
}

export type Json = Readonly<Record<string, unknown>>

/**
 * A new, unused payments service.
 *
 * - `handle` sends one request, and returns the response.
 * - `pass` lets time pass, and returns when all that fell due is done.
 * - `reset` removes the state of the service.
 * - `another` starts a second service with the same options, later than the first.
 * - `press` submits a form of a page for customers.
 * - `callbackUrl` receives the callbacks, and has a query.
 */
export interface Service {
  readonly handle: (request: Gateway.Request) => Effect.Effect<Gateway.Response>
  readonly pass: (duration: `${number} ${"seconds" | "hours" | "days"}`) => Effect.Effect<void>
  readonly reset: Effect.Effect<void>
  readonly another: Effect.Effect<Service, never, Scope.Scope>
  readonly press: (url: string, form: Readonly<Record<string, string>>) => Effect.Effect<void>
  readonly callbackUrl: string
  readonly arrived: Effect.Effect<ReadonlyArray<Arrived>>
}

/** Service that is the service under test. */
export class ServiceUnderTest extends Context.Service<ServiceUnderTest, Service>()(
  "test/ServiceUnderTest"
) {}

/** One property of the service. */
export interface Case {
  readonly name: string
  readonly holds: Effect.Effect<void, never, ServiceUnderTest | Scope.Scope>
  readonly options: Gateway.Options
}

/** Makes a case; the options are those of its service, beside a pace and a seed. */
export const it = (name: string, holds: Case["holds"], options: Gateway.Options = {}): Case => ({
  name,
  holds,
  options
})

/** Sends a request. */
export const send = sender((request) => ServiceUnderTest.use(({ handle }) => handle(request)))

/** Gets a token. */
export const authenticate = authenticateBy(send)

/** Sends a request that must succeed, and returns the response body. */
export const ask = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const token = yield* authenticate
  const { body: text, json, status } = yield* send(method, path, { token, body })
  assert.oneOf(status, [200, 204], `${method} ${path}: ${text}`)
  return json as Json
})

/** Sends a request that must be refused with 400, and returns the names of the fields. */
export const refused = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const token = yield* authenticate
  const { body: text, json, status } = yield* send(method, path, { token, body })
  assert.strictEqual(status, 400, `${method} ${path} ${JSON.stringify(body)}: ${text}`)
  return [...fields(json)]
})

/** The resources of a create that needs none. */
export const noResources = { cardToken: "", paymentId: 0 }

/** Creates a card token and a successful payment of 1000 EUR of the merchant account `m-1`. */
export const prepare = Effect.gen(function* () {
  const resources = { requestId: "prepared", mid: "m-1", card }
  const { cardToken } = yield* ask("POST", "/payments/card/tokenize", resources)
  const paid = { ...resources, amount: "1000", currency: "EUR" }
  const { transactionId } = yield* ask("POST", "/payments/card", paid)
  yield* steps(9)
  return { cardToken: String(cardToken), paymentId: Number(transactionId) }
})

/** Returns the body of a valid create with a callbackUrl, with some fields replaced. */
export const bodyFor = (path: string, resources = noResources, over: Json = {}) =>
  Effect.map(ServiceUnderTest, ({ callbackUrl }) => body(path, resources, { callbackUrl, ...over }))

/** Sends a create, and returns the response body. */
export const create = Effect.fnUntraced(function* (
  path: string,
  resources = noResources,
  over: Json = {}
) {
  return yield* ask("POST", path, yield* bodyFor(path, resources, over))
})

/** Returns the id in the response of a create. */
export const idOf = (answer: Json): string =>
  String(answer["refundId"] ?? answer["subscriptionId"] ?? answer["transactionId"])

/** Returns the number of ids of transactions and subscriptions so far; with a seed they count from 100001. */
export const opened = Effect.gen(function* () {
  const { transactionId } = yield* create("/payments/apm", noResources, {
    requestId: crypto.randomUUID()
  })
  return Number(transactionId) - 100_001
})

/** Lets every transaction make a number of moves, and delivers their callbacks. */
export const steps = (count: number) => ServiceUnderTest.use(({ pass }) => pass(`${count} hours`))

/** Returns the callbacks of a transaction. */
export const callbacksOf = (id: string) =>
  ServiceUnderTest.use(({ arrived }) =>
    Effect.map(arrived, (all) => all.filter(({ body }) => body["transactionId"] === id))
  )

/** Returns the statuses in the callbacks of a transaction, in order of arrival. */
export const callbackStatuses = (id: string) =>
  Effect.map(callbacksOf(id), (all) => all.map(({ body }) => String(body["transactionStatus"])))

/** A create with its request and response. */
export const begin = Effect.fnUntraced(function* (
  path: string,
  story: string,
  resources: typeof noResources,
  over: Json = {}
) {
  const answer = yield* create(path, resources, { requestId: story, ...scenario(story), ...over })
  return { answer, id: idOf(answer) }
})

/** Reads a response as text, in which a number has all its digits. */
export const textOf = Effect.fnUntraced(function* (path: string) {
  const token = yield* authenticate
  return (yield* send("GET", path, { token })).body
})

/** Each create of a transaction, with its status endpoint and its info endpoint, if any. */
export const kinds = {
  "/payments/apm": { status: "/payments/apm/status" },
  "/payouts/apm": { status: "/payouts/apm/status", info: "/payouts/apm/info" },
  "/payments/card": { status: "/payments/card/status" },
  "/payments/card/charge": { status: "/payments/card/status" },
  "/payouts/card": { status: "/payouts/card/status", info: "/payouts/card/info" },
  "/refunds/card": { status: "/refunds/card/status", info: "/refunds/card/info" }
} as const

/** The same, for loops. */
export const kindsList: ReadonlyArray<
  readonly [path: string, reads: { readonly status: string; readonly info?: string }]
> = Object.entries(kinds)
