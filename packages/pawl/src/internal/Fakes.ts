/**
 * A `Pawl` over the fake of `@pawl/testkit`.
 */
import type { Transition } from "@pawl/core/Handler"
import type * as Client from "@pawl/http/Pawl"
import * as Fake from "@pawl/testkit/Fake"
import type { Faults } from "@pawl/testkit/Faults"
import type { Gateway } from "@pawl/testkit/Gateway"
import * as VirtualClock from "@pawl/testkit/VirtualClock"
import { Receiver } from "@pawl/webhook/Receiver"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Scheduler from "effect/Scheduler"
import type * as timers from "node:timers"
import { openOver } from "../Pawl.ts"
import * as Functions from "./Functions.ts"
import type { TestOptions, TestPawl } from "../testing.ts"
import * as Controls from "./Controls.ts"
import * as OptionTypes from "./OptionTypes.ts"
import { placed } from "./Promised.ts"

type Timers = Pick<typeof timers, "clearImmediate" | "clearTimeout" | "setImmediate" | "setTimeout">

/** Waits of a minute or more hold no process, so a test that fails before it closes its `Pawl` ends. */
const clockOf = ({ clearTimeout, setTimeout }: Timers) =>
  Layer.effect(
    Clock.Clock,
    Effect.map(Clock.Clock, (real) => {
      const sleep = (duration: Duration.Duration): Effect.Effect<void> =>
        Effect.callback((resume) => {
          const millis = Duration.toMillis(duration)
          // A timer has 31 bits; the virtual clock reads the time when it wakes, and sleeps again.
          const timer = setTimeout(() => resume(Effect.void), Math.min(millis, 2 ** 31 - 1))
          if (millis >= 60_000) timer.unref()
          return Effect.sync(() => clearTimeout(timer))
        })
      return Object.assign(Object.create(real) as Clock.Clock, { sleep })
    })
  )

const schedulerOf = ({ clearImmediate, setImmediate }: Timers) =>
  new Scheduler.MixedScheduler("async", (task) => {
    const immediate = setImmediate(task)
    return () => clearImmediate(immediate)
  })

type TestServices = Client.Services | VirtualClock.VirtualClock | Gateway | Faults | Fake.Fake

const names: OptionTypes.Names = {
  text: "store publicUrl callbackPath",
  function: "onChange rebuild",
  logger: "logger",
  profile: "profile",
  object: "fake"
}

const ofFake: OptionTypes.Names = {
  ...Controls.settings,
  text: `${Controls.settings.text} merchantKey`,
  object: "behaviour",
  ignored: "merchantSecret"
}

/** Opens a `Pawl` that runs on these timers, also while the test replaces the global ones. */
export const open = (options: TestOptions, real: Timers): Promise<TestPawl> =>
  Effect.runPromise(OptionTypes.check(options, names))
    .then(() => Effect.runPromise(Controls.check(options.fake ?? {}, ofFake)))
    .then(() => start(options, real))
    .catch((error: unknown) => {
      throw placed(error, new Error(""))
    })

const start = (options: TestOptions, real: Timers): Promise<TestPawl> => {
  const scheduler = schedulerOf(real)
  const beneath = Layer.merge(clockOf(real), Layer.succeed(Scheduler.Scheduler, scheduler))
  const runtime = ManagedRuntime.make(
    Fake.layer(options.fake).pipe(
      Layer.provideMerge(Layer.provide(VirtualClock.layer(), beneath)),
      Layer.provide(Functions.references(options))
    )
  )
  const transitions: Array<Transition> = []
  const onChange = (transition: Transition) => {
    transitions.push(transition)
    return options.onChange?.(transition)
  }
  return runtime.runPromise(Effect.context<TestServices>(), { scheduler }).then((context) => {
    const { outside } = Context.get(context, VirtualClock.VirtualClock)
    const { deliverTo } = Context.get(context, Fake.Fake)
    const { publicUrl = "https://shop.example", store = "memory" } = options
    const merchantSecret = Redacted.value(options.fake?.merchantSecret ?? Controls.merchantSecret)
    const settings = { merchantSecret, publicUrl, store, onChange }
    return openOver(
      () => Layer.succeedContext(context),
      { ...options, ...settings },
      { outside, opened: (opened) => deliverTo(Context.get(opened, Receiver).receive) }
    ).then((pawl) => {
      const close = () => pawl.close().then(() => runtime.dispose())
      return {
        ...pawl,
        ...Controls.make(context),
        transitions,
        close,
        [Symbol.asyncDispose]: close
      }
    })
  })
}
