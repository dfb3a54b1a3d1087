/**
 * A door of the service, as the contract sees it: requests go in, answers come out, time passes.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import type * as Gateway from "../../src/Gateway.ts"
import { credentials, fields } from "./bench.ts"
import { body, card, scenario } from "./creates.ts"

/** The time between two moves of a transaction behind every door: real time is nothing beside it. */
export const pace = "1 hour"

/** A callback as it arrived. */
export interface Arrived {
  readonly method: string
  readonly search: string
  readonly contentType: string | undefined
  readonly checksum: string | undefined
  readonly body: Json
}

export type Json = Readonly<Record<string, unknown>>

/**
 * Service that is one door, of a service nobody has used yet.
 *
 * - `handle` sends one request, and reads its answer.
 * - `pass` has time go by, and returns when all that fell due is done.
 * - `callbackUrl` is where callbacks arrive, and has a query of its own.
 */
export class Door extends Context.Service<
  Door,
  {
    readonly handle: (request: Gateway.Request) => Effect.Effect<Gateway.Response>
    readonly pass: (duration: `${number} ${"seconds" | "hours" | "days"}`) => Effect.Effect<void>
    readonly callbackUrl: string
    readonly arrived: Effect.Effect<ReadonlyArray<Arrived>>
  }
>()("test/Door") {}

/** One thing that holds of the service behind every door. */
export interface Case {
  readonly name: string
  readonly holds: Effect.Effect<void, never, Door>
}

export const it = (name: string, holds: Case["holds"]): Case => ({ name, holds })

/** Sends a request; a body that is not text is sent as JSON. */
export const send = Effect.fnUntraced(function* (
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
  const { handle } = yield* Door
  const answer = yield* handle({
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

/** Gets a token. */
export const authenticate = Effect.map(
  send("POST", "/auth", { body: credentials }),
  ({ json }) => (json as { readonly accessToken: string }).accessToken
)

/** Sends a request that has to succeed, and returns its answer. */
export const ask = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const token = yield* authenticate
  const { body: text, json, status } = yield* send(method, path, { token, body })
  assert.oneOf(status, [200, 204], `${method} ${path}: ${text}`)
  return json as Json
})

/** Sends a request that has to be refused with 400, and returns the names of the fields it is for. */
export const refused = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const token = yield* authenticate
  const { body: text, json, status } = yield* send(method, path, { token, body })
  assert.strictEqual(status, 400, `${method} ${path} ${JSON.stringify(body)}: ${text}`)
  return [...fields(json)]
})

/** What a create needs of the service, where it needs nothing. */
export const nobody = { cardToken: "", paymentId: 0 }

/** A card token, and a payment of 1000 EUR that has succeeded, of the merchant account `m-1`. */
export const prepare = Effect.gen(function* () {
  const given = { requestId: "given", mid: "m-1", card }
  const { cardToken } = yield* ask("POST", "/payments/card/tokenize", given)
  const paid = { ...given, amount: "1000", currency: "EUR" }
  const { transactionId } = yield* ask("POST", "/payments/card", paid)
  yield* steps(9)
  return { cardToken: String(cardToken), paymentId: Number(transactionId) }
})

/** The body of a create that is accepted, with callbacks to this door, and some of it changed. */
export const asked = (path: string, given = nobody, over: Json = {}) =>
  Effect.map(Door, ({ callbackUrl }) => body(path, given, { callbackUrl, ...over }))

/** Creates something, and returns the answer. */
export const create = Effect.fnUntraced(function* (path: string, given = nobody, over: Json = {}) {
  return yield* ask("POST", path, yield* asked(path, given, over))
})

/** The id of what a create answered about. */
export const idOf = (answer: Json): string =>
  String(answer["refundId"] ?? answer["subscriptionId"] ?? answer["transactionId"])

/** How many ids were given out so far; ids count from 100001 over all kinds. */
export const opened = Effect.gen(function* () {
  const { transactionId } = yield* create("/payments/apm", nobody, {
    requestId: crypto.randomUUID()
  })
  return Number(transactionId) - 100_001
})

/** Has every transaction make so many moves, and their callbacks arrive. */
export const steps = (count: number) => Door.use(({ pass }) => pass(`${count} hours`))

/** The callbacks of a transaction. */
export const callbacksOf = (id: string) =>
  Door.use(({ arrived }) =>
    Effect.map(arrived, (all) => all.filter(({ body }) => body["transactionId"] === id))
  )

/** The statuses that the callbacks of a transaction told, in the order they came. */
export const toldOf = (id: string) =>
  Effect.map(callbacksOf(id), (all) => all.map(({ body }) => String(body["transactionStatus"])))

/** A create, with the request and the answer. */
export const begin = Effect.fnUntraced(function* (
  path: string,
  story: string,
  given: typeof nobody,
  over: Json = {}
) {
  const answer = yield* create(path, given, { requestId: story, ...scenario(story), ...over })
  return { answer, id: idOf(answer) }
})

/** Reads an answer as text, in which a number has all its digits. */
export const textOf = Effect.fnUntraced(function* (path: string) {
  const token = yield* authenticate
  return (yield* send("GET", path, { token })).body
})

/** Each create of a transaction, with the endpoint of its status and, where there is one, of its info. */
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
