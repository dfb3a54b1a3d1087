import { StoreUnavailable } from "@pawl/core/CallbackError"
import { methodOf, type Kind, kindsOf } from "@pawl/core/Kind"
import { isStatus, type Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Registration } from "../rule/Row.ts"
import type { Accepted } from "./Quarantine.ts"
import type { RegisteredDifferently } from "../rule/Order.ts"
import { raiseAlarm } from "../rule/Counters.ts"
import * as Erasure from "../rule/Erasure.ts"
import * as RowRule from "../rule/RowRule.ts"
import { hasRegisteredRefund, ofNamedRefund, type StoredRows } from "../rule/StoredRow.ts"
import type { Verified } from "../../Verifier.ts"
import { keyOf } from "../documents/Fields.ts"
import type { Rule } from "../records/Rule.ts"
import type { Engines } from "../records/Engines.ts"
import * as Room from "../records/Room.ts"
import * as Quarantine from "./Quarantine.ts"
import { kinds, statuses } from "../documents/Codes.ts"

export const make = (engines: Engines) => {
  const quarantine = Quarantine.make(engines)

  const address = (verified: Verified): Effect.Effect<Verified, StoreUnavailable> => {
    const { method, refundId } = verified
    if (refundId === undefined) return Effect.succeed(verified)
    const named = { method, transactionId: refundId }
    return engines
      .of(named)
      .get("transactions", keyOf(named))
      .pipe(
        Effect.catchTag("Unreadable", () => Effect.undefined),
        Effect.map((rows = []) => (hasRegisteredRefund(rows) ? ofNamedRefund(verified) : verified))
      )
  }

  /** Tells whether a transaction was erased; the id of a refund is not signed. */
  const isErased = ({ method, signed }: Verified): Effect.Effect<boolean, StoreUnavailable> => {
    const key = { method, transactionId: signed.transactionId }
    return engines
      .of(key)
      .get("transactions", keyOf(key))
      .pipe(
        Effect.map(Erasure.isErased),
        Effect.catchTag("Unreadable", () => Effect.succeed(false))
      )
  }

  const store = (
    verified: Verified,
    claim: Status,
    at: number,
    hasBody: boolean,
    isFull: boolean
  ): Effect.Effect<Accepted, StoreUnavailable> =>
    engines
      .of(verified)
      .change(
        "transactions",
        keyOf(verified),
        (stored) => {
          // A known transaction goes on, because its rows are few.
          if (isFull && stored === undefined) return { value: undefined, result: undefined }
          const rows = stored ?? []
          const { hasRoom, isDue, isNew, rows: next } = RowRule.accept(rows, verified, claim, at)
          const { put, ...kept } = withoutBodies(rows, Erasure.keepErased(stored, next), at)
          const result: Accepted = hasRoom ? { isNew } : { isNew, reached: "bodies" }
          return { ...kept, put: hasBody && !isFull ? put : [], wakes: isDue, result }
        },
        // Replays with one status leave room for callbacks with another one.
        `${claim} ${verified.kind}`
      )
      .pipe(
        Effect.flatMap((accepted) =>
          accepted === undefined ? Effect.fail(noRoom) : Effect.succeed(accepted)
        ),
        Effect.catchTag("Unreadable", () =>
          Effect.map(quarantine.accept(verified, "transaction", at), (accepted) => ({
            ...accepted,
            isUnreadable: true
          }))
        )
      )

  return {
    /** Stores a verified callback. Only then may the response be 200. */
    accept: (received: Verified, at: number): Effect.Effect<Accepted, StoreUnavailable> =>
      Effect.gen(function* () {
        const verified = yield* address(received)
        const { claim } = verified
        const isOwn = claim !== undefined && verified === received
        const hasBody = isOwn || !(yield* isErased(received))
        const level = yield* engines.of(verified).level
        const isFull = level === "full"
        const accepted =
          claim !== undefined
            ? yield* store(verified, claim, at, hasBody, isFull)
            : !hasBody
              ? { isNew: false }
              : isFull
                ? yield* Effect.fail(noRoom)
                : yield* quarantine.accept(verified, verified.quarantine, at)
        if (claim === undefined && hasBody && (yield* isErased(received))) {
          // It was erased meanwhile, perhaps before the body was stored.
          yield* quarantine.remove(received)
        }
        return level === "free" || accepted.reached !== undefined
          ? accepted
          : { ...accepted, reached: level }
      }),
    /**
     * Registers an operation; a second registration with another account, amount, currency or requestId fails.
     */
    register: (
      registration: Registration,
      at: number
    ): Effect.Effect<void, StoreUnavailable | RegisteredDifferently> => {
      const { kind, transactionId } = registration
      const key = { method: methodOf(kind), transactionId }
      type Registered = Result.Result<void, RegisteredDifferently>
      const rule: Rule<StoredRows, Registered> = (rows) => {
        const registered = RowRule.register(rows ?? [], registration, at)
        return Result.isSuccess(registered)
          ? {
              value: Erasure.keepErased(rows, registered.success),
              wakes: true,
              result: Result.succeed(undefined)
            }
          : { value: rows, result: Result.fail(registered.failure) }
      }
      return engines
        .of(key)
        .change("transactions", keyOf(key), rule)
        .pipe(
          Effect.catchTag("Unreadable", () =>
            Effect.as(raiseAlarm(notRegistered, key), Result.succeed(undefined))
          ),
          Effect.flatMap((registered) => Effect.fromResult(registered))
        )
    },
    /** Lists the verified callbacks that cannot be acted on, oldest first (`Quarantine`). */
    quarantined: quarantine.list
  }
}

export const notRegistered = "a registration is left out: its transaction cannot be read"

const noRoom = new StoreUnavailable({ cause: Room.isFull })

/** Each body replaces the older one under each of its names. */
const withoutBodies = (before: StoredRows, rows: StoredRows, at: number) => {
  const texts = rows.flatMap(({ bodies, row }) =>
    Object.entries(bodies).map(([key, bytes]) => {
      const status = key as Status
      const isReplaced = before.some(
        (stored) => stored.row.scope === row.scope && status in stored.row.newestCallbacks
      )
      const [name = "", ...older] = bodyNames(rows, row.scope, status)
      return { name, older: isReplaced ? older : [], at, bytes }
    })
  )
  return {
    value: rows.map((stored) =>
      Object.keys(stored.bodies).length === 0 ? stored : { ...stored, bodies: {} }
    ),
    put: texts.map(({ name, at, bytes }) => ({ name, at, bytes })),
    remove: texts.flatMap(({ older }) => older)
  }
}

/** Short, because it is in an index. */
export const bodyName = (scope: Kind, status: Status): string =>
  kinds.of(scope) + statuses.of(status)

export const bodyNames = (rows: StoredRows, scope: Kind, status: Status): ReadonlyArray<string> => {
  const method = methodOf(scope)
  const isGone = (each: Kind) => rows.every(({ row }) => row.scope !== each)
  return [scope, ...[...kindsOf[method], method].filter(isGone)].map((each) =>
    bodyName(each, status)
  )
}

export const namesOf = (rows: StoredRows): ReadonlyArray<string> => [
  ...new Set(
    rows.flatMap(({ row }) =>
      Object.keys(row.newestCallbacks)
        .filter(isStatus)
        .flatMap((status) => bodyNames(rows, row.scope, status))
    )
  )
]
