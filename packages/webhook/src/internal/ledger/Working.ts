import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import * as Evidence from "@pawl/core/Evidence"
import { isStatus } from "@pawl/core/Status"
import { type Note, redriven } from "../rule/Fact.ts"
import {
  lanes,
  type PerLane,
  perLane,
  type Change,
  type DeadLetter,
  type LetterKey,
  type Leased,
  type Row
} from "../rule/Row.ts"
import { raiseAlarm } from "../rule/Counters.ts"
import * as RequestRule from "../rule/RequestRule.ts"
import * as RowPages from "../rule/RowPages.ts"
import * as RowRule from "../rule/RowRule.ts"
import * as StoredRow from "../rule/StoredRow.ts"
import { defaults } from "../rule/WorkLimits.ts"
import { requestLanes } from "../records/Codecs.ts"
import { keyOf, type TransactionKey, transactionOf } from "../documents/Fields.ts"
import type { Records } from "../records/Engine.ts"
import type { Found } from "../records/Known.ts"
import type { Refused } from "../records/Refusals.ts"
import type { Rule } from "../records/Rule.ts"
import { changeEach, each, eachDue, type Engines, logRefused } from "../records/Engines.ts"
import { bodyName } from "./Accepting.ts"
import * as Reading from "./Reading.ts"

type Rows = StoredRow.StoredRows
export interface Claim {
  readonly at: number
  readonly until: number
  readonly limit: number | PerLane
  readonly newest?: number | undefined
}

export interface RedriveAll extends Reading.DeadLettersPage {
  readonly reason: DeadLetter["reason"]
  readonly before: number
  /** Letters parked later than this are of a clock that was set back since. */
  readonly now?: number | undefined
  readonly dueAt: number
  readonly rate: number
  readonly note?: Note | undefined
}

export type Shift = Parameters<typeof StoredRow.shift>[1]

