import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Metric from "effect/Metric"
import { counter } from "../rule/Counters.ts"
import type { Receiver, StatusCode } from "../../Receiver.ts"
import { maxBytes } from "../../VerifyCallback.ts"
import { BodyBuffer } from "@pawl/core/internal/BodyBuffer"

export const searchOf = (url: string): string => url.replace(/[^?]*/u, "")

export const pathOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/?#]*|[?#].*/giu, "")

export const emptyBody = new Uint8Array()

/** Stands for a body that is too large or has too many chunks. */
export const tooLargeBody = new Uint8Array(maxBytes + 1)

const noHeaders: Readonly<Record<string, string>> = {}
const allowPost: Readonly<Record<string, string>> = { allow: "POST" }

export const responseHeaders = (status: StatusCode): Readonly<Record<string, string>> =>
  status === 405 ? allowPost : noHeaders

export type Run = <A>(effect: Effect.Effect<A, never, Receiver>) => Fiber.Fiber<A, unknown>

/** Returns the status code of an exit, and logs a defect of the receiver. */
export const statusOf = (exit: Exit.Exit<StatusCode, unknown>, run: Run): StatusCode => {
  if (Exit.isSuccess(exit)) return exit.value
  if (!Cause.hasInterruptsOnly(exit.cause)) run(Effect.logError(defect, exit.cause))
  return 503
}

const defect = "A callback was answered with 503, because the receiver ended with a defect"

export const bodyAlreadyRead =
  "Other code read the body of a callback before the receiver: put the receiver before body parsers such as express.json(), or have the parser keep the bytes in rawBody"

const buildGap = Duration.toNanosUnsafe(Duration.seconds(1))

/**
 * Makes the functions of a door over the receiver of a layer.
 *
 * The first effect a second after a failed build builds the receiver again. Each build has its own
 * `ManagedRuntime`, because that keeps a failed build for ever.
 */
export const make = <E>(layer: Layer.Layer<Receiver, E>) => {
  let isDisposed = false
  let nextBuildAt: bigint | undefined

  const failed = Effect.fnUntraced(function* (cause: Cause.Cause<E>) {
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

/** Writes of 16 bytes still send 64 KiB. */
const maxChunks = 4096
const maxHeldBytes = 32 * 1024 * 1024

/** Counted apart from refused callbacks, whose 503 says that the store cannot be written. */
export const countGivenUp: Effect.Effect<void> = /* @__PURE__ */ Metric.update(
  /* @__PURE__ */ counter(
    "bodies.given_up",
    "Bodies that were answered 503 before their end, because all together were too large"
  ),
  1
)

export interface Body {
  /** Adds a chunk; returns false if the body is too large, has too many chunks, or was given up. */
  readonly add: (chunk: Uint8Array) => boolean
  /** Ends reading; the bytes count until `release`. */
  readonly complete: () => Uint8Array
  readonly release: () => void
  readonly abandon: () => void
}

export const makeBodies = (maxHeld: number = maxHeldBytes) => {
  const reading = new Set<{ readonly giveUp: () => void }>()
  let held = 0

  return (onGivenUp: () => void): Body => {
    let buffer: BodyBuffer | undefined = new BodyBuffer(maxBytes, maxChunks)
    let size = 0
    const release = () => {
      reading.delete(entry)
      buffer = undefined
      held -= size
      size = 0
    }
    const entry = {
      giveUp: () => {
        release()
        onGivenUp()
      }
    }
    reading.add(entry)
    return {
      add: (chunk) => {
        if (buffer?.add(chunk) !== true) {
          release()
          return false
        }
        size += chunk.length
        held += chunk.length
        for (const oldest of reading) {
          if (held <= maxHeld) break
          oldest.giveUp()
        }
        return buffer !== undefined
      },
      complete: () => {
        reading.delete(entry)
        return buffer?.bytes ?? new Uint8Array()
      },
      release,
      abandon: () => {
        if (reading.has(entry)) release()
      }
    }
  }
}
