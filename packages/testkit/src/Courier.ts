/**
 * Delivers the callbacks of the gateway as the specification says, or with faults (`Suffixes`).
 *
 * **Details**
 *
 * A callback is a POST with `X-Checksum` to the callbackUrl of the request, with the routing
 * parameters appended (`spec.md`, "Events"). A 2xx within 10 seconds delivers it. Otherwise it is
 * retried 2, 4, 8, 16 and 32 minutes after the previous attempt, and then dropped. Redirects are
 * not followed.
 *
 * **Gotchas**
 *
 * By default it posts to this machine only; a callback to another host is logged as `refused`.
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
import * as Random from "effect/Random"
import type * as Stream from "effect/Stream"
import { GatewayConfig } from "./internal/GatewayConfig.ts"
import * as SeededRandom from "./internal/SeededRandom.ts"
import * as CallbackPost from "./internal/courier/CallbackPost.ts"
import * as DeliveryFeed from "./internal/courier/DeliveryFeed.ts"
import { defaults } from "./internal/Behaviour.ts"
import { StateStore } from "./internal/state/StateStore.ts"
import { sleepUntil } from "./internal/Sleep.ts"
import type { Suffixes } from "./Scenario.ts"

/**
 * Service that delivers callbacks and logs every attempt.
 *
 * @category services
 * @since 0.1.0
 */
export class Courier extends Context.Service<
  Courier,
  {
    /** Delivers a callback in the background. */
    readonly send: (callback: Callback) => Effect.Effect<void>
    /** Posts a callback now, without retries. */
    readonly once: (callback: Callback, forged: boolean) => Effect.Effect<Delivery>
    /** The log, in the order in which the attempts ended. */
    readonly deliveries: Effect.Effect<ReadonlyArray<Delivery>>
    /**
     * The attempts from the subscription on. A subscriber more than 1,024 attempts behind loses the
     * oldest.
     */
    readonly changes: Stream.Stream<Delivery>
    /** Clears the log and drops all callbacks in progress. */
    readonly reset: Effect.Effect<void>
  }
>()("@pawl/testkit/Courier") {}

/**
 * A callback without its status.
 *
 * @category models
 * @since 0.1.0
 */
export interface Message {
  /** The callbackUrl with the transaction's routing parameters. */
  readonly url: string
  /** The content type; `application/json` by default. */
  readonly contentType?: string
  /** The transaction, as its reads name it. */
  readonly transactionId: string
  /** The four fields that the checksum covers. */
  readonly signed: Signed
  /** Every field but the status. */
  readonly body: Body
}

/**
 * A callback and its delivery suffixes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Callback extends Message {
  /** The status that the callback claims. */
  readonly status: Status
  /** The delivery suffixes of the scenario. */
  readonly suffixes: Suffixes
  /** Whether no status of the scenario follows. */
  readonly isLast: boolean
  /** The status that a forged copy claims. */
  readonly forgery: Status
}

/**
 * One attempt of one callback.
 *
 * @category models
 * @since 0.1.0
 */
export interface Delivery {
  /** The number of the attempt in the log, from 1. */
  readonly id: string
  /** The transaction of the callback. */
  readonly transactionId: string
  /** The status that the callback claimed. */
  readonly status: Status
  /** The time of the POST, ISO 8601. */
  readonly at: string
  /** The attempt of this callback, from 1. */
  readonly attempt: number
  /** The HTTP status of the response, or the reason there is none. */
  readonly answer: CallbackPost.DeliveryResult
  /** Whether a forger sent it. */
  readonly forged: boolean
}

/** A callback in progress; `due` is in milliseconds since the epoch. */
interface PendingCallback {
  readonly id: string
  readonly callback: Callback
  readonly attempt: number
  readonly isHeld: boolean
  readonly due: number
}

type Pending = ReadonlyArray<PendingCallback>

/**
 * The times between the attempts of a callback, by default.
 *
 * @category constants
 * @since 0.1.0
 */
export const retryGaps: ReadonlyArray<Duration.Duration> = defaults.retryGaps

