/**
 * What a law of the ledger is, and what they all begin with.
 *
 * @since 0.1.0
 */
import type { Body } from "@pawl/core/Callback"
import * as PortableHmac from "@pawl/core/PortableHmac"
import type { Method } from "@pawl/core/Kind"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import { Ledger } from "@pawl/webhook/Ledger"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as CallbackRequests from "../../../Generators/CallbackRequests.ts"
import * as Laws from "../../../Laws.ts"

/**
 * What is put to the test: a function that makes the layer of an empty ledger.
 *
 * @category models
 * @since 0.1.0
 */
export type Fresh = () => Layer.Layer<Ledger, unknown>

/**
 * A law of the ledger, tried on one example.
 *
 * @category models
 * @since 0.1.0
 */
export type LedgerLaw = Laws.Law<Fresh>

/**
 * Makes a law of one example; `body` has a ledger that is empty.
 *
 * @category constructors
 * @since 0.1.0
 */
export const law = (
  about: Laws.LawText,
  body: (ledger: Ledger["Service"]) => Generator<Effect.Effect<unknown, unknown>, void, never>
): LedgerLaw =>
  Laws.example(about, (fresh) =>
    on(
      fresh,
      Effect.flatMap(Ledger, (ledger) => Effect.gen(() => body(ledger)))
    )
  )

/**
 * Runs an effect on a ledger of its own.
 *
 * @category running
 * @since 0.1.0
 */
export const on = <A, E>(fresh: Fresh, body: Effect.Effect<A, E, Ledger>) =>
  Effect.suspend(() => Effect.provide(body, fresh(), { local: true }))

/**
 * Says when work is due next, without taking any.
 *
 * @category running
 * @since 0.1.0
 */
export const nextDue = (ledger: Ledger["Service"]) =>
  Effect.map(ledger.claim({ at: -1, until: -1, limit: 0 }), ({ dueAt }) => dueAt)

type TokenRequest = Parameters<CallbackUrl.CallbackUrl["Service"]["make"]>[2]

/**
 * What a callback says besides its status: of transaction 100001, by card, of an account of the method's,
 * where nothing else is said. `token` is the operation that its URL names; the rest are fields of its body.
 *
 * @category models
 * @since 0.1.0
 */
export type Said = Body & {
  readonly method?: Method
  readonly account?: string
  readonly transactionId?: string
  readonly token?: readonly [kind: CallbackUrl.Kind, request: TokenRequest]
}

const secret = Redacted.make("laws-of-the-ledger")
const sign = PortableHmac.keyed(secret)
const ours = Effect.runSync(
  Effect.scoped(
    Layer.build(
      Layer.merge(Verifier.layer({ current: secret }), CallbackUrl.layer(secret)).pipe(
        Layer.provide(PortableHmac.layer)
      )
    )
  )
)

const made = new Map<string, Verifier.Verified>()

/**
 * Makes a callback that passed the verifier; of what is said again, the same as before.
 *
 * @category constructors
 * @since 0.1.0
 */
export const callback = (status: OpenStatus, said: Said = {}): Verifier.Verified => {
  const key = JSON.stringify([status, said])
  const verified = made.get(key) ?? verify(status, said)
  made.set(key, verified)
  return verified
}

const verify = (status: OpenStatus, said: Said): Verifier.Verified => {
  const { account, method = "card", token, transactionId = "100001", ...unsigned } = said
  const post: CallbackRequests.CallbackContent = {
    method,
    signed: {
      account: account ?? (method === "card" ? "mid-1" : "4711"),
      amount: "10.00",
      currency: "EUR",
      transactionId
    },
    status,
    amount: "text",
    unsigned,
    apmType: "PIX",
    query: token === undefined ? [] : queryOf(...token)
  }
  const { verify } = Context.get(ours, Verifier.Verifier)
  return Result.getOrThrow(verify(CallbackRequests.toIncoming(sign, post)))
}

const queryOf = (
  ...[kind, request]: Required<Said>["token"]
): CallbackRequests.CallbackContent["query"] => {
  const { make } = Context.get(ours, CallbackUrl.CallbackUrl)
  const url = Effect.runSync(make("https://shop.example/callback?shop=1", kind, request))
  return [...new URL(url).searchParams]
}
