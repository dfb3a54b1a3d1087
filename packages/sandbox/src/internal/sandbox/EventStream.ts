import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import type { VirtualClock } from "@pawl/testkit/VirtualClock"
import type { EventFeed } from "./EventFeed.ts"
import type { Show } from "./PublicForms.ts"

/**
 * Responds with every change from now on as server-sent events, and with a comment at once and
 * every 15 seconds of real time. No change is missed once the response has begun.
 */
export const response = (
  { subscribe }: EventFeed["Service"],
  { beneath }: VirtualClock["Service"],
  show: Show
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const events = Stream.unwrap(
    Effect.map(subscribe, (events) =>
      Stream.concat(
        Stream.succeed(comment),
        Stream.map(events, ({ id, item, name }) =>
          Sse.encoder.write({
            _tag: "Event",
            event: name,
            id: String(id),
            data: JSON.stringify(show(name, item))
          })
        )
      )
    )
  )
  const body = events.pipe(
    Stream.merge(Stream.drop(Stream.as(Stream.tick("15 seconds"), comment), 1)),
    Stream.encodeText,
    Stream.provideService(Clock.Clock, beneath)
  )
  return Effect.succeed(
    HttpServerResponse.stream(body, {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-cache", "x-accel-buffering": "no" }
    })
  )
}

const comment = ": keep-alive\n\n"
