/** The receivers on a shared store. */
import * as Handler from "@pawl/core/Handler"
import { Hmac } from "@pawl/core/Hmac"
import { Profile } from "@pawl/core/Profile"
import { StatusReader } from "@pawl/core/StatusReader"
import type { Transport } from "@pawl/http/Transport"
import * as Journal from "@pawl/webhook/Journal"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import type { Leased } from "@pawl/webhook/internal/rule/Row"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { watching } from "@pawl/test-support/Leases"
import * as Client from "./Client.ts"
import { Commit } from "./CrashableStore.ts"
import type { Parts } from "./Network.ts"
import type { Instance, ReceiverName } from "./Observer.ts"
import type { Operation } from "./Plan.ts"
import * as Process from "./Process.ts"
import type { CallEnd } from "./TurnChecker.ts"

interface Options extends Parts {
  readonly name: ReceiverName
  readonly transport: Transport["Service"]
  readonly handlerActionsOf: (transactionId: string) => Operation["handlerActions"]
}

export const make = Effect.fnUntraced(function* (options: Options) {
  const { bug, checker, name, nemesis, observer, plan, store, trace } = options
  const hmac = yield* Hmac
  const calls = new Map<string, number>()

  const handlerOf = (observed: Instance | undefined): Handler.Handler["Service"] => {
    const commit = (transition: Handler.Transition) => {
      trace.note(`${name} commits ${transition.to} of ${transition.transactionId}`)
      checker.committed(transition)
      observed?.committed(transition)
    }
    const handle = (transition: Handler.Transition) =>
      Effect.suspend(() => {
        const { attempt, to, transactionId } = transition
        trace.note(`${name} calls the handler for ${to} of ${transactionId}, attempt ${attempt}`)
        const ended = checker.called(name, transition)
        observed?.called(transition)
        if (bug.commitsApart === true) commit(transition)
        if (trace.now() >= plan.quietAt) return Effect.sync(() => ended("accepted"))
        const actions = options.handlerActionsOf(transactionId)
        const call = calls.get(transactionId) ?? 0
        calls.set(transactionId, call + 1)
        const action =
          actions[call] ?? (actions.at(-1) === "fails for days" ? "fails for days" : "accepts")
        trace.mark(`the handler ${action}`)
        return Effect.onExit(acts[action], (exit) => Effect.sync(() => ended(endOf(action, exit))))
      })
    return {
      handle,
      ...(bug.commitsApart !== true && {
        commit: (transition, markTold) =>
          Effect.provideService(markTold, Commit, () => commit(transition))
      })
    }
  }

  const watched = ({ read }: StatusReader["Service"]): StatusReader["Service"] => ({
    read: (kind, id) =>
      Effect.suspend(() => {
        const ended = checker.reading(id)
        return Effect.ensuring(read(kind, id), Effect.sync(ended))
      })
  })

  return Process.make((instance) =>
    Effect.gen(function* () {
      options.clientChecker.started(name)
      const observed = observer?.started(name, instance.isDead)
      // Added first, so the instance does it last.
      yield* Effect.addFinalizer(() => Effect.sync(() => observed?.ended()))
      const connected = store.connect(instance)
      const { leases, port } = watching(connected)
      const noting = { ...connected, ...port }
      const ledger = Layer.succeed(Ledger.Ledger, observed?.ledger(noting) ?? noting)
      const reader = Layer.effect(StatusReader, Effect.map(StatusReader, watched)).pipe(
        Layer.provide(Client.layer(options.transport))
      )
      const layer = Receiver.layer({
        policy: bug.policy ?? plan.policy ?? "final",
        limits: { readsPerSecond: Infinity }
      }).pipe(
        Layer.provide(Verifier.layer({ current: Redacted.make(Client.secret) })),
        Layer.provide(Layer.succeed(Handler.Handler, handlerOf(observed))),
        Layer.provide([ledger, reader])
      )
      const services = yield* Effect.orDie(Layer.build(Layer.fresh(layer)))
      if (bug.releasesRunning === true) {
        const released = (leased: Leased) =>
          Effect.ignore(connected.write(leased, { release: { dueAt: 0 } }))
        yield* Effect.addFinalizer((exit) =>
          Exit.isSuccess(exit) ? Effect.forEach(leases.values(), released) : Effect.void
        )
      }
      observed?.observe(Context.get(services, Journal.Journal))
      const { receive } = Context.get(services, Receiver.Receiver)
      const context = yield* Effect.context()
      const receiveOrBug = bug.receive?.(receive, Client.secret) ?? receive
      return (incoming: Verifier.Incoming) =>
        instance.run(Effect.provide(receiveOrBug(incoming), context))
    }).pipe(
      Effect.provideService(Hmac, hmac),
      Effect.provideService(Clock.Clock, nemesis.clock(name)),
      Effect.provideServiceEffect(
        Random.Random,
        Random.withSeed(Random.Random, `${plan.seed} ${name} ${instance.number}`)
      ),
      Effect.updateService(Profile, (switches) => ({ ...switches, ...bug.profile }))
    )
  )
})

/** A handler that interrupts itself has failed. */
const endOf = (
  action: Operation["handlerActions"][number],
  exit: Exit.Exit<void, string>
): CallEnd => {
  if (Exit.isSuccess(exit)) return "accepted"
  const isInterrupted = action !== "interrupts itself" && Cause.hasInterruptsOnly(exit.cause)
  return isInterrupted ? "interrupted" : "failed"
}

const acts: Readonly<Record<Operation["handlerActions"][number], Effect.Effect<void, string>>> = {
  accepts: Effect.sleep("2 seconds"),
  fails: Effect.delay(Effect.fail("not now"), 20),
  "fails for days": Effect.delay(Effect.fail("not now"), 20),
  dies: Effect.die("bug"),
  "interrupts itself": Effect.interrupt,
  "is slow": Effect.sleep("95 seconds"),
  "never ends": Effect.never
}
