/**
 * Requests, caches and renews the access token (`spec.md`, "Authentication").
 *
 * **Details**
 *
 * All calls share one token and one request for it, which goes on when they have ended. From
 * `Profile.refreshBefore` before its expiry, or the middle of its lifetime if later, the next call renews
 * it in the background; the old token stays in use until a renewal succeeds. A late 401 to an older token
 * has no effect.
 *
 * **Gotchas**
 *
 * An `exp` that is absent, malformed, past, less than 10 minutes or more than 30 days away counts as 30
 * days, so a wrong clock never causes repeated requests to `/auth`.
 */
import {
  RateLimited,
  type ReadError,
  ServiceFailed,
  Unauthorized,
  UnexpectedResponse,
  Unreachable
} from "@pawl/core/PaymentsError"
import { Profile } from "@pawl/core/Profile"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import { PawlConfig } from "../../PawlConfig.ts"
import { Transport } from "../../Transport.ts"
import * as Settings from "../config/Settings.ts"
import * as Attempts from "../wire/Attempts.ts"
import * as Endpoint from "../wire/Endpoint.ts"
import * as ErrorResponse from "../wire/ErrorResponse.ts"
import * as Failure from "../wire/Failure.ts"
import * as Metrics from "../wire/Metrics.ts"
import * as Observed from "../wire/Observed.ts"
import * as Operation from "../wire/Operation.ts"
import * as TokenResponse from "./TokenResponse.ts"

export class AccessToken extends Context.Service<
  AccessToken,
  {
    readonly get: Effect.Effect<Token, TokenError>
    /**
     * Returns the cached token if it has not expired at `now`, in milliseconds since the epoch. Starts a
     * due renewal.
     */
    readonly peek: (now: number) => Token | undefined
    /** Drops a token that got a 401. */
    readonly drop: (token: Token) => Effect.Effect<void>
  }
>()("@pawl/http/internal/token/AccessToken") {}

/** Access token; `expiresAt` is in milliseconds since the epoch. */
export interface Token {
  readonly text: Redacted.Redacted
  readonly expiresAt: number
}

type TokenError = Exclude<ReadError, { readonly _tag: "ValidationFailed" | "NotFound" }>

const make = (sharesRequest: boolean) =>
  Effect.gen(function* () {
    const config = yield* PawlConfig
    const transport = yield* Transport
    const profile = yield* Profile
    const budget = Attempts.makeBudget(config.retryRatio)
    const limits = Settings.limitsOf(config)
    let cached: Token | undefined

    const operation = Operation.make(Endpoint.authenticate, config)
    const makeRequest = Effect.flatMap(config.merchantSecret, (secret) =>
      Effect.orDie(
        operation.toRequest({
          payload: { merchantKey: config.merchantKey, merchantSecret: Redacted.value(secret) }
        })
      )
    )

    const attempt = Effect.fnUntraced(function* (current: Attempts.Attempt) {
      const request = yield* makeRequest
      const response = yield* Attempts.requireSuccess(
        request,
        Observed.observe(
          config.hooks,
          { operation, request, attempt: current.number },
          Attempts.send(transport, request, limits.attemptTimeout, current)
        ),
        current,
        Effect.succeed
      )
      const text = TokenResponse.findToken(response.body, profile.tokenField)
      if (text !== undefined) return yield* TokenResponse.toToken(text)
      return yield* Effect.fail(
        Failure.toFailure(
          new UnexpectedResponse({ ...ErrorResponse.receivedOf(response), reason: noToken })
        )
      )
    })

    const rules = {
      limits,
      budget,
      annotations: { operation: operation.name },
      shouldRetry: Failure.isTransient
    }
    const authenticate = Observed.spanned("AccessToken.authenticate", () =>
      Metrics.timed(operation.name, (_, start) => {
        budget.earn()
        return Effect.mapError(Attempts.run(rules, attempt, start), ({ error }) =>
          toTokenError(error)
        )
      }).pipe(
        Effect.onExit((exit) => Metric.update(Metrics.tokenRefreshes(Metrics.outcomeOf(exit)), 1))
      )
    )

    const scope = yield* Effect.scope
    let renewAt = Infinity
    let failures = 0
    const obtain = Effect.flatMap(authenticate, (token) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const life = token.expiresAt - now
        const wait = Math.max(life - Duration.toMillis(profile.refreshBefore), life / 2)
        if (sharesRequest) renewAt = now + wait
        failures = 0
        return (cached = token)
      })
    )
    const renew = obtain.pipe(
      Effect.catch(({ message }) =>
        Effect.logWarning(
          `The access token could not be renewed. The old one stays in use. ${message}`
        )
      ),
      Effect.forkIn(scope)
    )
    const run = Effect.runForkWith(yield* Effect.context())
    const peek = (now: number) => {
      if (cached === undefined || now >= cached.expiresAt) return undefined
      if (now >= renewAt) {
        renewAt = now + Duration.toMillis(renewalGap(failures++))
        run(renew)
      }
      return cached
    }
    const peekOr = (request: Effect.Effect<Token, TokenError>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const token = peek(now)
        return token === undefined ? request : Effect.succeed(token)
      })
    // A fiber may find no token and start its request only after that of another fiber has ended. The
    // scope awaits the request too, so it goes on when its calls have ended: the next one needs its token.
    // No result is kept, even if the clock is set back.
    const requestShared: Effect.Effect<Token, TokenError> = yield* Effect.cachedWithTTL(
      Effect.suspend(() =>
        Effect.andThen(
          Effect.forkIn(Effect.ignore(requestShared), scope, { startImmediately: true }),
          peekOr(obtain)
        )
      ),
      -Infinity
    )
    const requestToken = sharesRequest ? requestShared : obtain

    return AccessToken.of({
      get: peekOr(requestToken),
      peek,
      drop: (token) =>
        Effect.sync(() => {
          if (cached === token) cached = undefined
        })
    })
  })

/** Layer that requests tokens from `POST /api/v1/auth`. It reads the secret before each attempt. */
export const layer: Layer.Layer<AccessToken, never, PawlConfig | Transport> =
  /* @__PURE__ */ Layer.effect(AccessToken, /* @__PURE__ */ make(true))

/**
 * Layer in which each call requests a token of its own if none is cached: in Cloudflare Workers a call
 * that waits for the `/auth` request of another hangs.
 */
export const layerPerRequest: Layer.Layer<AccessToken, never, PawlConfig | Transport> =
  /* @__PURE__ */ Layer.effect(AccessToken, /* @__PURE__ */ make(false))

/** Returns the time from a failed renewal to the next: 1, 2, 4, … minutes, at most an hour. */
const renewalGap = (failures: number) => Duration.minutes(Math.min(2 ** failures, 60))

const noToken =
  "its body has no access token in a known field: check the base URL, or set Profile.tokenField"

/** Converts the errors of `/auth`, so that they are not taken for errors of the call. */
const toTokenError = (error: ReadError): TokenError => {
  const sent = false
  const parts = { ...ErrorResponse.partsOfError(error), sent } as const
  if (error._tag === "ValidationFailed") return new Unauthorized(parts)
  if (error._tag === "NotFound")
    return new UnexpectedResponse({ ...parts, status: 404, reason: "the base URL has no /v1/auth" })
  return new errors[error._tag]({ ...error, sent } as never)
}

const errors = { Unauthorized, Unreachable, ServiceFailed, RateLimited, UnexpectedResponse }
