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
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
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

/** More claims at one instant mean a loop without any wait. */
const claimsAtOneInstant = 10_000

/** Makes an empty store. `plant` replaces its ledger by one with a bug. */
export const make = Effect.fnUntraced(function* (
  nemesis: Nemesis,
  trace: Trace,
  plant: (ledger: Ledger.Ledger["Service"]) => Ledger.Ledger["Service"] = (ledger) => ledger
): Effect.fn.Return<CrashableStore, never, Scope.Scope> {
  const direct = Context.get(yield* Layer.build(Layer.fresh(Ledger.layerMemory)), Ledger.Ledger)
  const ledger = plant(direct)
  let claims = 0
  let lastClaimAt = 0

  /** Ends a loop of claims, because virtual time stands still during it and the simulation would hang. */
  const limitClaims = Effect.suspend(() => {
    claims = lastClaimAt === trace.now() ? claims + 1 : 0
    lastClaimAt = trace.now()
    if (claims < claimsAtOneInstant) return Effect.void
    trace.violation("L1", "rows are claimed in a loop without any wait")
    return Effect.fail(new StoreUnavailable({}))
  })

  const connect = (instance: Instance): Ledger.Ledger["Service"] => {
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
      register: (operation, at) => execute(ledger.register(operation, at)),
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
      redrive: (key, at) => execute(ledger.redrive(key, at)),
      redriveAll: (options) => execute(ledger.redriveAll(options)),
      backlog: (at) => execute(ledger.backlog(at)),
      deleteBodies: (options) => execute(ledger.deleteBodies(options)),
      quarantined: execute(ledger.quarantined),
      shift: (options) => execute(ledger.shift(options)),
      awaitWork: ledger.awaitWork,
      pollInterval: ledger.pollInterval
    }
  }
  return { connect, direct }
})
