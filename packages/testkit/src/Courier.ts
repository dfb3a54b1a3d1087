/**
 * Delivers the gateway's callbacks: as the spec says, and as networks do.
 *
 * **Details**
 *
 * A callback is a POST with the header `X-Checksum`, to the URL of the request with the routing
 * parameters appended (`spec.md`, "Events"). It is delivered when the answer is 2xx within 10 seconds.
 * Otherwise it is tried again 2, 4, 8, 16 and 32 minutes after the previous try, each callback on a
 * ladder of its own, and then dropped. Redirects are not followed.
 *
 * A transaction's `Manner` makes the network worse: callbacks set out twice, out of order, late, not at
 * all, or with a forgery beside them.
 *
 * **Gotchas**
 *
 * `layer` posts to this machine only; what would go elsewhere is logged as `refused`.
 *
 * @since 0.1.0
 */
import type { Body, Signed } from "@pawl/core/Callback"
import type { Hmac } from "@pawl/core/Hmac"
import type { Status } from "@pawl/core/Status"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { GatewayConfig } from "./GatewayConfig.ts"
import * as Posting from "./internal/Posting.ts"
import type { Manner } from "./Scenario.ts"

/**
 * Service that delivers callbacks and logs every try.
 *
 * **Details**
 *
 * `send` returns at once; the callback travels on its own. `deliveries` is the log so far, in the
 * order of the answers, and `changes` emits each try from now on. `reset` forgets the log and
 * everything under way.
 *
 * @category services
 * @since 0.1.0
 */
export class Courier extends Context.Service<
  Courier,
  {
    readonly send: (callback: Callback) => Effect.Effect<void>
    readonly deliveries: Effect.Effect<ReadonlyArray<Delivery>>
    readonly changes: Stream.Stream<Delivery>
    readonly reset: Effect.Effect<void>
  }
>()("@pawl/testkit/Courier") {}

/**
 * A callback, but for the status it tells of. `body` holds every other field, `signed` the four the
 * checksum covers.
 *
 * @category models
 * @since 0.1.0
 */
export interface Message {
  readonly url: string
  readonly transactionId: string
  readonly signed: Signed
  readonly body: Body
}

/**
 * A callback, and how it travels. `forgery` is the status that a `forged` one claims.
 *
 * @category models
 * @since 0.1.0
 */
export interface Callback extends Message {
  readonly status: Status
  readonly manner: Manner
  readonly isLast: boolean
  readonly forgery: Status
}

/**
 * One try of one callback. `at` is when it was posted, ISO 8601; `attempt` counts from 1; `answer` is
 * the HTTP status that came back, or why none did.
 *
 * @category models
 * @since 0.1.0
 */
export interface Delivery {
  readonly id: string
  readonly transactionId: string
  readonly status: Status
  readonly at: string
  readonly attempt: number
  readonly answer: Posting.Answer
  readonly forged: boolean
}

/**
 * The waits between the tries of a callback, each from the previous try.
 *
 * @category constants
 * @since 0.1.0
 */
export const retryGaps: ReadonlyArray<Duration.Duration> = [2, 4, 8, 16, 32].map(Duration.minutes)

const make = Effect.fnUntraced(function* (isAllowed: (url: URL) => boolean) {
  const { pace, seed } = yield* GatewayConfig
  const post = yield* Posting.make(isAllowed)
  const unit = Duration.max(pace, Duration.millis(100))
  const start = seed === undefined ? Random.Random : Random.withSeed(Random.Random, seed)
  const underway = yield* FiberSet.make()
  const log = yield* PubSub.unbounded<Delivery>()
  const held = new Map<string, ReadonlyArray<Callback>>()
  let random = yield* start
  let deliveries: Array<Delivery> = []

  const attempt = Effect.fnUntraced(function* (
    callback: Callback,
    attempt: number,
    forged: boolean
  ) {
    const posted = yield* Clock.currentTimeMillis
    const answer = yield* post(callback)
    const delivery: Delivery = {
      id: String(deliveries.length + 1),
      transactionId: callback.transactionId,
      status: callback.status,
      at: DateTime.formatIso(DateTime.makeUnsafe(posted)),
      attempt,
      answer,
      forged
    }
    deliveries.push(delivery)
    yield* PubSub.publish(log, delivery)
    const isDone =
      answer === "refused" || (typeof answer === "number" && answer >= 200 && answer < 300)
    return { isDone, posted }
  })

  const insist = Effect.fnUntraced(function* (callback: Callback, first: number) {
    let previous = first
    for (const [index, gap] of retryGaps.entries()) {
      const due = previous + Duration.toMillis(gap)
      yield* Effect.sleep(Duration.millis(Math.max(0, due - (yield* Clock.currentTimeMillis))))
      const { isDone, posted } = yield* attempt(callback, index + 2, false)
      if (isDone) return
      previous = posted
    }
  })

  /** Returns after the first try; more of them go on in the background. */
  const deliver = Effect.fnUntraced(function* (callback: Callback) {
    const { isDone, posted } = yield* attempt(callback, 1, false)
    if (!isDone) yield* FiberSet.run(underway, insist(callback, posted))
    if (callback.manner.forged) yield* attempt({ ...callback, status: callback.forgery }, 1, true)
  })

  const hold = Effect.fnUntraced(function* (
    callbacks: ReadonlyArray<Callback>,
    transactionId: string
  ) {
    const waiting = held.get(transactionId)
    held.set(transactionId, [...(waiting ?? []), ...callbacks])
    if (waiting !== undefined) return
    yield* Effect.sleep(Duration.times(unit, shufflePaces))
    const released = held.get(transactionId) ?? []
    held.delete(transactionId)
    yield* Effect.forEach(yield* disorder(released), deliver, { discard: true })
  })

  const travel = (callback: Callback) => {
    const { manner, transactionId } = callback
    const callbacks = manner.duplicate ? [callback, callback] : [callback]
    const way = manner.shuffle
      ? hold(callbacks, transactionId)
      : Effect.forEach(callbacks, deliver, { discard: true })
    return manner.late ? Effect.delay(way, Duration.times(unit, latePaces)) : way
  }

  return Courier.of({
    send: (callback) =>
      callback.manner.silent || (callback.manner.lost && callback.isLast)
        ? Effect.void
        : travel(callback).pipe(
            Effect.provideService(Random.Random, random),
            FiberSet.run(underway),
            Effect.asVoid
          ),
    deliveries: Effect.sync(() => [...deliveries]),
    changes: Stream.fromPubSub(log),
    reset: Effect.gen(function* () {
      yield* FiberSet.clear(underway)
      held.clear()
      random = yield* start
      deliveries = []
    })
  })
})

/**
 * Layer that delivers over the `HttpClient` there is, and to this machine only.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Courier, never, GatewayConfig | HttpClient.HttpClient | Hmac> =
  Layer.effect(Courier, make(Posting.isHere))

/**
 * Layer that delivers to any host, over an `HttpClient` that leads to no network.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerInMemory: Layer.Layer<
  Courier,
  never,
  GatewayConfig | HttpClient.HttpClient | Hmac
> = Layer.effect(
  Courier,
  make(() => true)
)

const latePaces = 10
const shufflePaces = 5

/** Puts callbacks in another order than they have, wherever there is one. */
const disorder = (callbacks: ReadonlyArray<Callback>) =>
  Effect.map(Random.shuffle(callbacks), (shuffled) =>
    shuffled.every((callback, at) => callback === callbacks[at]) ? shuffled.toReversed() : shuffled
  )
