/**
 * Runs the effects of a door over its receiver, which the first effect builds.
 *
 * **Details**
 *
 * A build that fails is logged, and its effects fail. The first effect that comes a second later builds the receiver again, so
 * a database that was down at the first callback does not matter for longer. A `ManagedRuntime` keeps a failed build for
 * ever, so each build has its own. The layer releases what it has acquired when its build fails.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Receiver } from "../../Receiver.ts"
import type { Run } from "./Door.ts"

/** The time between a failed build and the next one. */
const buildGap = Duration.toNanosUnsafe(Duration.seconds(1))

/** Makes the functions of a door: `run` runs an effect, `start` builds the receiver, and `dispose` ends it. */
export const make = <E>(layer: Layer.Layer<Receiver, E>) => {
  let isDisposed = false
  /** The time from which the receiver may be built again. It is undefined unless the last build failed. */
  let nextBuildAt: bigint | undefined

  const failed = Effect.fnUntraced(function* (cause: Cause.Cause<E>) {
    if (Cause.hasInterruptsOnly(cause)) return
    nextBuildAt = (yield* Clock.monotonicTimeNanos) + buildGap
    yield* Effect.logError(notBuilt, cause)
  })
  const open = () => ManagedRuntime.make(Layer.tapCause(layer, failed))
  let runtime = open()

  const current = () => {
    if (nextBuildAt === undefined || isDisposed) return runtime
    if (Effect.runSync(Clock.monotonicTimeNanos) < nextBuildAt) return runtime
    nextBuildAt = undefined
    runtime = open()
    return runtime
  }
  const run: Run = (effect) => current().runFork(effect)
  return {
    run,
    start: (): Promise<void> => current().runPromise(Effect.void),
    dispose: (): Promise<void> => {
      isDisposed = true
      return runtime.dispose()
    }
  }
}

const notBuilt =
  "The receiver cannot be built, so callbacks are answered with 503. It is built again for the first callback after a second"
