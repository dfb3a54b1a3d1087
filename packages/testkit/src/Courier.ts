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
import * as Chance from "./internal/Chance.ts"
import * as Posting from "./internal/gateway/Posting.ts"
import { Shelves } from "./internal/gateway/Shelves.ts"
import { sleepUntil } from "./internal/Waiting.ts"
import type { Manner } from "./Scenario.ts"

/**
 * Service that delivers callbacks and logs every try.
 *
 * **Details**
 *
 * `send` returns at once; the callback travels on its own. `deliveries` is the log so far, in the
 * order of the answers, and `changes` emits each try from now on; who is more than 1,024 behind loses
 * the oldest. `once` tries a callback now and never again. `reset` forgets the log and everything under
 * way.
 *
 * @category services
 * @since 0.1.0
 */
export class Courier extends Context.Service<
  Courier,
  {
    readonly send: (callback: Callback) => Effect.Effect<void>
    readonly once: (callback: Callback, forged: boolean) => Effect.Effect<Delivery>
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
 * A callback under way: its next try, and when that is due, in milliseconds since the epoch. What is
 * held goes out of order with all that is held for the same transaction and time.
 */
interface Parcel {
  readonly id: string
  readonly callback: Callback
  readonly attempt: number
  readonly isHeld: boolean
  readonly due: number
}

type Parcels = ReadonlyArray<Parcel>

/**
 * The waits between the tries of a callback, each from the previous try.
 *
 * @category constants
 * @since 0.1.0
 */
export const retryGaps: ReadonlyArray<Duration.Duration> = [2, 4, 8, 16, 32].map(Duration.minutes)

const make = Effect.fnUntraced(function* (isAllowed: (url: URL) => boolean) {
  const config = yield* GatewayConfig
  const { open, save } = yield* Shelves
  const post = yield* Posting.make(isAllowed)
  const unit = Duration.toMillis(Duration.max(config.pace, Duration.millis(100)))
  const start = Effect.provideService(Chance.make("courier"), GatewayConfig, config)
  const underway = yield* FiberSet.make()
  const changes = yield* PubSub.sliding<Delivery>({ capacity: 1024 })
  const parcels = open<Parcel>("parcel")
  const log = open<Delivery>("delivery", (delivery) => delivery)
  let random = yield* start
  let parcelled = Number([...parcels.keys()].at(-1) ?? 0)

  const attempt = Effect.fnUntraced(function* (
    callback: Callback,
    attempt: number,
    forged: boolean
  ) {
    yield* save
    const posted = yield* Clock.currentTimeMillis
    const answer = yield* post(callback)
    const delivery: Delivery = {
      id: String(log.size + 1),
      transactionId: callback.transactionId,
      status: callback.status,
      at: DateTime.formatIso(DateTime.makeUnsafe(posted)),
      attempt,
      answer,
      forged
    }
    log.set(delivery.id, delivery)
    PubSub.publishUnsafe(changes, delivery)
    return { delivery, posted }
  })

  /** Tries a parcel once, and says when it is due again. */
  const carry = Effect.fnUntraced(function* (parcel: Parcel) {
    const { delivery, posted } = yield* attempt(parcel.callback, parcel.attempt, false)
    const gap = retryGaps[parcel.attempt - 1]
    if (isDone(delivery) || gap === undefined) parcels.delete(parcel.id)
    else {
      const due = posted + Duration.toMillis(gap)
      parcels.set(parcel.id, { ...parcel, attempt: parcel.attempt + 1, isHeld: false, due })
    }
    yield* save
  })

  const climb = Effect.fnUntraced(function* (id: string) {
    for (let parcel = parcels.get(id); parcel !== undefined; parcel = parcels.get(id)) {
      yield* sleepUntil(parcel.due)
      yield* carry(parcel)
    }
  })

  /** Returns after the first try; more of them go on in the background. */
  const deliver = Effect.fnUntraced(function* (parcel: Parcel) {
    yield* carry(parcel)
    if (parcels.has(parcel.id)) yield* FiberSet.run(underway, climb(parcel.id))
    const { callback } = parcel
    if (callback.manner.forged) yield* attempt({ ...callback, status: callback.forgery }, 1, true)
  })

  /** Takes what sets out at a time on its first try, one after the other. */
  const depart = Effect.fnUntraced(function* (due: number, ready: Effect.Effect<Parcels>) {
    yield* sleepUntil(due)
    yield* Effect.forEach(yield* ready, deliver, { discard: true })
  })

  const heldFor = (transactionId: string): Parcels =>
    Array.from(parcels.values()).filter(
      ({ callback, isHeld }) => isHeld && callback.transactionId === transactionId
    )

  const departHeld = (transactionId: string, due: number) =>
    depart(
      due,
      Effect.suspend(() => disorder(heldFor(transactionId).filter((held) => held.due === due)))
    )

  const setOut = (way: Effect.Effect<void>) =>
    Effect.asVoid(FiberSet.run(underway, Effect.provideService(way, Random.Random, random)))

  const send = Effect.fnUntraced(function* (callback: Callback) {
    const { manner, transactionId } = callback
    if (manner.silent || (manner.lost && callback.isLast)) return
    const leaves = (yield* Clock.currentTimeMillis) + (manner.late ? latePaces * unit : 0)
    const held = manner.shuffle ? heldFor(transactionId).find(({ due }) => due > leaves) : undefined
    const due = held?.due ?? leaves + (manner.shuffle ? shufflePaces * unit : 0)
    const sent = Array.from({ length: manner.duplicate ? 2 : 1 }, (): Parcel => {
      const id = String(++parcelled)
      return { id, callback, attempt: 1, isHeld: manner.shuffle, due }
    })
    for (const parcel of sent) parcels.set(parcel.id, parcel)
    if (!manner.shuffle) yield* setOut(depart(due, Effect.succeed(sent)))
    else if (held === undefined) yield* setOut(departHeld(transactionId, due))
  })

  // What was under way when a file was closed goes on.
  const groups = new Set<string>()
  for (const parcel of parcels.values()) {
    const { attempt, callback, due, id, isHeld } = parcel
    const group = `${callback.transactionId} ${due}`
    if (attempt > 1) yield* setOut(climb(id))
    else if (!isHeld) yield* setOut(depart(due, Effect.succeed([parcel])))
    else if (!groups.has(group)) yield* setOut(departHeld(callback.transactionId, due))
    groups.add(group)
  }

  return Courier.of({
    send,
    once: (callback, forged) =>
      Effect.map(attempt(callback, 1, forged), ({ delivery }) => delivery),
    deliveries: Effect.sync(() => [...log.values()]),
    changes: Stream.fromPubSub(changes),
    reset: Effect.gen(function* () {
      yield* FiberSet.clear(underway)
      parcels.clear()
      random = yield* start
      log.clear()
    })
  })
})

/**
 * Layer that delivers over the `HttpClient` there is, and to this machine only.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Courier, never, Requirements> = Layer.effect(
  Courier,
  make(Posting.isHere)
)

/**
 * Layer that delivers over the `HttpClient` there is, wherever it is allowed to.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTo = (
  isAllowed: (url: URL) => boolean
): Layer.Layer<Courier, never, Requirements> => Layer.effect(Courier, make(isAllowed))

/**
 * Layer that delivers to any host, over an `HttpClient` that leads to no network.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerInMemory: Layer.Layer<Courier, never, Requirements> = layerTo(() => true)

type Requirements = GatewayConfig | HttpClient.HttpClient | Hmac

const latePaces = 10
const shufflePaces = 5

/** Puts parcels in another order of statuses than they have, wherever there is one. */
const disorder = (parcels: Parcels) =>
  Effect.map(Random.shuffle(parcels), (shuffled) =>
    shuffled.every(({ callback }, at) => callback.status === parcels[at]?.callback.status)
      ? shuffled.toReversed()
      : shuffled
  )

const isDone = ({ answer }: Delivery): boolean =>
  answer === "refused" || (typeof answer === "number" && answer >= 200 && answer < 300)
