/**
 * The bearer token: asked for once, used by everybody, renewed before it ends.
 *
 * **Details**
 *
 * The token is held until the time its `exp` claim names. Whoever finds none asks for one; all who
 * ask while a request to `/auth` is on its way share it, and none of them is left behind when the
 * first one is interrupted. A fiber in the background renews the token `Profile.refreshBefore` its
 * end, or halfway if it lives shorter than that, and keeps the old one while it cannot.
 *
 * A token that the service refused is dropped only if it is the one held: a late 401 does not throw
 * away the fresh token that others were just given.
 *
 * **Gotchas**
 *
 * `exp` is a hint and never authorises: a claim that is absent, malformed, past, nearer than ten
 * minutes or further than 30 days counts as 30 days (`spec.md`, "Authentication"), and a 401 says the rest. So
 * no claim and no clock, however wrong, makes us ask for tokens again and again.
 *
 * @since 0.1.0
 */
import * as Json from "@pawl/core/Json"
import { type ReadError, Unreachable, UnexpectedResponse } from "@pawl/core/PaymentsError"
import { Profile } from "@pawl/core/Profile"
import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Endpoint from "./Endpoint.ts"
import * as Attempts from "./internal/Attempts.ts"
import * as Operation from "./internal/Operation.ts"
import * as Metrics from "./Metrics.ts"
import { PawlConfig } from "./PawlConfig.ts"
import { Transport } from "./Transport.ts"

/**
 * Service that hands out the token for the configured merchant: `get` waits for one, `peek` says which
 * one is held.
 *
 * @category services
 * @since 0.1.0
 */
export class AccessToken extends Context.Service<
  AccessToken,
  {
    readonly get: Effect.Effect<Token, TokenError>
    readonly peek: Effect.Effect<Token | undefined>
    readonly drop: (token: Token) => Effect.Effect<void>
  }
>()("@pawl/http/AccessToken") {}

/**
 * A token, and until when it is used, in milliseconds since the epoch.
 *
 * @category models
 * @since 0.1.0
 */
export interface Token {
  readonly text: Redacted.Redacted
  readonly expiresAt: number
}

/**
 * What asking for a token can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type TokenError = Exclude<ReadError, { readonly _tag: "ValidationFailed" | "NotFound" }>

/**
 * Layer that gets tokens from `/auth` with the configured credentials.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<AccessToken, never, PawlConfig | Transport> = Layer.effect(
  AccessToken,
  Effect.gen(function* () {
    const config = yield* PawlConfig
    const transport = yield* Transport
    const profile = yield* Profile
    let held: Token | undefined

    const request = yield* Effect.orDie(
      Operation.make(Endpoint.authenticate, config.baseUrl).toRequest({
        payload: {
          merchantKey: config.merchantKey,
          merchantSecret: Redacted.value(config.merchantSecret)
        }
      })
    )

    const attempt = Effect.fnUntraced(function* (current: Attempts.Attempt) {
      const response = yield* Attempts.send(config, transport, request, current)
      const { body, status } = yield* Attempts.accept(request, response, current)
      const text = findToken(body, profile.tokenField)
      if (text !== undefined) return yield* toToken(text)
      return yield* Effect.fail(
        Attempts.failed(new UnexpectedResponse({ status, reason: noToken }))
      )
    })

    const authenticate = Effect.fn("AccessToken.authenticate")(() => {
      const { identifier: operation } = Endpoint.authenticate
      const attempts = Attempts.run(config, { operation }, Attempts.isTransient, attempt)
      return Metrics.timed(
        operation,
        Effect.mapError(attempts, ({ error }) => toTokenError(error))
      ).pipe(
        Effect.onExit((exit) => Metric.update(Metrics.tokenRefreshes(Metrics.outcomeOf(exit)), 1))
      )
    })

    const renewForever = Effect.fnUntraced(function* (token: Token) {
      for (let current = token; ;) {
        const life = Duration.millis(current.expiresAt - (yield* Clock.currentTimeMillis))
        const early = Duration.subtract(life, profile.refreshBefore)
        yield* Effect.sleep(Duration.max(early, Duration.divideUnsafe(life, 2)))
        current = held = yield* authenticate().pipe(
          Effect.tapError(({ message }) =>
            Effect.logWarning(`The token could not be renewed, the old one is kept. ${message}`)
          ),
          Effect.retry(renewing)
        )
      }
    })

    const renew = yield* FiberHandle.makeRuntime<never>()
    const obtain = Effect.map(authenticate(), (token) => {
      held = token
      renew(renewForever(token))
      return token
    })
    const flight = yield* Cache.makeWith<"token", Token, TokenError>(() => obtain, {
      capacity: 1,
      timeToLive: () => Duration.zero
    })

    const peek = Clock.clockWith((clock) =>
      Effect.succeed(
        held !== undefined && clock.currentTimeMillisUnsafe() < held.expiresAt ? held : undefined
      )
    )

    return AccessToken.of({
      get: Effect.flatMap(peek, (token) =>
        token === undefined ? Cache.get(flight, "token") : Effect.succeed(token)
      ),
      peek,
      drop: (token) =>
        Effect.sync(() => {
          if (held === token) held = undefined
        })
    })
  })
)

/** The waits between failed renewals, on top of the attempts each of them makes. */
const renewing = Schedule.min([Schedule.exponential("1 minute"), Schedule.spaced("1 hour")]).pipe(
  Schedule.jittered
)

const noToken = "it carries no token we can find and send: name its field in Profile.tokenField"

/** What is wrong with `/auth` says nothing about the request a token was wanted for. */
const toTokenError = (error: ReadError): TokenError => {
  if (error._tag === "ValidationFailed") {
    return new UnexpectedResponse({ status: 400, reason: "/auth does not take such credentials" })
  }
  if (error._tag === "NotFound") {
    return new UnexpectedResponse({ status: 404, reason: "there is no /auth below the base URL" })
  }
  return error._tag === "Unreachable"
    ? new Unreachable({ reason: error.reason, sent: false, attempts: error.attempts })
    : error
}

const usualFields = ["accessToken", "access_token", "token", "jwt"]

/** A token goes into a header, so it is text that may stand there, and no longer than 8 KiB. */
const grammar = /^[\x21-\x7e]{1,8192}$/u

const findToken = (bytes: Uint8Array, field: string | undefined): string | undefined => {
  const json = Result.getOrUndefined(Json.fromBytes(bytes))
  const found = [
    json,
    ...[json, member(json, "data")].flatMap((holder) =>
      (field === undefined ? usualFields : [field]).map((name) => member(holder, name))
    )
  ].find((value) => typeof value === "string")
  return found !== undefined && grammar.test(found) ? found : undefined
}

const member = (json: unknown, name: string): unknown =>
  typeof json === "object" && json !== null ? Reflect.get(json, name) : undefined

const longest = Duration.toMillis(Duration.days(30))
const shortest = Duration.toMillis(Duration.minutes(10))

const toToken = (text: string): Effect.Effect<Token> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const claimed = readExpiry(text) * 1000 - now
    return {
      text: Redacted.make(text, { label: "token" }),
      expiresAt: now + (claimed >= shortest && claimed <= longest ? claimed : longest)
    }
  })

/** The `exp` claim of a JWT in seconds since the epoch, or NaN. */
const readExpiry = (text: string): number => {
  const claims = Result.flatMap(Base64Url.decode(text.split(".")[1] ?? ""), Json.fromBytes)
  const exp = member(Result.getOrUndefined(claims), "exp")
  return typeof exp === "number" ? exp : Number.NaN
}
