/**
 * Requests, caches and renews the access token (`spec.md`, "Authentication").
 *
 * **Details**
 *
 * All calls share one cached token. It is used until the time in its `exp` claim. When there is no token,
 * the first call requests one from `/auth`, and all calls that need a token meanwhile wait for the same
 * request. Interrupting one of them does not interrupt the others.
 *
 * From the time `Profile.refreshBefore` before its expiry, or from the middle of its lifetime if that is later, the
 * next call renews the token in the background, and uses the old one. While renewals fail, the old token stays in use.
 * A client that makes no calls makes no request for a token.
 *
 * After a 401 a token is dropped only if it is the cached one. A late 401 to an older token therefore does
 * not drop the new token.
 *
 * **Gotchas**
 *
 * `exp` only decides when to renew. An `exp` that is absent, malformed, past, less than 10 minutes or more
 * than 30 days away counts as 30 days. A wrong `exp` or a wrong clock therefore never causes repeated
 * requests to `/auth`; a token that is no longer valid is replaced after its 401.
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

/**
 * Service that returns the access token of the configured merchant.
 *
 * - `get`: returns the cached token, or requests one. Fails with a `TokenError`.
 * - `peek`: returns the cached token if it has not expired at `now`, milliseconds since the epoch. When its renewal is
 *   due, it starts the renewal and does not wait for it.
 * - `drop`: removes a token that the service refused with a 401 from the cache.
 */
export class AccessToken extends Context.Service<
  AccessToken,
  {
    readonly get: Effect.Effect<Token, TokenError>
    readonly peek: (now: number) => Token | undefined
    readonly drop: (token: Token) => Effect.Effect<void>
  }
>()("@pawl/http/internal/token/AccessToken") {}

/**
 * An access token. `expiresAt` is the time until which it is used, in milliseconds since the epoch.
 */
export interface Token {
  readonly text: Redacted.Redacted
  readonly expiresAt: number
}

/**
 * Errors of a request for a token.
 */
export type TokenError = Exclude<ReadError, { readonly _tag: "ValidationFailed" | "NotFound" }>

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
          Attempts.send(transport, request, limits.attemptTimeout, current.remaining())
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
      Effect.forkIn(yield* Effect.scope)
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
    /** The cached token, or a new one. */
    const peekOr = (request: Effect.Effect<Token, TokenError>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const token = peek(now)
        return token === undefined ? request : Effect.succeed(token)
      })
    // A fiber may find no token and start its request only after that of another fiber has ended.
    const requestToken = sharesRequest ? yield* Effect.cachedWithTTL(peekOr(obtain), 0) : obtain

    return AccessToken.of({
      get: peekOr(requestToken),
      peek,
      drop: (token) =>
        Effect.sync(() => {
          if (cached === token) cached = undefined
        })
    })
  })

/**
 * Layer that requests tokens from `POST /api/v1/auth` with the configured credentials. It reads the secret
 * before each attempt.
 */
export const layer: Layer.Layer<AccessToken, never, PawlConfig | Transport> =
  /* @__PURE__ */ Layer.effect(AccessToken, /* @__PURE__ */ make(true))

/**
 * Layer like `layer`, in which each call that finds no cached token requests one of its own, and no call renews it
 * in the background.
 *
 * **Details**
 *
 * Cloudflare Workers tie input and output to one incoming request: a call of one request that waits for the
 * `/auth` request of another hangs. Here calls share the cached token only, which is replaced when it expires
 * or after a 401.
 */
export const layerPerRequest: Layer.Layer<AccessToken, never, PawlConfig | Transport> =
  /* @__PURE__ */ Layer.effect(AccessToken, /* @__PURE__ */ make(false))

/** The time from a renewal that fails to the next: 1, 2, 4, … minutes, at most an hour. Each has its own attempts. */
const renewalGap = (failures: number) => Duration.minutes(Math.min(2 ** failures, 60))

const noToken =
  "its body has no access token in a known field: set Profile.tokenField to the name of the field"

/** Converts the errors of `/auth`, so that they cannot be taken for errors of the call that needs a token. */
const toTokenError = (error: ReadError): TokenError => {
  const sent = false
  const parts = { ...ErrorResponse.partsOfError(error), sent } as const
  if (error._tag === "ValidationFailed") {
    const reason = "/auth does not accept the credentials"
    return new UnexpectedResponse({ ...parts, status: 400, reason })
  }
  if (error._tag === "NotFound")
    return new UnexpectedResponse({ ...parts, status: 404, reason: "the base URL has no /v1/auth" })
  return new errors[error._tag]({ ...error, sent } as never)
}

const errors = { Unauthorized, Unreachable, ServiceFailed, RateLimited, UnexpectedResponse }
