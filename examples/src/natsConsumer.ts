/**
 * Shows a program that consumes the stream of `nats.ts`: it applies each transition of a transaction once, in order.
 *
 * JetStream delivers a message again until it is acknowledged, and with `max_ack_pending` 1 no
 * later one before that. An acknowledgement may be lost, so the program applies only transitions
 * later than the last one of their transaction. A real program keeps status and `sequence` in the
 * row that it changes.
 */
import { AckPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream"
import { nanos } from "@nats-io/transport-node"
import type { Transition } from "@pawl/core/Handler"
import { rank } from "@pawl/core/Status"
import type { CloudEvent } from "@pawl/receiver/CloudEvent"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { connection, stream } from "./nats.ts"

/** The rank decides first, because the numbers start again after an older backup was restored. */
const isLater = (one: Transition, last: Transition | undefined): boolean =>
  last === undefined ||
  rank(one.to) > rank(last.to) ||
  (rank(one.to) === rank(last.to) && one.sequence > last.sequence && one.to !== last.to)

/**
 * Consumes the stream, and calls `apply` with each transition that is later than the last one of its transaction. A
 * transition whose `apply` fails is delivered again.
 */
export const consume = <E>(
  servers: string,
  name: string,
  apply: (transition: Transition) => Effect.Effect<void, E>
) =>
  Effect.gen(function* () {
    const applied = new Map<string, Transition>()
    const open = yield* connection(servers)
    const manager = yield* Effect.tryPromise(() => jetstreamManager(open))
    yield* Effect.tryPromise(() =>
      manager.consumers.add(stream, {
        durable_name: name,
        ack_policy: AckPolicy.Explicit,
        max_ack_pending: 1,
        ack_wait: nanos(2000)
      })
    )
    const consumer = yield* Effect.tryPromise(() => jetstream(open).consumers.get(stream, name))
    const messages = yield* Effect.tryPromise(() => consumer.consume({ expires: 2000 }))
    yield* Stream.runForEach(
      Stream.fromAsyncIterable(messages, (error) => error),
      (message) => {
        const { data, subject } = message.json<CloudEvent>()
        if (!isLater(data, applied.get(subject))) return Effect.sync(() => message.ack())
        return Effect.match(apply(data), {
          onFailure: () => message.nak(100),
          onSuccess: () => {
            applied.set(subject, data)
            message.ack()
          }
        })
      }
    )
  }).pipe(Effect.scoped)
