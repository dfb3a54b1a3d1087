/**
 * A store that outlives the processes on it, and fails: down, slow, or silent about what it did.
 *
 * **Details**
 *
 * A statement that takes its time is done at the end of it, so it is lost when its process dies before. Nothing of a dead
 * process is done any more; its leases stay until they are over.
 *
 * @since 0.1.0
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Nemesis } from "./Nemesis.ts"
import type { Life } from "./Process.ts"
import type { Trace } from "./Trace.ts"

/**
 * Reference to what commits in one transaction with a write that marks something told.
 *
 * @category references
 * @since 0.1.0
 */
export const Commit = Context.Reference<(() => void) | undefined>(
  "@pawl/testkit/internal/simulation/Commit",
  { defaultValue: () => undefined }
)

/**
 * The store: as a process finds it, and as it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface CrashableStore {
  readonly seenBy: (life: Life) => Ledger.Ledger["Service"]
  readonly asItIs: Ledger.Ledger["Service"]
}

/** So many claims at one instant are no work. */
const endless = 10_000

/**
 * Makes a store that is empty. `flawed` replaces it by one with a bug in it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (
  nemesis: Nemesis,
  trace: Trace,
  flawed: (ledger: Ledger.Ledger["Service"]) => Ledger.Ledger["Service"] = (ledger) => ledger
): Effect.fn.Return<CrashableStore, never, Scope.Scope> {
  const asItIs = Context.get(yield* Layer.build(Layer.fresh(Ledger.layerMemory)), Ledger.Ledger)
  const kept = flawed(asItIs)
  let claims = 0
  let asked = 0

  /** Who asks for work without end finds time standing still: that would hang us, too. */
  const notForEver = Effect.suspend(() => {
    claims = asked === trace.now() ? claims + 1 : 0
    asked = trace.now()
    if (claims < endless) return Effect.void
    trace.breaks("L1", "the ledger is asked for work without end")
    return Effect.fail(new StoreUnavailable({}))
  })

  const seenBy = (life: Life): Ledger.Ledger["Service"] => {
    const ask = <A>(statement: Effect.Effect<A, StoreUnavailable>) =>
      Effect.suspend(() => {
        const { until = 0, what } = nemesis.strike("store") ?? {}
        if (life.isDead() || what === "refused") return Effect.fail(new StoreUnavailable({}))
        const done = Effect.suspend(() =>
          life.isDead() ? Effect.fail(new StoreUnavailable({})) : statement
        )
        if (what === "slow") return Effect.delay(done, 1000 + (until % 5000))
        return what === "unanswered"
          ? Effect.andThen(done, Effect.fail(new StoreUnavailable({})))
          : done
      })
    return {
      accept: (verified, at) => ask(kept.accept(verified, at)),
      register: (operation, at) => ask(kept.register(operation, at)),
      claim: (wanted) => Effect.andThen(notForEver, ask(kept.claim(wanted))),
      write: (leased, change) =>
        ask(
          Effect.flatMap(Commit, (commit) =>
            Effect.tap(kept.write(leased, change), (row) =>
              Effect.sync(() => (row === undefined ? undefined : commit?.()))
            )
          )
        ),
      get: (method, id) => ask(kept.get(method, id)),
      deadLetters: ask(kept.deadLetters),
      redrive: (key, at) => ask(kept.redrive(key, at)),
      backlog: (at) => ask(kept.backlog(at)),
      forget: (options) => ask(kept.forget(options)),
      quarantined: ask(kept.quarantined),
      awaitWork: kept.awaitWork,
      pollInterval: kept.pollInterval
    }
  }
  return { seenBy, asItIs }
})
