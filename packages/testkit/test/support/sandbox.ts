/**
 * A sandbox for tests: on a port of its own, and asked as curl would.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Sandbox from "../../src/Sandbox.ts"
import { credentials, payment } from "./testGateway.ts"
import { call } from "./wire.ts"

/** Runs a test on a sandbox of its own. */
export const run = <A, E>(
  test: Effect.Effect<A, E, Sandbox.Services | Scope.Scope>,
  options: Sandbox.Options = {}
): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.provide(test, Sandbox.layer({ pace: "10 millis", ...options })))
  )

/** An item as the control API shows it: what tests look at, of whatever it is. */
export interface Shown {
  readonly advanced: number
  readonly answer: unknown
  readonly at: string
  readonly attempt: number
  readonly createdTime: string
  readonly declineCode?: number
  readonly fault?: string
  readonly forged: boolean
  readonly id: string
  readonly isOver: boolean
  readonly now: string
  readonly status: string
  readonly transactionId: string
}

/** Asks the control API for one thing. */
export const control = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const { baseUrl } = yield* Sandbox.Sandbox
  const { json, status } = yield* call(method, baseUrl.replace("/api", `/sandbox${path}`), { body })
  return { status, json: json as Shown }
})

/** Asks the control API for a list. */
export const list = (path: string) =>
  Effect.map(control("GET", path), ({ json }) => json as unknown as ReadonlyArray<Shown>)

/** Asks the service, with a token of its own. */
export const api = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const { baseUrl } = yield* Sandbox.Sandbox
  const { json } = yield* call("POST", `${baseUrl}/v1/auth`, { body: credentials })
  const { accessToken } = json as { readonly accessToken: string }
  return yield* call(method, `${baseUrl}${path}`, { body, token: accessToken })
})

/** Creates a payment that has to be accepted, and returns its id. */
export const pay = Effect.fnUntraced(function* (over: Parameters<typeof payment>[0] = {}) {
  const { json, status, text } = yield* api("POST", "/v1/payments/apm", payment(over))
  if (status !== 200) return yield* Effect.die(`create answered ${status} ${text}`)
  return (json as { readonly transactionId: string }).transactionId
})