export const make = (
  engines: Engines,
  deadLetters: ReturnType<typeof Reading.make>["deadLetters"]
) => {
  /**
   * Settles a request by a row of `home`. Returns true if its shard is another one, which is not
   * available: a wait for it would take the slots of this one.
   */
  const settleRequest = Effect.fnUntraced(
    function* ({ requestId, row }: NamedRequest, _home: Records) {
      const records = engines.of({ requestId })
      const request = yield* records.get("requests", requestId)
      if (request === undefined || RequestRule.find(request, row) === undefined) return
      const wasProvedWrong = yield* records.change("requests", requestId, (request) => {
        const found = request && RequestRule.find(request, row)
        return { value: found ?? request, result: RequestRule.isProvedWrong(request, found) }
      })
      if (wasProvedWrong) yield* raiseAlarm(RequestRule.provedWrong, { requestId })
    },
    (settled, named, home) =>
      settled.pipe(
        Effect.catch((error) => {
          const isDown = error._tag === "StoreUnavailable"
          return isDown && engines.of(named) === home ? Effect.fail(error) : Effect.succeed(isDown)
        })
      )
  )

  const redriveAt = (key: LetterKey, at: number, event: ReturnType<typeof redriven>) => {
    const rule: Rule<Rows, boolean> = (rows) => {
      if (rows === undefined) return { value: rows, result: false }
      const next = RowRule.redrive(rows, key, at, event)
      return next === rows
        ? { value: [...rows], result: false, wakes: true }
        : { value: next, result: true, wakes: true }
    }
    return engines
      .of(key)
      .change("transactions", keyOf(key), rule)
      .pipe(Effect.catchTag("Unreadable", () => Effect.succeed(false)))
  }

  return {
    /**
     * Leases up to `limit` due rows of each lane until `until`, oldest first; `newest` of the first
     * reads are the newest instead. `dueAt` is when the next row may be claimed in the lanes whose
     * limit is not 0. `unreadable` are the transactions that became dead letters, because they cannot be
     * read. `refused` are the rows that the store refuses to lease, and `failure` is its error if it
     * refuses all that are due.
     */
    claim: (
      options: Claim
    ): Effect.Effect<
      {
        readonly rows: ReadonlyArray<Leased>
        readonly dueAt: number | undefined
        readonly unreadable?: ReadonlyArray<TransactionKey>
        readonly refused?: ReadonlyArray<Refused<{ readonly leased: Row }>>
        readonly failure?: StoreUnavailable | undefined
      },
      StoreUnavailable
    > =>
      Effect.map(
        each(engines, (records) => claimIn(records, options)),
        (claims) => ({
          rows: claims.flatMap(({ rows }) => rows),
          dueAt: Reading.earliest(claims.map(({ dueAt }) => dueAt)),
          unreadable: claims.flatMap(({ unreadable }) => unreadable),
          refused: claims.flatMap(({ refused }) => refused),
          failure: claims.find(({ failure }) => failure)?.failure
        })
      ),
    /**
     * Changes a leased row; undefined when the lease was lost, or when the leased row is joined to
     * another row of the id and removed.
     */
    write: Effect.fnUntraced(function* (leased: Leased, change: Change) {
      const named = namedRequest(leased, change)
      // Without a release the lease runs out, and the next one settles the request.
      const kept =
        named !== undefined && (yield* settleRequest(named, engines.of(leased))) === true
          ? { ...change, release: undefined }
          : change
      const rule: Rule<Rows, Leased | undefined> = (rows) => {
        const written = rows && RowRule.write(rows, leased, kept)
        if (written === undefined || written.rows === rows)
          return { value: rows, result: undefined }
        const { leased: result, rows: next } = written
        const wakes = kept.release !== undefined || result === undefined
        const remove = result === undefined ? replacedBodies(rows ?? [], next, leased) : []
        return { value: next, remove, result, wakes }
      }
      return yield* engines
        .of(leased)
        .change("transactions", keyOf(leased), rule)
        .pipe(Effect.catchTag("Unreadable", () => Effect.undefined))
    }),
    /** Makes dead letters due again; false when the key names none. */
    redrive: (key: LetterKey, at: number, note?: Note) => redriveAt(key, at, redriven(at, note)),
    /**
     * Redrives a page of the dead letters of a reason that were parked until `before`, or later
     * than `now`, oldest first. The first is due at `dueAt`, then `rate` in each second; an
     * unreadable one leaves its time unused. Returns how many were listed and redriven, and the
     * last place; undefined on the last page.
     */
    redriveAll: Effect.fnUntraced(function* ({
      before,
      dueAt,
      note,
      now = Infinity,
      rate,
      ...page
    }: RedriveAll) {
      const letters = yield* deadLetters(page)
      const parked = letters.filter(({ deadLetter: { at } }) => at <= before || at > now)
      const event = redriven(before, note)
      const done = yield* Effect.filter(
        parked,
        (row, index) =>
          redriveAt(
            { ...row, reason: page.reason },
            dueAt + Math.floor((index * 1000) / rate),
            event
          ),
        { concurrency: "unbounded" }
      )
      const last = (now === Infinity ? parked : letters)[page.limit - 1]
      return {
        listed: parked.length,
        redriven: done.length,
        last: last && Reading.placeOf(last)
      }
    }),
    /**
     * Corrects rows and requests after the clock was set back by `by` milliseconds to `at`: those
     * due within twice that time and the time of a lease are due earlier by it, and no lease of a
     * row ends after `until`.
     */
    shift: (options: Shift) => Effect.asVoid(each(engines, (records) => shiftIn(records, options))),
    /**
     * Brings a page of planned reads forward (`RowPages`). Returns its last place; undefined on
     * the last page.
     */
    bringForward: (page: RowPages.PlannedPage) =>
      Effect.map(
        each(engines, (records) => bringForwardIn(records, page)),
        (lasts) => lasts.filter((last) => last !== undefined).toSorted(RowPages.comparePlaces)[0]
      )
  }
}

interface NamedRequest {
  readonly requestId: string
  readonly row: Row
}

/** Returns the request that a row names, once the service has confirmed a status. */
const namedRequest = (
  leased: Leased,
  { evidence = Evidence.none, read, release }: Change
): NamedRequest | undefined => {
  const requestId = leased.ordered?.requestId
  if (release === undefined || requestId === undefined) return undefined
  const row = {
    ...leased,
    evidence: Evidence.join(leased.evidence, evidence),
    read: Evidence.joinRead(leased.read, read)
  }
  return Evidence.confirmedStatuses(row.evidence).length === 0 ? undefined : { requestId, row }
}

const replacedBodies = (before: Rows, after: Rows, leased: Leased): ReadonlyArray<string> => {
  const kept = before.filter((stored) => after.some(({ row }) => row.scope === stored.row.scope))
  const target = kept.find((stored) => !after.includes(stored))
  return Object.keys(target?.row.newestCallbacks ?? {})
    .filter(isStatus)
    .map((status) => bodyName(leased.scope, status))
}

interface Taken {
  readonly at: number
  readonly leased: Leased
}