const make = Effect.fnUntraced(function* (isAllowed: (url: URL) => boolean) {
  const config = yield* GatewayConfig
  const { isTaken, retryGaps } = config.behaviour
  const { open, save } = yield* StateStore
  const post = yield* CallbackPost.make(isAllowed)
  const unit = Duration.toMillis(Duration.max(config.pace, Duration.millis(100)))
  const seeded = Effect.provideService(SeededRandom.make("courier"), GatewayConfig, config)
  const fibers = yield* FiberSet.make()
  const feed = DeliveryFeed.make()
  const callbacks = open<PendingCallback>("callback")
  const log = open<Delivery>("delivery")
  let random = yield* seeded
  let lastId = Number([...callbacks.keys()].at(-1) ?? 0)

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
    feed.publish(delivery)
    return { delivery, posted }
  })

  const postOnce = Effect.fnUntraced(function* (pending: PendingCallback) {
    const { delivery, posted } = yield* attempt(pending.callback, pending.attempt, false)
    const gap = retryGaps[pending.attempt - 1]
    if (isDone(delivery.answer, isTaken) || gap === undefined) callbacks.delete(pending.id)
    else {
      const due = posted + Duration.toMillis(gap)
      callbacks.set(pending.id, { ...pending, attempt: pending.attempt + 1, isHeld: false, due })
    }
    yield* save
  })

  const retry = Effect.fnUntraced(function* (id: string) {
    for (let next = callbacks.get(id); next !== undefined; next = callbacks.get(id)) {
      yield* sleepUntil(next.due)
      yield* postOnce(next)
    }
  })

  const deliver = Effect.fnUntraced(function* (pending: PendingCallback) {
    yield* postOnce(pending)
    if (callbacks.has(pending.id)) yield* FiberSet.run(fibers, retry(pending.id))
    const { callback } = pending
    if (callback.suffixes.forged) yield* attempt({ ...callback, status: callback.forgery }, 1, true)
  })

  const deliverAt = Effect.fnUntraced(function* (due: number, ready: Effect.Effect<Pending>) {
    yield* sleepUntil(due)
    yield* Effect.forEach(yield* ready, deliver, { discard: true })
  })

  const heldFor = (transactionId: string): Pending =>
    Array.from(callbacks.values()).filter(
      ({ callback, isHeld }) => isHeld && callback.transactionId === transactionId
    )

  const take = (transactionId: string, due: number): Pending =>
    heldFor(transactionId).flatMap((held) => {
      if (held.due !== due) return []
      const taken = { ...held, isHeld: false }
      callbacks.set(held.id, taken)
      return [taken]
    })

  const deliverHeldAt = (transactionId: string, due: number) =>
    deliverAt(
      due,
      Effect.suspend(() => shuffled(take(transactionId, due)))
    )

  const run = (delivering: Effect.Effect<void>) =>
    Effect.asVoid(FiberSet.run(fibers, Effect.provideService(delivering, Random.Random, random)))

  const send = Effect.fnUntraced(function* (callback: Callback) {
    const { suffixes, transactionId } = callback
    if (suffixes.silent || (suffixes.lost && callback.isLast)) return
    const leaves = (yield* Clock.currentTimeMillis) + (suffixes.late ? latePaces * unit : 0)
    const held = suffixes.shuffle
      ? heldFor(transactionId).find(({ due }) => due > leaves)
      : undefined
    const due = held?.due ?? leaves + (suffixes.shuffle ? shufflePaces * unit : 0)
    const copies = Array.from({ length: suffixes.duplicate ? 2 : 1 }, (): PendingCallback => {
      const id = String(++lastId)
      return { id, callback, attempt: 1, isHeld: suffixes.shuffle, due }
    })
    for (const copy of copies) callbacks.set(copy.id, copy)
    if (!suffixes.shuffle) yield* run(deliverAt(due, Effect.succeed(copies)))
    else if (held === undefined) yield* run(deliverHeldAt(transactionId, due))
  })

  // Callbacks in progress continue after a restart with a file.
  const groups = new Set<string>()
  for (const pending of callbacks.values()) {
    const { attempt, callback, due, id, isHeld } = pending
    const group = `${callback.transactionId} ${due}`
    if (attempt > 1) yield* run(retry(id))
    else if (!isHeld) yield* run(deliverAt(due, Effect.succeed([pending])))
    else if (!groups.has(group)) yield* run(deliverHeldAt(callback.transactionId, due))
    groups.add(group)
  }

  return Courier.of({
    send,
    once: (callback, forged) =>
      Effect.map(attempt(callback, 1, forged), ({ delivery }) => delivery),
    deliveries: Effect.sync(() => [...log.values()]),
    changes: feed.changes,
    reset: Effect.gen(function* () {
      yield* FiberSet.clear(fibers)
      callbacks.clear()
      random = yield* seeded
      log.clear()
    })
  })
})

/**
 * Layer that delivers over the provided `HttpClient`, to allowed URLs: by default those on this
 * machine.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  isAllowed: (url: URL) => boolean = CallbackPost.isLocal
): Layer.Layer<Courier, never, Requirements> => Layer.effect(Courier, make(isAllowed))

type Requirements = GatewayConfig | HttpClient.HttpClient | Hmac

const latePaces = 10
const shufflePaces = 5

const shuffled = (pending: Pending) =>
  Effect.map(Random.shuffle(pending), (random) =>
    random.every(({ callback }, at) => callback.status === pending[at]?.callback.status)
      ? random.toReversed()
      : random
  )

const isDone = (answer: Delivery["answer"], isTaken: (status: number) => boolean): boolean =>
  answer === "refused" || (typeof answer === "number" && isTaken(answer))
