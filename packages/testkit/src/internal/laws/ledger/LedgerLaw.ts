import type { Body } from "@pawl/core/Callback"
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Hmac from "@pawl/core/Hmac"
import type { Method } from "@pawl/core/Kind"
import * as Profile from "@pawl/core/Profile"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import { Ledger } from "@pawl/webhook/Ledger"
import type { Parked } from "@pawl/webhook/internal/rule/Row"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as CallbackRequests from "../../generators/CallbackRequests.ts"
import type * as Laws from "../../../Laws.ts"
import * as HistoryLaws from "../HistoryLaws.ts"

export type LedgerLaw = Laws.Law<HistoryLaws.Fresh<Ledger>>

export const law: (
  text: Laws.LawText,
  body: (opened: Ledger["Service"]) => Generator<Effect.Effect<unknown, unknown>, void, never>
) => LedgerLaw = HistoryLaws.example(Ledger)

export const nextDue = (ledger: Ledger["Service"]) =>
  Effect.map(ledger.claim({ at: -1, until: -1, limit: 1 }), ({ dueAt }) => dueAt)

type TokenRequest = Parameters<CallbackUrl.CallbackUrl["Service"]["make"]>[2]

/** Fields of a callback besides its status; `token` is the operation that its URL names. */
export type CallbackFields = Body & {
  readonly method?: Method
  readonly account?: string
  readonly transactionId?: string
  readonly token?: readonly [kind: CallbackUrl.Operation, request: TokenRequest]
}

export const signedForPayment = { refundCallbackId: "payment" } as const

const secret = Redacted.make("laws-of-the-ledger")
const sign = Hmac.keyed(secret)
const build = (switches: Partial<Profile.Switches>) =>
  Effect.runSync(
    Effect.scoped(
      Layer.build(
        Layer.merge(Verifier.layer({ current: secret }), CallbackUrl.layer(secret)).pipe(
          Layer.provide([Hmac.layer, Profile.layer(switches)])
        )
      )
    )
  )
const ours = build({})
const forPayment = build(signedForPayment)

const made = new Map<string, Verifier.Verified>()

/** The same arguments return the same callback. */
export const callback = (
  status: OpenStatus,
  fields: CallbackFields = {},
  profile?: typeof signedForPayment
): Verifier.Verified => {
  const key = JSON.stringify([status, fields, profile])
  const verified =
    made.get(key) ?? verify(status, fields, profile === undefined ? ours : forPayment)
  made.set(key, verified)
  return verified
}

const verify = (
  status: OpenStatus,
  fields: CallbackFields,
  verifier: typeof ours
): Verifier.Verified => {
  const { account, method = "card", token, transactionId = "100001", ...unsigned } = fields
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
  const { verify } = Context.get(verifier, Verifier.Verifier)
  return Result.getOrThrow(verify(CallbackRequests.toIncoming(sign, post)))
}

const queryOf = (
  ...[kind, request]: Required<CallbackFields>["token"]
): CallbackRequests.CallbackContent["query"] => {
  const { make } = Context.get(ours, CallbackUrl.CallbackUrl)
  const url = Effect.runSync(make("https://shop.example/callback?shop=1", kind, request))
  return [...new URL(url).searchParams]
}

export const allDeadLetters: (
  ledger: Ledger["Service"]
) => Effect.Effect<ReadonlyArray<Parked>, StoreUnavailable> = Effect.fnUntraced(function* ({
  deadLetters
}: Ledger["Service"]) {
  const limit = 1
  const all: Array<Parked> = []
  for (;;) {
    const last = all.at(-1)
    const after = last && { ...last, at: last.deadLetter.at }
    const page = yield* deadLetters({ limit, after })
    all.push(...page)
    // A ledger may ignore the cursor.
    if (page.length < limit || all.length > 1000) return all
  }
})
