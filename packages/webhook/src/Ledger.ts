/**
 * Where callbacks land: one row a transaction, and the row is the unit of everything.
 *
 * **Details**
 *
 * A row holds the evidence of its transaction, the service's last answer, what the handler was last
 * told, and when work on it is due. `accept` writes a callback into it in one durable step; only then
 * may the callback be answered 200. A worker `claim`s rows that are due, under a lease, and `write`s
 * what it found out; a write without the lease changes nothing.
 *
 * Evidence is joined, never replaced, so an `accept` during a lease is never lost. Fields that both
 * sides set (the poll ladder) are kept as `accept` left them when it brought a new status in between.
 * What made a row due during a lease still does when it is released.
 *
 * Time is a parameter of everything: the ledger has no clock of its own.
 *
 * @since 0.1.0
 */
import { type Body, type Signed, unsigned } from "@pawl/core/Callback"
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import type { Kind, Method } from "@pawl/core/Transaction"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type { Verified } from "./Verifier.ts"

/**
 * Service that keeps callbacks and the rows they belong to.
 *
 * - `accept` stores a verified callback; `isNew` is false for one that adds nothing.
 * - `register` makes a row for an operation before any callback; `status` is the response's, and counts
 *   as confirmed.
 * - `claim` leases up to `limit` rows that are due, oldest first, until `until`; `dueAt` is when
 *   the next row falls due that nobody holds.
 * - `write` changes a leased row and returns it as it is now; undefined when the lease was lost.
 * - `woken` completes when a row of this process became due or free since it last did; `patience` is
 *   how long rows of other processes may wait unseen.
 *
 * @category services
 * @since 0.1.0
 */
export class Ledger extends Context.Service<
  Ledger,
  {
    readonly accept: (verified: Verified, at: number) => Effect.Effect<Accepted, StoreUnavailable>
    readonly register: (operation: Operation, at: number) => Effect.Effect<void, StoreUnavailable>
    readonly claim: (options: {
      readonly at: number
      readonly until: number
      readonly limit: number
    }) => Effect.Effect<
      { readonly rows: ReadonlyArray<Leased>; readonly dueAt: number | undefined },
      StoreUnavailable
    >
    readonly write: (
      leased: Leased,
      change: Change
    ) => Effect.Effect<Leased | undefined, StoreUnavailable>
    readonly get: (
      method: Method,
      transactionId: string
    ) => Effect.Effect<Row | undefined, StoreUnavailable>
    readonly quarantined: Effect.Effect<ReadonlyArray<Verified>, StoreUnavailable>
    readonly woken: Effect.Effect<void>
    readonly patience: Duration.Duration
  }
>()("@pawl/webhook/Ledger") {}

/**
 * What became of an accepted callback.
 *
 * @category models
 * @since 0.1.0
 */
export interface Accepted {
  readonly isNew: boolean
}

/**
 * An operation the merchant started, to be followed from now on, callbacks or not.
 *
 * @category models
 * @since 0.1.0
 */
export interface Operation {
  readonly kind: Exclude<Kind, Method>
  readonly transactionId: string
  readonly status?: Status | undefined
}

/**
 * All that is known of one transaction. Times are milliseconds since the epoch.
 *
 * - `kind`: the method while nobody knows better.
 * - `callbacks`: how many were accepted, repeats included.
 * - `told`, `tells`: what the handler was last told, and how many transitions it took.
 * - `trying`, `attempt`, `failingSince`, `tellAt`: the transition at hand, the calls of the handler made
 *   for it, when the first of them was made, and when it may be called again.
 * - `since`: the last time a new status was observed, where the poll ladder starts.
 * - `polls`, `pollAt`: reads made on the ladder, and when the next is due; undefined before the first
 *   was planned.
 * - `askedAt`: when the service was last asked, with whatever success.
 * - `doubtedAt`: when a claim last came that the service has not confirmed, or when it is to be asked
 *   about again because it did not answer.
 * - `parked`: why the row is a dead letter, if it is.
 * - `newest`: of each status, the newest verified callback that claims it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Row {
  readonly method: Method
  readonly transactionId: string
  readonly kind: Kind
  readonly evidence: Evidence.Evidence
  readonly read: Evidence.Read | undefined
  readonly callbacks: number
  readonly told: Status | undefined
  readonly tells: number
  readonly trying: Status | undefined
  readonly attempt: number
  readonly failingSince: number | undefined
  readonly tellAt: number
  readonly createdAt: number
  readonly since: number
  readonly polls: number
  readonly pollAt: number | undefined
  readonly askedAt: number | undefined
  readonly doubtedAt: number | undefined
  readonly parked: Parked | undefined
  readonly newest: Readonly<
    Partial<Record<Status, { readonly signed: Signed; readonly unsigned: Body }>>
  >
}

/**
 * A dead letter: why a row is no longer worked on, and the status it could not tell, if it was one.
 *
 * @category models
 * @since 0.1.0
 */
export interface Parked {
  readonly reason: "handler-failed" | "unknown-transaction"
  readonly at: number
  readonly to: Status | undefined
}

/**
 * A row as it was when it was leased or last written under this lease.
 *
 * - `seen`: the evidence when it was leased, by which a write finds what callbacks claimed since.
 *
 * @category models
 * @since 0.1.0
 */
export interface Leased extends Row {
  readonly lease: number
  readonly seen: Evidence.Evidence
}

/**
 * What a worker found out. Evidence and read are joined to what is there; `release` ends the lease and
 * says when work is due again (undefined: when something new comes).
 *
 * @category models
 * @since 0.1.0
 */
