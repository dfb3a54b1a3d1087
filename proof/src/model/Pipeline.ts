/** The real pipeline in virtual time: two receivers on one store, recorded as traces. */
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { NotFound, Unreachable } from "@pawl/core/PaymentsError"
import type { Policy } from "@pawl/core/Evidence"
import { Profile, type Switches } from "@pawl/core/Profile"
import type { Status } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Journal from "@pawl/webhook/Journal"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import type { Leased } from "@pawl/webhook/internal/rule/Row"
import * as Verifier from "@pawl/webhook/Verifier"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { MinimumLogLevel } from "effect/References"
import * as Scope from "effect/Scope"
import { secret } from "../rel/FakeService.ts"
import type { SeededRandom } from "../rel/SeededRandom.ts"
import type { Index } from "./State.ts"
import * as Recorder from "./Recorder.ts"
import type { Write } from "./Traces.ts"

/**
 * A bug in the code. `commitsApart`: the effects commit before the told mark. `releasesRunning`: a receiver that
 * stops releases rows whose handler runs.
 */
export interface Bug {
  readonly policy?: Policy
  readonly profile?: Partial<Switches>
  readonly ledger?: (ledger: Ledger.Ledger["Service"]) => Ledger.Ledger["Service"]
  readonly receive?: (
    receive: Receiver.Receiver["Service"]["receive"]
  ) => Receiver.Receiver["Service"]["receive"]
  readonly commitsApart?: boolean
  readonly releasesRunning?: boolean
}

export interface Process {
  readonly receive: (incoming: Verifier.Incoming) => Effect.Effect<Receiver.StatusCode | undefined>
  readonly end: (isKilled: boolean) => Effect.Effect<void>
}

export interface Shared {
  readonly write: Write
  readonly statusOf: (id: string) => Status | undefined
  readonly ledger: Ledger.Ledger["Service"]
  readonly random: SeededRandom
  readonly bug: Bug
}

export const start = Effect.fnUntraced(function* (
  by: Index,
  { bug, ledger, random, statusOf, write }: Shared
) {
  const clock = yield* Clock.Clock
  const process = { isDead: false }
  const scope = yield* Scope.make()
  const leases = new Map<string, Leased>()
  const execute = <A, E>(effect: Effect.Effect<A, E | StoreUnavailable>) =>
    Effect.suspend(() => (process.isDead ? Effect.fail(new StoreUnavailable({})) : effect))
  const connected: Ledger.Ledger["Service"] = {
    ...ledger,
    accept: (verified, at) => execute(ledger.accept(verified, at)),
    claim: (options) =>
      Effect.tap(execute(ledger.claim(options)), ({ rows }) =>
        Effect.sync(() => rows.forEach((row) => leases.set(row.transactionId, row)))
      ),
    write: (leased, change) => {
      if (change.release !== undefined) leases.delete(leased.transactionId)
      return execute(ledger.write(leased, change))
    }
  }
  const recorder = Recorder.make({
    by,
    write,
    isOpen: () => !process.isDead,
    now: () => clock.currentTimeMillisUnsafe()
  })
  const handle = (transition: Handler.Transition) =>
    Effect.gen(function* () {
      recorder.called(transition)
      if (bug.commitsApart === true) {
        yield* Effect.sleep(random.below(3000))
        recorder.committed(transition)
      }
      yield* Effect.sleep(random.isTrue(0.2) ? 40_000 : random.below(4000))
      if (random.isTrue(0.15)) return yield* Effect.fail("not now")
    })
  const handler: Handler.Handler["Service"] = {
    handle,
    ...(bug.commitsApart !== true && {
      commit: (transition, markTold) =>
        Effect.tap(markTold, () => Effect.sync(() => recorder.committed(transition)))
    })
  }
  const reader = StatusReader.of({
    read: (kind, id) =>
      Effect.gen(function* () {
        yield* Effect.sleep(random.below(400))
        if (random.isTrue(0.1))
          return yield* new Unreachable({ reason: "reset", sent: true, attempts: 1 })
        const status = statusOf(id)
        if (status === undefined) return yield* new NotFound({})
        return { kind: kind === "apm" ? ("apm-payment" as const) : kind, status }
      })
  })
  const layer = Receiver.layer({ policy: bug.policy ?? "final" }).pipe(
    Layer.provide(Verifier.layer({ current: Redacted.make(secret) })),
    Layer.provide([
      Layer.succeed(Ledger.Ledger, recorder.ledger(connected)),
      Layer.succeed(Handler.Handler, handler),
      Layer.succeed(StatusReader, reader),
      NodeHmac.layer
    ])
  )
  const inProcess = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.provideService(MinimumLogLevel, "None"),
      Effect.updateService(Profile, (switches) => ({ ...switches, ...bug.profile }))
    )
  const services = yield* inProcess(Layer.buildWithScope(Layer.fresh(layer), scope))
  recorder.observe(Context.get(services, Journal.Journal))
  const { receive } = Context.get(services, Receiver.Receiver)
  const received = bug.receive?.(receive) ?? receive
  const releaseAll = Effect.suspend(() =>
    Effect.forEach(
      [...leases.values()],
      (leased) => Effect.ignore(ledger.write(leased, { release: { dueAt: 0 } })),
      { discard: true }
    )
  )
  const end = Effect.fnUntraced(function* (isKilled: boolean) {
    if (!isKilled) yield* Scope.close(scope, Exit.void)
    process.isDead = true
    recorder.ended()
    if (isKilled) yield* Scope.close(scope, Exit.die("killed"))
    else if (bug.releasesRunning === true) yield* releaseAll
  })
  return {
    receive: (incoming: Verifier.Incoming) =>
      Effect.suspend(() => (process.isDead ? Effect.undefined : inProcess(received(incoming)))),
    end
  } satisfies Process
})
