/**
 * A ledger that outlives the processes on it, and can be unavailable, slow, or lose its reply.
 *
 * **Details**
 *
 * A slow statement takes effect at its end, so it is lost when its process dies before that. Statements of a dead process
 * are refused. The leases of a dead process stay until they end.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Ledger from "@pawl/webhook/Ledger"
import type { Leased, Registration } from "@pawl/webhook/internal/rule/Row"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Nemesis } from "./Nemesis.ts"
import type { Instance } from "./Process.ts"
import type { Trace } from "./Trace.ts"

/** Reference to the effects of the handler that commit in one transaction with the write that marks a status told. */
export const Commit = Context.Reference<(() => void) | undefined>(
  "@pawl/proof/simulation/CrashableStore/Commit",
  { defaultValue: () => undefined }
)

/** The store: `connect` is the ledger of one instance of a process, with faults; `direct` is the ledger without faults. */
export interface CrashableStore {
  readonly connect: (instance: Instance) => Ledger.Ledger["Service"]
  readonly direct: Ledger.Ledger["Service"]
}

/** With this the receivers watch for outages. Work wakes every worker, so none has to look for it. */
const pollInterval = Duration.hours(1)

/** More claims at one instant mean a loop without any wait. */
const claimsAtOneInstant = 10_000

/**
 * Options of a store.
 *
 * - `plant`: replaces its ledger by one with a bug.
 * - `isUnreadable`: tells whether a stored field of a transaction cannot be read now.
 * - `registered`: is called with each registration that takes effect.
 * - `watchedUntil`: the time until which the receivers watch for outages; they do not without it.
 */
interface Options {
  readonly plant: ((ledger: Ledger.Ledger["Service"]) => Ledger.Ledger["Service"]) | undefined
  readonly isUnreadable: (transactionId: string) => boolean
  readonly registered: (registration: Registration) => void
  readonly watchedUntil: number | undefined
}

/** A ledger that leaves the field of a row out that cannot be read, as a ledger in a database does. */
const withUnreadable = (
  ledger: Ledger.Ledger["Service"],
  isUnreadable: Options["isUnreadable"]
): Ledger.Ledger["Service"] => {
  const read = (row: Leased): Leased =>
    isUnreadable(row.transactionId) ? { ...row, ordered: undefined, unreadable: "terms" } : row
  return {
    ...ledger,
    claim: (options) =>
      Effect.map(ledger.claim(options), ({ dueAt, rows }) => ({ dueAt, rows: rows.map(read) })),
    write: (leased, change) => Effect.map(ledger.write(leased, change), (row) => row && read(row))
  }
}

/** Makes an empty store. */
export const make = Effect.fnUntraced(function* (
  nemesis: Nemesis,
  trace: Trace,
  { isUnreadable, plant = (ledger) => ledger, registered, watchedUntil = -Infinity }: Options
): Effect.fn.Return<CrashableStore, never, Scope.Scope> {
  const direct = Context.get(yield* Layer.build(Layer.fresh(Ledger.layerMemory)), Ledger.Ledger)
  const ledger = plant(withUnreadable(direct, isUnreadable))
  const isWatched = watchedUntil > 0
  let claims = 0
  let lastClaimAt = 0

  /** Work wakes the worker of each process, and not only that of the process that waits first. */
  const latches = new Set<Latch.Latch>()
  const wakeAll = Effect.sync(() => {
    for (const latch of latches) latch.openUnsafe()
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(ledger.awaitWork, wakeAll)))

  /** Ends a loop of claims, because virtual time stands still during it and the simulation would hang. */
  const limitClaims = Effect.suspend(() => {
    claims = lastClaimAt === trace.now() ? claims + 1 : 0
    lastClaimAt = trace.now()
    if (claims < claimsAtOneInstant) return Effect.void
    trace.violation("L1", "rows are claimed in a loop without any wait")
    return Effect.fail(new StoreUnavailable({}))
  })

  const connect = (instance: Instance): Ledger.Ledger["Service"] => {
    const work = Latch.makeUnsafe()
    latches.add(work)
    const execute = <A, E>(statement: Effect.Effect<A, StoreUnavailable | E>) =>
      Effect.suspend(() => {
        const { kind, until = 0 } = nemesis.strike("store") ?? {}
        if (instance.isDead() || kind === "refused") return Effect.fail(new StoreUnavailable({}))
        const done = Effect.suspend(() =>
          instance.isDead() ? Effect.fail(new StoreUnavailable({})) : statement
        )
        if (kind === "slow") return Effect.delay(done, 1000 + (until % 5000))
        return kind === "unanswered"
          ? Effect.andThen(done, Effect.fail(new StoreUnavailable({})))
          : done
      })
    return {
      accept: (verified, at) => execute(ledger.accept(verified, at)),
      register: (operation, at) =>
        execute(
          Effect.tap(ledger.register(operation, at), () => Effect.sync(() => registered(operation)))
        ),
      claim: (options) => Effect.andThen(limitClaims, execute(ledger.claim(options))),
      write: (leased, change) =>
        execute(
          Effect.flatMap(Commit, (commit) =>
            Effect.tap(ledger.write(leased, change), (row) =>
              Effect.sync(() => (row === undefined ? undefined : commit?.()))
            )
          )
        ),
      get: (method, id) => execute(ledger.get(method, id)),
      body: (key, status) => execute(ledger.body(key, status)),
      deadLetters: (page) => execute(ledger.deadLetters(page)),
      story: (method, id) => execute(ledger.story(method, id)),
      page: (options) => execute(ledger.page(options)),
      redrive: (key, at, note) => execute(ledger.redrive(key, at, note)),
      redriveAll: (options) => execute(ledger.redriveAll(options)),
      backlog: (at) => execute(ledger.backlog(at)),
      deleteBodies: (options) => execute(ledger.deleteBodies(options)),
      erase: (...of) => execute(ledger.erase(...of)),
      deleteOld: (options) => execute(ledger.deleteOld(options)),
      compact: execute(ledger.compact),
      quarantined: execute(ledger.quarantined),
      reserveReads: (wanted, at) => execute(ledger.reserveReads(wanted, at)),
      lowerReads: (by, at) => execute(ledger.lowerReads(by, at)),
      shift: (options) => execute(ledger.shift(options)),
      // In the quiet time the watch rests, because it wakes every minute and no outage follows.
      noteAlive: (at) =>
        isWatched && trace.now() >= watchedUntil ? Effect.never : execute(ledger.noteAlive(at)),
      takeOwner: (account) => execute(ledger.takeOwner(account)),
      lastAliveAt: execute(ledger.lastAliveAt),
      checkWritable: execute(ledger.checkWritable),
      bringForward: (page) => execute(ledger.bringForward(page)),
      awaitWork: Effect.andThen(work.await, Effect.asVoid(work.close)),
      pollInterval: isWatched ? pollInterval : ledger.pollInterval
    }
  }
  return { connect, direct }
})
