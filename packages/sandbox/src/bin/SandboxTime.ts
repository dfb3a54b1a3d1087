/** The time of a running sandbox, whose clock is advanced instead of waiting. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { FileFault } from "./ProfileFile.ts"

const isTime = Schema.is(Schema.Struct({ advanced: Schema.Finite }))

/** The time-out of an advance: a callback may be held for 35 seconds meanwhile. */
const responseTimeout = Duration.seconds(60)

/** Makes the functions that read and advance the time. Refuses a service that is no sandbox. */
export const make = Effect.fnUntraced(function* (
  baseUrl: string,
  token: Option.Option<Redacted.Redacted>
) {
  const client = yield* HttpClient.HttpClient
  const headers = Option.isNone(token)
    ? {}
    : { authorization: `Bearer ${Redacted.value(token.value)}` }
  const advanceBy = (millis: number) =>
    client
      .execute(
        HttpClientRequest.post(`${new URL(baseUrl).origin}/sandbox/clock`, {
          body: HttpBody.text(JSON.stringify({ advance: `${millis} millis` }), "application/json"),
          headers
        })
      )
      .pipe(
        Effect.flatMap(({ json }) => json),
        Effect.filterOrFail(isTime, () => "another answer"),
        Effect.map(({ advanced }) => advanced),
        Effect.timeout(responseTimeout),
        Effect.mapError(
          () =>
            new FileFault({
              message: `${baseUrl} is no sandbox whose clock can be advanced; leave out --fast, or give PAWL_SANDBOX_TOKEN`
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
