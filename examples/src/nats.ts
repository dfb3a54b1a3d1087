/**
 * Shows a handler that publishes each transition to NATS JetStream, as a CloudEvent, for any number of programs.
 *
 * A transition is accepted when JetStream has stored it. While the server is away, the receiver
 * calls the handler again for 24 hours. The id of the transition is the id of the message, so
 * JetStream stores it once: its window of duplicates is longer than these 24 hours.
 *
 * `natsConsumer.ts` consumes the stream. `examples/test/nats.test.ts` runs both with a server that is killed.
 */
import { jetstream, jetstreamManager, StorageType } from "@nats-io/jetstream"
import { connect, nanos } from "@nats-io/transport-node"
import * as Handler from "@pawl/core/Handler"
import * as CloudEvent from "@pawl/receiver/CloudEvent"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Connects to a server, and connects again for as long as the scope is open. */
export const connection = (servers: string) =>
  Effect.acquireRelease(
    Effect.tryPromise(() =>
      connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 250, timeout: 2000 })
    ),
    (open) => Effect.promise(() => open.close())
  )

/** The stream of all transitions. Its subjects are `pawl.{kind}.{status}`. */
export const stream = "PAWL"

/** Layer of the handler. It makes the stream if there is none. */
export const layer = (servers: string) =>
  Layer.effect(
    Handler.Handler,
    Effect.gen(function* () {
      const open = yield* connection(servers)
      const manager = yield* Effect.tryPromise(() => jetstreamManager(open))
      yield* Effect.tryPromise(() =>
        manager.streams.add({
          name: stream,
          subjects: ["pawl.>"],
          storage: StorageType.File,
          duplicate_window: nanos(Duration.toMillis("25 hours"))
        })
      )
      const client = jetstream(open, { timeout: 2000 })
      return {
        handle: (transition) => {
          const event = CloudEvent.make(transition)
          return Effect.tryPromise(() =>
            client.publish(event.type, JSON.stringify(event), { msgID: event.id })
          )
        }
      }
    })
  )
