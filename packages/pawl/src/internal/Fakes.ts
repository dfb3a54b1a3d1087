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
import { openOver } from "../Pawl.ts"
import * as Functions from "./Functions.ts"
import type { TestOptions, TestPawl } from "../testing.ts"
import * as Controls from "./Controls.ts"
import * as OptionTypes from "./OptionTypes.ts"
import { placed } from "./Promised.ts"

/** Waits of a minute or more hold no process, so a test that fails before it closes its `Pawl` ends. */
const clock = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (real) => {
    const sleep = (duration: Duration.Duration): Effect.Effect<void> =>
      Duration.isLessThan(duration, Duration.minutes(1))
        ? real.sleep(duration)
        : Effect.callback((resume) => {
            const clear = wait(Duration.toMillis(duration), () => resume(Effect.void))
            return Effect.sync(clear)
          })
    return Object.assign(Object.create(real) as Clock.Clock, { sleep })
  })
)

/** A timer has 31 bits; the virtual clock reads the time when it wakes, and sleeps again. */
const wait = (millis: number, wake: () => void) => {
  // @effect-diagnostics-next-line globalTimers:off
  const timer = setTimeout(wake, Math.min(millis, 2 ** 31 - 1)).unref()
  return () => clearTimeout(timer)
}

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

export const open = (options: TestOptions): Promise<TestPawl> =>
  Effect.runPromise(OptionTypes.check(options, names))
    .then(() => Effect.runPromise(Controls.check(options.fake ?? {}, ofFake)))
    .then(() => start(options))
    .catch((error: unknown) => {
      throw placed(error, new Error(""))
    })

const start = (options: TestOptions): Promise<TestPawl> => {
  const runtime = ManagedRuntime.make(
    Fake.layer(options.fake).pipe(
      Layer.provideMerge(Layer.provide(VirtualClock.layer(), clock)),
      Layer.provide(Functions.references(options))
    )
  )
  const transitions: Array<Transition> = []
  const onChange = (transition: Transition) => {
    transitions.push(transition)
    return options.onChange?.(transition)
  }
  return runtime.runPromise(Effect.context<TestServices>()).then((context) => {
    const { outside } = Context.get(context, VirtualClock.VirtualClock)
    const { deliverTo } = Context.get(context, Fake.Fake)
    const { publicUrl = "https://shop.example", store = "memory" } = options
    const merchantSecret = Redacted.value(options.fake?.merchantSecret ?? Controls.merchantSecret)
    const settings = { merchantSecret, publicUrl, store, onChange }
    return openOver(
      Layer.succeedContext(context),
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
