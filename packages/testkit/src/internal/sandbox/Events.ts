/**
 * What happens in a sandbox, as server-sent events.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import type { VirtualClock } from "../../VirtualClock.ts"
import type { Feed } from "./Feed.ts"

/**
 * Answers with everything that happens from now on, and a comment at once and every 15 seconds of the
 * real world. Nothing is missed from the moment the answer has begun.
 */
export const answer = (
  { subscribe }: Feed["Service"],
  { beneath }: VirtualClock["Service"]
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
            data: JSON.stringify(item)
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

const comment = ": still here\n\n"
