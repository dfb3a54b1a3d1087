import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Sandbox from "../../src/Sandbox.ts"
import type * as TestGateway from "@pawl/test-support/TestGateway"
import { credentials, payment, toEffect } from "@pawl/test-support/TestGateway"
import { live } from "@pawl/test-support/Tests"
import { call } from "./wire.ts"

type Services = Sandbox.Services | Scope.Scope

export type Test<A> = TestGateway.Test<A, Services>

const layerWith = (options: Sandbox.Options) =>
  Sandbox.layer({ pace: "10 millis", seed: 1, ...options })

/** Runs a test on a new sandbox with these options, whose ids begin at 100001. */
export const runWith = <A>(options: Sandbox.Options, test: Test<A>): Promise<A> =>
  toEffect(test).pipe(Effect.provide(layerWith(options)), Effect.scoped, Effect.runPromise)

export const test = live.with(() => layerWith({}))

export const address = Effect.map(Sandbox.Sandbox, ({ baseUrl }) => new URL(baseUrl))

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

export const control = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const { baseUrl } = yield* Sandbox.Sandbox
  const { json, status } = yield* call(method, baseUrl.replace("/api", `/sandbox${path}`), { body })
  return { status, json: json as Shown }
})

export const list = (path: string) =>
  Effect.map(control("GET", path), ({ json }) => json as unknown as ReadonlyArray<Shown>)

export const api = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const { baseUrl } = yield* Sandbox.Sandbox
  const { json } = yield* call("POST", `${baseUrl}/v1/auth`, { body: credentials })
  const { accessToken } = json as { readonly accessToken: string }
  return yield* call(method, `${baseUrl}${path}`, { body, token: accessToken })
})

export const pay = Effect.fnUntraced(function* (over: Parameters<typeof payment>[0] = {}) {
  const { json, status, text } = yield* api("POST", "/v1/payments/apm", payment(over))
  if (status !== 200) return yield* Effect.die(`create answered ${status} ${text}`)
  return (json as { readonly transactionId: string }).transactionId
})
