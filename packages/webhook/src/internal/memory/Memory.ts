/**
 * The ledger in memory: what the ledgers in SQL do, in plain words.
 *
 * **Details**
 *
 * Rows are changed where they lie, and copied when they are handed out: most callbacks are accepted and
 * never read, and a row has 24 fields.
 *
 * @since 0.1.0
 */
import { type Body, type Signed, unsigned } from "@pawl/core/Callback"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import { type Kind, type Method, methodOf } from "@pawl/core/Kind"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Accepted, Ledger, Registration } from "../../Ledger.ts"
import * as Row from "../../Row.ts"
import type { Verified } from "../../Verifier.ts"

/** The most bodies of one transaction in quarantine. */
export const mostQuarantined = 16

/** `dueAt` is what made the row due since it was last leased; `heard` is what `newestCallbacks` is made of. */
interface Held {
  row: { -readonly [Field in keyof Row.Row]: Row.Row[Field] }
  dueAt: number | undefined
  lease: { readonly token: number; readonly until: number } | undefined
  heard: Partial<Record<Status, Heard>>
}

/** The newest callback that claims a status, and when it came. */
interface Heard {
  readonly at: number
  readonly signed: Signed
  readonly body: Body
}

interface SetAside {
  readonly verified: Verified
  readonly at: number
  heardAt: number
}

