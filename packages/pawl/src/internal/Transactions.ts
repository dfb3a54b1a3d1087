/**
 * Transactions as the receiver knows them.
 */
import { type Kind, kindsOf, methodOf } from "@pawl/core/Kind"
import { ValidationFailed } from "@pawl/core/PaymentsError"
import type { StatusReader } from "@pawl/core/StatusReader"
import type { TransactionId } from "@pawl/core/Transaction"
import * as StatusPoller from "@pawl/http/StatusPoller"
import { Ledger } from "@pawl/webhook/Ledger"
import type { Key, ParkedKey } from "@pawl/webhook/internal/rule/Row"
import * as TransactionReport from "@pawl/webhook/internal/rule/TransactionReport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Abortable, make as makePromised, type Runner } from "./Promised.ts"

const kinds: ReadonlyArray<unknown> = ["apm", "card", ...kindsOf.apm, ...kindsOf.card]

const unknownKind = new ValidationFailed({
  sent: false,
  fields: [{ path: "kind", message: `Expected one of ${kinds.join(", ")}` }]
})

/** The methods as effects. */
const make = (ledger: Ledger["Service"]) => ({
  /**
   * Returns what is known of a transaction; undefined if it is unknown. If a payment, a payout and a refund have one
   * id, it returns the first of these. Fails with `ValidationFailed` if there is no such kind.
   */
  get: (kind: Kind, transactionId: string) =>
    Effect.andThen(
      kinds.includes(kind) ? Effect.void : Effect.fail(unknownKind),
      Effect.map(
        Effect.suspend(() => ledger.get(methodOf(kind), transactionId)),
        (row) => row && TransactionReport.make(row)
      )
    ),
  /** Returns dead letters, oldest first: transactions that a person has to look at. `after` is the last one's `key`. */
  deadLetters: ({
    after,
    limit = 100
  }: { readonly after?: ParkedKey; readonly limit?: number } = {}) =>
    Effect.map(ledger.deadLetters({ after, limit }), (rows) =>
      rows.map((row) => {
        const { deadLetter, scope, transactionId } = row
        return {
          ...TransactionReport.ofDeadLetter(row),
          key: { at: deadLetter.at, scope, transactionId }
        }
      })
    ),
  /** Makes a dead letter due again. Returns false if there is none. */
  redrive: ({ method, transactionId }: Key) =>
    Effect.clockWith((clock) =>
      ledger.redrive(
        { method, transactionId },
        ledger.time?.(clock) ?? clock.currentTimeMillisUnsafe()
      )
    )
})

/**
 * Transactions with promises.
 */
export type Transactions = ReturnType<typeof of>

/**
 * Makes the methods of `pawl.transactions`.
 */
export const of = (runner: Runner, context: Context.Context<Ledger | StatusReader>) => ({
  ...makePromised(runner, make(Context.get(context, Ledger))),
  /**
   * Reads the status of a transaction until it is terminal. Yields each change, and ends after the last. It needs no
   * store, and so tells nobody else.
   */
  follow: (
    kind: Kind,
    id: string,
    { signal }: Abortable = {}
  ): AsyncIterable<StatusPoller.Change> =>
    Stream.toAsyncIterableWith(
      StatusPoller.changes({ kind, id: id as TransactionId }).pipe(
        signal === undefined ? (changes) => changes : Stream.interruptWhen(aborted(signal))
      ),
      context
    )
})

/** Fails with the reason of the abort. */
const aborted = (signal: AbortSignal): Effect.Effect<never, unknown> =>
  Effect.callback((resume) => {
    const onAbort = () => resume(Effect.fail(signal.reason))
    if (signal.aborted) onAbort()
    else signal.addEventListener("abort", onAbort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", onAbort))
  })
