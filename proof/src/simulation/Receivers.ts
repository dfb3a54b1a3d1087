/**
 * The receivers: the very code that is deployed, over a store that they share.
 *
 * @since 0.1.0
 */
import * as Handler from "@pawl/core/Handler"
import type { Transition } from "@pawl/core/Handler"
import { Hmac } from "@pawl/core/Hmac"
import { Profile } from "@pawl/core/Profile"
import type { Transport } from "@pawl/http/Transport"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import type { Bug } from "./Bugs.ts"
import { Commit, type CrashableStore } from "./CrashableStore.ts"
import * as Client from "./Client.ts"
import type { ClientJudge } from "./ClientJudge.ts"
import type { Nemesis } from "./Nemesis.ts"
import type { Receive } from "./Network.ts"
import type { Operation } from "./Plan.ts"
import * as Process from "./Process.ts"
import type { ReceiverJudge } from "./ReceiverJudge.ts"
import type { Trace } from "./Trace.ts"

/**
 * What a receiver is made of. `deedsOf` is what its handler does about a transaction, call by call.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly name: "receiver 1" | "receiver 2"
  readonly seed: number
  readonly bug: Bug
  readonly store: CrashableStore
  readonly nemesis: Nemesis
  readonly judge: ReceiverJudge
  readonly trace: Trace
  readonly transport: Transport["Service"]
  readonly deedsOf: (transactionId: string) => Operation["deeds"]
  readonly quietAt: number
  readonly client: ClientJudge
}

/**
 * Makes a receiver. It is down until it is started.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Process.Process<Receive>, never, Hmac> {
  const { bug, judge, name, nemesis, seed, store, trace } = options
  const hmac = yield* Hmac
  const calls = new Map<string, number>()

  const handle = (transition: Transition) =>
    Effect.suspend(() => {
      const { attempt, to, transactionId } = transition
      trace.note(`${name} calls the handler for ${to} of ${transactionId}, attempt ${attempt}`)
      judge.called(transition)
      if (trace.now() >= options.quietAt) return Effect.void
      const deeds = options.deedsOf(transactionId)
      const made = calls.get(transactionId) ?? 0
      calls.set(transactionId, made + 1)
      const deed = deeds[made] ?? (deeds.at(-1) === "fails for days" ? "fails for days" : "takes")
      trace.mark(`the handler ${deed}`)
      return behave(deed)
    })

  const commit = (transition: Transition) => () => {
    trace.note(`${name} commits ${transition.to} of ${transition.transactionId}`)
    judge.committed(transition)
  }

  const handler: Handler.Handler["Service"] =
    bug.commitsApart === true
      ? {
          handle: (transition) =>
            Effect.tap(handle(transition), () => Effect.sync(commit(transition)))
        }
      : {
          handle,
          settle: (transition, told) => Effect.provideService(told, Commit, commit(transition))
        }

  return Process.make((life) =>
    Effect.gen(function* () {
      options.client.started(name)
      const ledger = Layer.succeed(Ledger.Ledger, store.seenBy(life))
      const layer = Receiver.layer({ policy: bug.policy ?? "final" }).pipe(
        Layer.provide(Verifier.layer({ current: Redacted.make(Client.secret) })),
        Layer.provide(Layer.succeed(Handler.Handler, handler)),
        Layer.provide([ledger, Client.layer(options.transport)])
      )
      const built = yield* Effect.orDie(Layer.build(Layer.fresh(layer)))
      const { receive } = Context.get(built, Receiver.Receiver)
      const own = yield* Effect.context()
      const flawed = bug.receive?.(receive) ?? receive
      return (incoming: Verifier.Incoming) => life.carry(Effect.provide(flawed(incoming), own))
    }).pipe(
      Effect.provideService(Hmac, hmac),
      Effect.provideService(Clock.Clock, nemesis.clock(name)),
      Effect.provideServiceEffect(
        Random.Random,
        Random.withSeed(Random.Random, `${seed} ${name} ${life.number}`)
      ),
      Effect.updateService(Profile, (switches) => ({ ...switches, ...bug.profile }))
    )
  )
})

const behave = (deed: Operation["deeds"][number]): Effect.Effect<void, string> => {
  switch (deed) {
    case "takes":
      return Effect.sleep("2 seconds")
    case "fails":
    case "fails for days":
      return Effect.delay(Effect.fail("not now"), 20)
    case "dies":
      return Effect.die("bug")
    case "interrupts itself":
      return Effect.interrupt
    case "is slow":
      return Effect.sleep("95 seconds")
    case "never ends":
      return Effect.never
  }
}
