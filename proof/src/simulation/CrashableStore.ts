/**
 * A ledger that outlives its processes, and can be unavailable, slow, or lose its reply. A slow
 * statement takes effect at its end, unless its process dies earlier.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Ledger from "@pawl/webhook/Ledger"
import type { Leased, Registration } from "@pawl/webhook/internal/rule/Row"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { everyCall } from "../EveryCall.ts"
import type { Bug } from "./Bugs.ts"
import type { Nemesis } from "./Nemesis.ts"
import type { Instance } from "./Process.ts"
import type { Trace } from "./Trace.ts"

export const Commit = Context.Reference<(() => void) | undefined>(
  "@pawl/proof/simulation/CrashableStore/Commit",
  { defaultValue: () => undefined }
)

/** An empty ledger in virtual time; `idle` waits until no statement is under way. */
export interface Store {
  readonly ledger: Ledger.Ledger["Service"]
  readonly clock: Clock.Clock
  readonly pass: (duration: number) => Effect.Effect<void>
  readonly idle: Effect.Effect<void>
}

export type MakeStore = Effect.Effect<Store, never, Scope.Scope>

export const memory: MakeStore = Effect.gen(function* () {
  const ledger = Context.get(yield* Layer.build(Layer.fresh(Ledger.layerMemory)), Ledger.Ledger)
  return { ledger, clock: yield* Clock.Clock, pass: TestClock.adjust, idle: Effect.void }
})

/** The store: `connect` is the ledger of one process, with faults; `direct` is without. */
export type CrashableStore = Effect.Success<ReturnType<typeof make>>

/** Work wakes every worker, so none has to poll. */
const pollInterval = Duration.hours(1)

/** More claims at one instant mean a loop without a wait. */
const claimsAtOneInstant = 10_000

/** A time in milliseconds from the start. */
export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * Options of a store. `direct` is its ledger, of which `plant` returns the parts with a bug;
 * `watched` are the times in which the receivers watch for outages.
 */
interface Options {
  readonly direct: Ledger.Ledger["Service"]
  readonly plant: Bug["ledger"] | undefined
  readonly isUnreadable: (transactionId: string) => boolean
  readonly registered: ((registration: Registration) => void) | undefined
  readonly watched: ReadonlyArray<Span> | undefined
}

/** Makes a ledger whose workers read other rows. */
export const readingAs = (
  ledger: Ledger.Ledger["Service"],
  rowOf: (row: Leased) => Leased
): Ledger.Ledger["Service"] => ({
  ...ledger,
  claim: (options) =>
    Effect.map(ledger.claim(options), ({ dueAt, rows }) => ({ dueAt, rows: rows.map(rowOf) })),
  write: (leased, change) => Effect.map(ledger.write(leased, change), (row) => row && rowOf(row))
})

export const make = Effect.fnUntraced(function* (
  nemesis: Nemesis,
  trace: Trace,
  { direct, isUnreadable, plant, registered, watched = [] }: Options
) {
  // The field that cannot be read is left out, as by a database.
  const whole = readingAs(direct, (row) =>
    isUnreadable(row.transactionId) ? { ...row, ordered: undefined, unreadable: "terms" } : row
  )
  const ledger = { ...whole, ...plant?.(whole) }
  const isWatched = watched.length > 0
  let claims = 0
  let lastClaimAt = 0

  const latches = new Set<Latch.Latch>()
  const wakeAll = Effect.sync(() => {
    for (const latch of latches) latch.openUnsafe()
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(ledger.awaitWork, wakeAll)))

  /** In a loop of claims virtual time would stand still. */
  const limitClaims = Effect.suspend(() => {
    claims = lastClaimAt === trace.now() ? claims + 1 : 0
    lastClaimAt = trace.now()
    if (claims < claimsAtOneInstant) return Effect.void
    trace.violation("L1", "rows are claimed in a loop without any wait")
    return Effect.fail(new StoreUnavailable({}))
  })

  /** Far from faults no outage follows and no backlog grows, so the calls of each minute wait. */
  const whileWatched = <A, E>(call: (waited: number) => Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      if (!isWatched) return call(0)
      const now = trace.now()
      const waits = watched.flatMap(({ from, to }) => (to > now ? Math.max(0, from - now) : []))
      const wait = Math.min(...waits)
      if (wait === 0) return call(0)
      return Number.isFinite(wait) ? Effect.delay(call(wait), wait) : Effect.never
    })

  const connect = (instance: Instance): Ledger.Ledger["Service"] => {
    const work = Latch.makeUnsafe()
    latches.add(work)
    const execute = <A, E, R>(statement: Effect.Effect<A, E, R>) =>
      Effect.suspend((): Effect.Effect<A, E | StoreUnavailable, R> => {
        const { kind, until = 0 } = nemesis.strike("store") ?? {}
        if (instance.isDead() || kind === "refused") return Effect.fail(new StoreUnavailable({}))
        const done = Effect.suspend((): Effect.Effect<A, E | StoreUnavailable, R> =>
          instance.isDead() ? Effect.fail(new StoreUnavailable({})) : statement
        )
        if (kind === "slow") return Effect.delay(done, 1000 + (until % 5000))
        return kind === "unanswered"
          ? Effect.andThen(done, Effect.fail(new StoreUnavailable({})))
          : done
      })
    const connected = everyCall(ledger, execute)
    return {
      ...connected,
      register: (operation, at) =>
        execute(
          Effect.tap(ledger.register(operation, at), () =>
            Effect.sync(() => registered?.(operation))
          )
        ),
      claim: (options) => Effect.andThen(limitClaims, connected.claim(options)),
      write: (leased, change) =>
        execute(
          Effect.flatMap(Commit, (commit) =>
            Effect.tap(ledger.write(leased, change), (row) =>
              Effect.sync(() => (row === undefined ? undefined : commit?.()))
            )
          )
        ),
      noteAlive: (at) => whileWatched((waited) => connected.noteAlive(at + waited)),
      backlog: (at) => whileWatched((waited) => connected.backlog(at + waited)),
      awaitWork: Effect.andThen(work.await, Effect.asVoid(work.close)),
      pollInterval: isWatched ? pollInterval : ledger.pollInterval
    }
  }
  return { connect, direct }
})