const claimIn = (records: Records, { at, limit, newest = 0, until }: Claim) => {
  const limits = perLane(limit)
  const asked = {
    at,
    limits: lanes.map((lane) => (limits[lane] === 0 ? undefined : limits[lane])),
    newest: { lane: lanes.indexOf("ask"), limit: newest }
  }
  const take = (found: ReadonlyArray<Found<Rows> & { readonly version: number }>) => {
    const home = new Map(
      found.flatMap((document) => document.value.map((stored) => [stored, document] as const))
    )
    const taken = new Map<string, { value: Rows; result: Array<Taken> }>()
    for (const stored of StoredRow.claimable([...home.keys()], at, limits, newest)) {
      const document = home.get(stored)
      if (document === undefined) continue
      const { key, value, version } = document
      const before = taken.get(key) ?? { value, result: [] }
      const { result } = before
      // Each version is that of one change, which leases a few rows of a document.
      const id = version * maxRows + result.length
      const leased = RowRule.lease(before.value, stored.row.scope, { id, until })
      if (leased.leased !== undefined) {
        result.push({ at: StoredRow.claimableAt(stored), leased: leased.leased })
      }
      taken.set(key, { value: leased.rows, result })
    }
    return taken
  }
  const leased = records.lease("transactions", asked, take)
  return Effect.map(leased, ({ dueAt, failure, refused, taken, unreadable }) => ({
    dueAt,
    failure,
    refused,
    unreadable: unreadable.flatMap(({ key, listedAt }) =>
      listedAt === undefined ? transactionOf(key) : []
    ),
    rows: taken.toSorted((one, two) => one.at - two.at).map(({ leased }) => leased)
  }))
}

/** The factor between the lease ids of two versions. */
const maxRows = 8

const start = Number.MIN_SAFE_INTEGER

const pageSize = 100

const shiftIn = Effect.fnUntraced(function* (
  records: Records,
  options: Shift
): Effect.fn.Return<void, StoreUnavailable> {
  const keysOf = Effect.fnUntraced(function* (
    collection: "transactions" | "requests",
    { by, until }: Shift,
    ofLanes: Iterable<number>
  ) {
    const keys = new Set<string>()
    for (const lane of ofLanes) {
      const range = { lane, from: start, to: until + 2 * by, limit: pageSize }
      yield* eachDue(records, collection, range, (found) =>
        Effect.sync(() => {
          for (const { key } of found) keys.add(key)
          return true
        })
      )
    }
    return keys
  })
  const rowKeys = yield* keysOf("transactions", options, lanes.keys())
  yield* changeEach(records, "transactions", rowKeys, () =>
    replan((rows) => rows.map((stored) => StoredRow.shift(stored, options)))
  ).pipe(Effect.flatMap(logRefused))
  // The lease of a request has its own time.
  const ofRequests = { ...options, until: Math.max(options.until, options.at + defaults.lease) }
  const requestKeys = yield* keysOf("requests", ofRequests, [requestLanes.due])
  yield* changeEach(records, "requests", requestKeys, () => (row) => {
    const shifted = row && StoredRow.shift(row, ofRequests)
    return { value: shifted, result: 0, wakes: shifted !== row }
  }).pipe(Effect.flatMap(logRefused))
})

/** A rule that changes times of rows; a document whose rows stay the same is not written. */
const replan =
  (change: (rows: Rows) => Rows): Rule<Rows, number> =>
  (rows) => {
    const changed = rows && change(rows)
    const isSame = !changed?.some((stored, position) => stored !== rows?.[position])
    return { value: isSame ? rows : changed, result: 0, wakes: !isSame }
  }

const bringForwardIn = Effect.fnUntraced(function* (
  records: Records,
  page: RowPages.PlannedPage
): Effect.fn.Return<RowPages.Place | undefined, StoreUnavailable> {
  const { after, limit } = page
  const found: Array<RowPages.Place> = []
  const range = {
    lane: lanes.indexOf(page.lane),
    from: after?.at ?? start,
    after: after?.key,
    to: Number.MAX_SAFE_INTEGER,
    limit
  }
  yield* eachDue(records, "transactions", range, (next) =>
    Effect.sync(() => {
      for (const { at, key, value } of next) {
        if (value?.some((each) => RowPages.isPlanned(each, page))) found.push({ at, key })
      }
      return found.length < limit
    })
  )
  const positions = new Map(found.slice(0, limit).map(({ key }, position) => [key, position]))
  yield* changeEach(records, "transactions", positions.keys(), (key) =>
    replan((rows) =>
      rows.map((stored) => RowPages.bringForward(stored, page, positions.get(key) ?? 0))
    )
  ).pipe(Effect.flatMap(logRefused))
  return found[limit - 1]
})