export interface Change extends Partial<
  Pick<
    Row,
    | "kind"
    | "evidence"
    | "read"
    | "told"
    | "tells"
    | "trying"
    | "attempt"
    | "failingSince"
    | "tellAt"
    | "polls"
    | "pollAt"
    | "askedAt"
    | "doubtedAt"
    | "parked"
  >
> {
  readonly until?: number
  readonly release?: { readonly dueAt: number | undefined }
}

/** `dueAt` is what made the row due since it was last leased. */
interface Held {
  row: Row
  dueAt: number | undefined
  lease: { readonly token: number; readonly until: number } | undefined
}

/**
 * Layer that keeps the ledger in memory: the default for tests, gone with the process.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<Ledger> = Layer.effect(
  Ledger,
  Effect.gen(function* () {
    const rows = new Map<string, Held>()
    const quarantine: Array<Verified> = []
    const news = yield* Latch.make()
    let leases = 0

    const wake = (held: Held, at: number) => {
      held.dueAt = earlier(held.dueAt, at)
      news.openUnsafe()
    }

    const find = (method: Method, transactionId: string, at: number): Held => {
      const key = `${method}/${transactionId}`
      const held = rows.get(key) ?? {
        row: blank(method, transactionId, at),
        dueAt: undefined,
        lease: undefined
      }
      rows.set(key, held)
      return held
    }

    const accept = (verified: Verified, at: number): Accepted => {
      const { body, claim, method, signed } = verified
      if (claim === undefined) {
        quarantine.push(verified)
        return { isNew: true }
      }
      const held = find(method, signed.transactionId, at)
      const { row } = held
      const evidence = Evidence.join(row.evidence, Evidence.claimed(claim))
      const isNew = evidence !== row.evidence
      const isSure = (evidence & Evidence.confirmed(claim)) !== 0
      held.row = {
        ...row,
        evidence,
        callbacks: row.callbacks + 1,
        doubtedAt: isSure ? row.doubtedAt : at,
        newest: { ...row.newest, [claim]: { signed, unsigned: unsigned(method, body) } },
        ...(isNew && { since: at, polls: 0, pollAt: undefined })
      }
      if (isNew || !isSure) wake(held, at)
      return { isNew }
    }

    const register = ({ kind, status, transactionId }: Operation, at: number): void => {
      const held = find(kind.startsWith("apm") ? "apm" : "card", transactionId, at)
      const seen = status === undefined ? Evidence.none : Evidence.confirmed(status)
      held.row = { ...held.row, kind, evidence: Evidence.join(held.row.evidence, seen) }
      wake(held, at)
    }

    const claim = (options: {
      readonly at: number
      readonly until: number
      readonly limit: number
    }) => {
      const leased = [...rows.values()]
        .filter((held) => freeAt(held) <= options.at)
        .toSorted((one, two) => freeAt(one) - freeAt(two))
        .slice(0, options.limit)
        .map((held): Leased => {
          held.lease = { token: ++leases, until: options.until }
          held.dueAt = undefined
          return { ...held.row, lease: held.lease.token, seen: held.row.evidence }
        })
      const next = [...rows.values()].reduce(
        (soonest, held) => Math.min(soonest, freeAt(held)),
        Infinity
      )
      return { rows: leased, dueAt: Number.isFinite(next) ? next : undefined }
    }

    const write = (leased: Leased, { release, until, ...change }: Change): Leased | undefined => {
      const held = rows.get(`${leased.method}/${leased.transactionId}`)
      if (held === undefined || held.lease?.token !== leased.lease) return undefined
      const { row } = held
      const isOvertaken = Evidence.claimedStatuses(row.evidence & ~leased.seen).length > 0
      held.row = {
        ...row,
        ...change,
        evidence: Evidence.join(row.evidence, change.evidence ?? Evidence.none),
        read: Evidence.joinRead(row.read, change.read),
        ...(isOvertaken && { polls: row.polls, pollAt: row.pollAt })
      }
      if (until !== undefined) held.lease = { token: leased.lease, until }
      if (release !== undefined) {
        held.lease = undefined
        held.dueAt = earlier(held.dueAt, release.dueAt)
        news.openUnsafe()
      }
      return { ...held.row, lease: leased.lease, seen: leased.seen }
    }

    return Ledger.of({
      accept: (verified, at) => Effect.sync(() => accept(verified, at)),
      register: (operation, at) => Effect.sync(() => register(operation, at)),
      claim: (options) => Effect.sync(() => claim(options)),
      write: (leased, change) => Effect.sync(() => write(leased, change)),
      get: (method, transactionId) =>
        Effect.sync(() => rows.get(`${method}/${transactionId}`)?.row),
      quarantined: Effect.sync(() => quarantine.slice()),
      woken: Effect.andThen(news.await, Effect.asVoid(news.close)),
      patience: Duration.infinity
    })
  })
)

/** When a row may be claimed: when its lease is over, or when it is due. */
const freeAt = ({ dueAt, lease }: Held): number => lease?.until ?? dueAt ?? Infinity

const earlier = (one: number | undefined, two: number | undefined): number | undefined =>
  one === undefined || two === undefined ? (one ?? two) : Math.min(one, two)

const blank = (method: Method, transactionId: string, at: number): Row => ({
  method,
  transactionId,
  kind: method,
  evidence: Evidence.none,
  read: undefined,
  callbacks: 0,
  told: undefined,
  tells: 0,
  trying: undefined,
  attempt: 0,
  failingSince: undefined,
  tellAt: at,
  createdAt: at,
  since: at,
  polls: 0,
  pollAt: undefined,
  askedAt: undefined,
  doubtedAt: undefined,
  parked: undefined,
  newest: {}
})
