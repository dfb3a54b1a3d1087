/** The time of a running sandbox, whose clock is advanced instead of waiting. */
import * as Transport from "@pawl/http/Transport"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { FileFault } from "./ProfileFile.ts"

const utf8 = new TextDecoder()

const decode = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ advanced: Schema.Finite }))
)

/** The time-out of an advance: a callback may be held for 35 seconds meanwhile. */
const responseTimeout = Duration.seconds(60)

/** Makes the functions that read and advance the time. Refuses a service that is no sandbox. */
export const make = Effect.fnUntraced(function* (
  baseUrl: string,
  token: Option.Option<Redacted.Redacted>
) {
  const transport = yield* Transport.Transport
  const headers = {
    "content-type": "application/json",
    ...(Option.isSome(token) && { authorization: `Bearer ${Redacted.value(token.value)}` })
  }
  const advanceBy = (millis: number) =>
    transport
      .send(
        {
          method: "POST",
          url: `${new URL(baseUrl).origin}/sandbox/clock`,
          headers,
          body: JSON.stringify({ advance: `${millis} millis` })
        },
        responseTimeout
      )
      .pipe(
        Effect.flatMap(({ body }) => decode(utf8.decode(body))),
        Effect.map(({ advanced }) => advanced),
        Effect.timeout(responseTimeout),
        Effect.mapError(
          () =>
            new FileFault({
              message: `${baseUrl} is not a sandbox whose clock can be advanced; leave out --fast, or give PAWL_SANDBOX_TOKEN`
            })
        )
      )
  let advanced = yield* advanceBy(0)
  return {
    now: Effect.map(Clock.currentTimeMillis, (now) => now + advanced),
    pause: Effect.fnUntraced(function* (duration: Duration.Duration) {
      const millis = Duration.toMillis(duration)
      // A callback that falls due within the advance arrives before the response.
      advanced += millis
      advanced = yield* Effect.orDie(advanceBy(millis))
    })
  }
})