/** Makes a ledger that is empty. */
export const make: Effect.Effect<Ledger["Service"]> = Effect.gen(function* () {
  /** By method and id: rarely more than one. */
  const rows = new Map<string, Array<Held>>()
  /** Those that are due at some time or leased: few, since most transactions have ended. */
  const open = new Set<Held>()
  const quarantine = new Map<string, Array<SetAside>>()
  const news = yield* Latch.make()
  let leases = 0

  const all = () => [...rows.values()].flat()
  const under = (method: Method, transactionId: string) =>
    rows.get(`${method}/${transactionId}`) ?? []

  const wake = (held: Held, at: number) => {
    held.dueAt = earlier(held.dueAt, at)
    open.add(held)
    news.openUnsafe()
  }

  const find = (kind: Kind, id: string, at: number, by: Row.Finder): Held => {
    const method = methodOf(kind)
    const others = under(method, id)
    const found = Row.find(others, kindOf, kind, by)
    if (found !== undefined) return found
    const row = Row.blank(kind, id, at)
    const made: Held = { row, dueAt: undefined, lease: undefined, heard: {} }
    rows.set(`${method}/${id}`, [...others, made])
    return made
  }

  const setAside = (verified: Verified, at: number): Effect.Effect<Accepted, StoreUnavailable> => {
    const key = `${verified.method}/${verified.signed.transactionId}`
    const kept = quarantine.get(key) ?? []
    const same = kept.find((each) => isSame(each.verified.bytes, verified.bytes))
    if (same !== undefined) {
      same.heardAt = at
      return Effect.succeed({ isNew: false })
    }
    if (kept.length >= mostQuarantined) return Effect.fail(new StoreUnavailable({}))
    quarantine.set(key, [...kept, { verified, at, heardAt: at }])
    return Effect.succeed({ isNew: true })
  }

  const accept = (verified: Verified, claim: Status, at: number): Accepted => {
    const { body, kind, method, secret, signed, ordered, transactionId } = verified
    const held = find(kind, transactionId, at, "callback")
    const { row } = held
    const evidence = Evidence.join(row.evidence, Evidence.claimed(claim))
    const isNew = evidence !== row.evidence
    const isSure = (evidence & Evidence.confirmed(claim)) !== 0
    if (row.kind === method) row.kind = kind
    row.ordered ??= ordered
    row.evidence = evidence
    row.callbacks++
    row.secret = secret
    if (!isSure) row.unconfirmedAt = at
    if (isNew) {
      row.newStatusAt = at
      row.polls = 0
      row.pollAt = undefined
    }
    held.heard[claim] = { at, signed, body }
    if (isNew || !isSure) wake(held, at)
    return { isNew }
  }

  const register = (
    { kind, status, transactionId, ...ordered }: Registration,
    at: number
  ): void => {
    const held = find(kind, transactionId, at, "registration")
    const seen = status === undefined ? Evidence.none : Evidence.confirmed(status)
    const evidence = Evidence.join(held.row.evidence, seen)
    held.row = { ...held.row, kind, evidence, ordered: Row.orderedOf(ordered) ?? held.row.ordered }
    wake(held, at)
  }

  const claim = (options: {
    readonly at: number
    readonly until: number
    readonly limit: number
  }) => {
    const leased = [...open]
      .filter((held) => freeAt(held) <= options.at)
      .toSorted((one, two) => freeAt(one) - freeAt(two))
      .slice(0, options.limit)
      .map((held): Row.Leased => {
        held.lease = { token: ++leases, until: options.until }
        held.dueAt = undefined
        return { ...rowOf(held), lease: held.lease.token, evidenceAtLease: held.row.evidence }
      })
    const next = [...open].reduce((soonest, held) => Math.min(soonest, freeAt(held)), Infinity)
    return { rows: leased, dueAt: Number.isFinite(next) ? next : undefined }
  }

  const write = (
    leased: Row.Leased,
    { release, ifSequence, until, ...change }: Row.Change
  ): Row.Leased | undefined => {
    const others = under(leased.method, leased.transactionId)
    const held = others.find(({ row }) => row.scope === leased.scope)
    if (held === undefined || held.lease?.token !== leased.lease) return undefined
    const { row } = held
    if (ifSequence !== undefined && ifSequence !== row.sequence) return undefined
    const isOvertaken = Evidence.claimedStatuses(row.evidence & ~leased.evidenceAtLease).length > 0
    held.row = {
      ...row,
      ...change,
      evidence: Evidence.join(row.evidence, change.evidence ?? Evidence.none),
      read: Evidence.joinRead(row.read, change.read),
      ...(isOvertaken && { polls: row.polls, pollAt: row.pollAt })
    }
    const isFound = change.kind !== undefined && change.kind !== leased.kind
    const twin = others.find((other) => isFound && other !== held && other.row.kind === change.kind)
    if (twin !== undefined) {
      twin.row = Row.absorb(twin.row, held.row)
      twin.heard = { ...held.heard, ...twin.heard }
      open.delete(held)
      wake(twin, row.newStatusAt)
      rows.set(
        `${row.method}/${row.transactionId}`,
        others.filter((other) => other !== held)
      )
      return undefined
    }
    if (until !== undefined) held.lease = { token: leased.lease, until }
    if (release !== undefined) {
      held.lease = undefined
      held.dueAt = earlier(held.dueAt, release.dueAt)
      if (held.dueAt === undefined) open.delete(held)
      news.openUnsafe()
    }
    return { ...rowOf(held), lease: leased.lease, evidenceAtLease: leased.evidenceAtLease }
  }

  const redrive = (key: Row.Key, at: number): boolean => {
    const found = under(key.method, key.transactionId).filter(
      ({ row }) => row.deadLetter !== undefined && (key.scope ?? row.scope) === row.scope
    )
    for (const held of found) {
      held.row = Row.redriven(held.row, at)
      wake(held, at)
    }
    return found.length > 0
  }

  const forget = ({ before, limit }: { readonly before: number; readonly limit: number }) => {
    const old = all()
      .filter(({ row }) => row.deadLetter === undefined)
      .flatMap((held) =>
        Object.entries(held.heard)
          .filter(([, { at }]) => at < before)
          .map(([status]) => ({ held, status: status as Status }))
      )
      .slice(0, limit)
    for (const { held, status } of old) delete held.heard[status]
    const aside = [...quarantine].flatMap(([key, kept]) =>
      kept.filter(({ heardAt }) => heardAt < before).map((each) => [key, each] as const)
    )
    for (const [key, each] of aside.slice(0, limit)) {
      quarantine.set(key, quarantine.get(key)?.filter((other) => other !== each) ?? [])
    }
    return old.length + Math.min(aside.length, limit)
  }

  return {
    accept: (verified, at) =>
      Effect.suspend(() =>
        verified.claim === undefined
          ? setAside(verified, at)
          : Effect.succeed(accept(verified, verified.claim, at))
      ),
    register: (registration, at) => Effect.sync(() => register(registration, at)),
    claim: (options) => Effect.sync(() => claim(options)),
    write: (leased, change) => Effect.sync(() => write(leased, change)),
    get: (method, id) =>
      Effect.sync(() => {
        const held = Row.find(under(method, id), kindOf, method, "callback")
        return held && rowOf(held)
      }),
    deadLetters: Effect.sync(() =>
      all()
        .map(rowOf)
        .flatMap((row) => (row.deadLetter === undefined ? [] : [{ row, at: row.deadLetter.at }]))
        .toSorted((one, two) => one.at - two.at)
        .map(({ row }) => row)
    ),
    redrive: (key, at) => Effect.sync(() => redrive(key, at)),
    backlog: (at) =>
      Effect.sync(() => {
        const due = [...open].map(freeAt).filter((free) => free <= at)
        return {
          due: due.length,
          oldestDueAt: due.toSorted((one, two) => one - two)[0],
          deadLetters: all().filter(({ row }) => row.deadLetter !== undefined).length
        }
      }),
    forget: (options) => Effect.sync(() => forget(options)),
    quarantined: Effect.sync(() =>
      [...quarantine.values()]
        .flat()
        .toSorted((one, two) => one.at - two.at)
        .map(({ verified }) => verified)
    ),
    awaitWork: Effect.andThen(news.await, Effect.asVoid(news.close)),
    pollInterval: Duration.infinity
  }
})

const kindOf = ({ row }: Held): Kind => row.kind

/** The row as it is now. */
const rowOf = ({ heard, row }: Held): Row.Row => ({
  ...row,
  newestCallbacks: Object.fromEntries(
    Object.entries(heard).map(([status, { body, signed }]) => [
      status,
      { signed, unsigned: unsigned(row.method, body) }
    ])
  )
})

/** When a row may be claimed: when its lease is over, or when it is due. */
const freeAt = ({ dueAt, lease }: Held): number => lease?.until ?? dueAt ?? Infinity

const earlier = (one: number | undefined, two: number | undefined): number | undefined =>
  one === undefined || two === undefined ? (one ?? two) : Math.min(one, two)

const isSame = (one: Uint8Array, two: Uint8Array): boolean =>
  one.length === two.length && one.every((byte, at) => byte === two[at])
