/** Transactions as the receiver knows them. */
import * as Grammar from "@pawl/core/internal/Grammar"
import { type Kind, kindsOf, methodOf } from "@pawl/core/Kind"
import { ValidationFailed } from "@pawl/core/PaymentsError"
import type { StatusReader } from "@pawl/core/StatusReader"
import type { TransactionId } from "@pawl/core/Transaction"
import * as StatusPoller from "@pawl/http/StatusPoller"
import { Ledger } from "@pawl/webhook/Ledger"
import type { LetterKey, ParkedKey, Registration } from "@pawl/webhook/internal/rule/Row"
import * as TransactionReport from "@pawl/webhook/internal/rule/TransactionReport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Arguments from "./Arguments.ts"
import * as OptionTypes from "./OptionTypes.ts"
import {
  type Abortable,
  copiedIf,
  make as makePromised,
  type Promised,
  type Runner
} from "./Promised.ts"

const kinds: ReadonlyArray<unknown> = ["apm", "card", ...kindsOf.apm, ...kindsOf.card]

const refuse = (path: string, message: string) =>
  Effect.fail(new ValidationFailed({ sent: false, fields: [{ path, message }] }))

const checkOneOf = (path: string, names: ReadonlyArray<unknown>, value: unknown) =>
  names.includes(value) ? Effect.void : refuse(path, `Expected one of ${names.join(", ")}`)

const checkKind = (kind: unknown) => checkOneOf("kind", kinds, kind)

const checkId = (id: unknown) => Arguments.text("transactionId", id)

const checks = {
  get: copiedIf((kind, id) => Effect.andThen(checkKind(kind), checkId(id))),
  deadLetters: copiedIf((page) => Arguments.page(page)),
  register: copiedIf((given) => {
    const { amount = "0", kind, transactionId } = OptionTypes.isObject(given) ? given : {}
    return Effect.all([
      OptionTypes.check(given, {
        any: "kind transactionId amount",
        text: "requestId account currency"
      }),
      checkOneOf("kind", kinds.slice(2), kind),
      checkId(transactionId),
      typeof amount === "string" && Grammar.amount.test(amount)
        ? Effect.void
        : refuse("amount", 'Expected a decimal amount as text, such as "10.50"')
    ])
  }),
  redrive: copiedIf((key) => {
    const { method, transactionId } = OptionTypes.isObject(key) ? key : {}
    return Effect.andThen(checkOneOf("method", ["apm", "card"], method), checkId(transactionId))
  })
}

const make = (ledger: Ledger["Service"]) => ({
  register: (registration: Omit<Registration, "status">) =>
    Effect.clockWith((clock) => {
      const { kind, transactionId } = registration
      const key = { method: methodOf(kind), transactionId }
      return ledger.register(registration, ledger.time(clock, key))
    }),
  get: (kind: Kind, transactionId: string) =>
    Effect.map(
      ledger.get(methodOf(kind), transactionId),
      (row) => row && TransactionReport.make(row)
    ),
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
  redrive: ({ method, reason, transactionId }: LetterKey) =>
    Effect.clockWith((clock) =>
      ledger.redrive({ method, reason, transactionId }, ledger.time(clock))
    )
})

type Methods = Promised<ReturnType<typeof make>>

/** The transactions of a `Pawl`. */
export interface Transactions {
  /**
   * Returns a transaction; undefined if it is unknown. Of a payment, a payout and a refund with one id it
   * returns the first. Rejects with `ValidationFailed` if there is no such kind.
   */
  readonly get: Methods["get"]
  /**
   * Makes pawl follow a transaction that it did not create, such as one from before pawl, and compare
   * callbacks with the `account`, `amount` and `currency` that are given. Rejects with
   * `RegisteredDifferently` if it is registered with others.
   */
  readonly register: Methods["register"]
  /** Returns dead letters, oldest first. `after` is the `key` of the last one; `limit` is 100. */
  readonly deadLetters: Methods["deadLetters"]
  /** Makes a dead letter due again. Returns false if there is none, or one for another `reason`. */
  readonly redrive: Methods["redrive"]
  /**
   * Polls a transaction until its status is terminal, and yields each change. It needs no store, and calls
   * no handler. `close` ends it.
   */
  readonly follow: (
    kind: Kind,
    id: string,
    options?: Abortable
  ) => AsyncIterable<StatusPoller.Change>
}

export const of = (
  runner: Runner,
  context: Context.Context<Ledger | StatusReader>
): Transactions => ({
  ...makePromised(runner, make(Context.get(context, Ledger)), checks),
  follow: (kind, id, options = {}) =>
    Stream.toAsyncIterableWith(
      OptionTypes.check(options, { signal: "signal" }).pipe(
        Effect.andThen(checkKind(kind)),
        Effect.map(() => StatusPoller.changes({ kind, id: id as TransactionId })),
        Stream.unwrap,
        Stream.interruptWhen(aborted([runner.closed, options?.signal]))
      ),
      context
    )
})

const aborted = (signals: ReadonlyArray<AbortSignal | undefined>): Effect.Effect<never, unknown> =>
  Effect.callback((resume) => {
    const signal = AbortSignal.any(signals.filter((each) => each instanceof AbortSignal))
    const onAbort = () => resume(Effect.fail(signal.reason))
    if (signal.aborted) onAbort()
    else signal.addEventListener("abort", onAbort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", onAbort))
  })
