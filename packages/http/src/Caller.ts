/**
 * Calls an operation of the contract: encodes the request, sends it with retries, decodes the response.
 *
 * **Details**
 *
 * Retries depend on the kind of call:
 *
 * - A read is retried after a transient failure.
 * - A create is retried after a transient failure with the same bytes. Its body has a requestId, and the
 *   service processes a requestId once (`spec.md`, "Conventions"). While a create is in flight, another
 *   request with the same requestId is refused.
 * - A DELETE is retried when its effect is unknown, and after a 429. A 404 to a retry whose effect was unknown
 *   counts as success.
 * - A PUT is sent once.
 * - A request that surely never left is sent again, whatever its method.
 *
 * After a 401 an attempt requests a new access token and sends the request once more. A second 401 fails the
 * call with `Unauthorized`. It concerns this operation only: for the cooldown time its next 401 fails without
 * a request for a token. While no operation has succeeded with the newest token, 401s cause one request for a
 * token in the cooldown time.
 *
 * A create is in doubt when it may have taken effect: the connection of an attempt broke, or an attempt timed
 * out, got a 3xx, 408, 409, 423, 425 or 5xx, or got a success that cannot be read. Only a readable response
 * that names the transaction ends the doubt, also one with the status FAILED. Any other end of the call is
 * `OutcomeUnknown`, also after a later 400 or 404: a proxy may have sent that.
 *
 * `Metrics` lists the metrics of a call. With a tracer the span of a call has the attributes
 * `pawl.operation` and `pawl.requestId`, `pawl.transactionId` or `pawl.subscriptionId`. The log lines about
 * failed attempts have the same annotations without the prefix.
 *
 * @since 0.1.0
 */
import {
  OutcomeUnknown,
  type ReadError,
  Unauthorized,
  type UnexpectedResponse,
  Unreachable,
  type ValidationFailed
} from "@pawl/core/PaymentsError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AccessToken, type Token } from "./AccessToken.ts"
import * as Attempts from "./internal/Attempts.ts"
import * as Crossed from "./internal/Crossed.ts"
import * as Doubts from "./internal/Doubts.ts"
import * as InFlight from "./internal/InFlight.ts"
import * as Operation from "./internal/Operation.ts"
import * as Renewals from "./internal/Renewals.ts"
import * as Metrics from "./Metrics.ts"
import { PawlConfig } from "./PawlConfig.ts"
import { type Request, Transport } from "./Transport.ts"

/**
 * Service that calls operations of the contract.
 *
 * - `call`: sends a GET with retries, any other method once.
 * - `create`: sends a POST whose body has a requestId, with retries.
 * - `remove`: sends a DELETE; a retry that gets a 404 succeeds.
 *
 * The input has the plain values of the path and the body. The schemas of the endpoint check them before
 * anything is sent; invalid input fails with `ValidationFailed`.
 *
 * @category services
 * @since 0.1.0
 */
export class Caller extends Context.Service<
  Caller,
  {
    readonly call: <A>(
      endpoint: Operation.Endpoint<A>,
      input: Operation.Input
    ) => Effect.Effect<A, ReadError>
    readonly create: <A>(
      endpoint: Operation.Endpoint<A>,
      payload: { readonly requestId: string },
      options?: CreateOptions
    ) => Effect.Effect<A, ReadError | OutcomeUnknown>
    readonly remove: (
      endpoint: Operation.Endpoint<void>,
      input: Operation.Input
    ) => Effect.Effect<void, ReadError>
  }
>()("@pawl/http/Caller") {}

/**
 * The options of a create.
 *
 * - `inDoubt`: whether an earlier request with this requestId may have taken effect, for example in a process
 *   that ended before its response. Then only a readable response of the service ends the doubt: every error of
 *   the call is an `OutcomeUnknown`. A client remembers the doubts of its own calls by itself, up to 10,000.
 *
 * @category models
 * @since 0.1.0
 */
export interface CreateOptions {
  readonly inDoubt?: boolean | undefined
}

/**
 * Layer that calls the service at the configured base URL.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Caller, never, AccessToken | PawlConfig | Transport> = Layer.effect(
  Caller,
  Effect.gen(function* () {
    const config = yield* PawlConfig
    const tokens = yield* AccessToken
    const transport = yield* Transport
    const operationOf = Operation.makeAll(config.baseUrl)
    const whileInFlight = InFlight.make()
    const doubts = Doubts.make()
    const renewals = Renewals.make(Duration.toNanosUnsafe(config.cooldown))
    const retryBudget = Attempts.makeRetryBudget(config.retryRatio)

    const getToken = (
      { number, remaining }: Attempts.Attempt,
      progress: Progress
    ): Effect.Effect<Token, Attempts.AttemptFailure> =>
      Effect.flatMap(tokens.peek, (cached) =>
        cached !== undefined
          ? Effect.succeed(cached)
          : Effect.mapError(requestToken(number, remaining), (error) =>
              Attempts.finalFailure(
                error._tag === "Unauthorized" ? new Unauthorized({ sent: progress.sent }) : error
              )
            )
      )

    const requestToken = (attempts: number, remaining: Attempts.Attempt["remaining"]) =>
      Effect.flatMap(Clock.monotonicTimeNanos, (now) =>
        renewals.mayAsk(now)
          ? tokens.get.pipe(
              Effect.timeoutOrElse({
                duration: remaining(),
                orElse: () =>
                  Effect.fail(
                    new Unreachable({ reason: "no access token in time", sent: false, attempts })
                  )
              }),
              Effect.tapErrorTag("Unauthorized", () =>
                Effect.map(Clock.monotonicTimeNanos, renewals.authRefused)
              )
            )
          : Effect.fail(new Unauthorized({ sent: false }))
      )

    const sendWith = (
      token: Token,
      operation: string,
      request: Request,
      attempt: Attempts.Attempt,
      progress: Progress
    ) => {
      const authorization = `Bearer ${Redacted.value(token.text)}`
      const authorized = { ...request, headers: { ...request.headers, authorization } }
      progress.sent = true
      return Effect.flatMap(Attempts.send(config, transport, authorized, attempt), (response) => {
        if (response.status >= 200 && response.status < 300) renewals.succeeded(operation, token)
        return Attempts.requireSuccess(authorized, response, attempt)
      })
    }

    const sendAuthorized = (
      operation: string,
      request: Request,
      attempt: Attempts.Attempt,
      progress: Progress
    ) =>
      Effect.flatMap(getToken(attempt, progress), (token) =>
        Effect.catchIf(
          sendWith(token, operation, request, attempt, progress),
          isUnauthorized,
          (failure) =>
            Effect.flatMap(afterRefusal(operation, token), (next) =>
              next === "fail"
                ? Effect.fail(failure)
                : Effect.flatMap(getToken(attempt, progress), (fresh) =>
                    Effect.tapError(
                      sendWith(fresh, operation, request, attempt, progress),
                      (error) =>
                        isUnauthorized(error)
                          ? Effect.map(Clock.monotonicTimeNanos, (now) =>
                              renewals.refused(operation, now)
                            )
                          : Effect.void
                    )
                  )
            )
        )
      )

    const afterRefusal = Effect.fnUntraced(function* (operation: string, token: Token) {
      const now = yield* Clock.monotonicTimeNanos
      const next = renewals.afterRefusal(operation, token, yield* tokens.peek, now)
      if (next === "renew") yield* tokens.drop(token)
      return next
    })

    const sendWithRetries = <A>(
      operation: Operation.Operation<A>,
      annotations: Attempts.Annotations,
      request: Request,
      shouldRetry: (failure: Attempts.AttemptFailure) => boolean,
      progress: Progress = { sent: false },
      classify: (failure: Attempts.AttemptFailure) => Attempts.AttemptFailure = identity
    ): Effect.Effect<A, Attempts.CallFailure> =>
      Effect.withFiber((fiber) => {
        const { span, tracer } = fiber.cache
        if (tracer !== undefined && span?._tag === "Span") {
          for (const [name, value] of Object.entries(annotations))
            span.attribute(`pawl.${name}`, value)
        }
        return Attempts.run(config, retryBudget, annotations, shouldRetry, (attempt) =>
          Effect.mapErrorEager(
            Effect.flatMap(sendAuthorized(operation.name, request, attempt, progress), (response) =>
              Effect.mapErrorEager(
                Effect.flatMapEager(operation.fromResponse(response), (value) =>
                  Crossed.isOwn(value, annotations)
                    ? Effect.succeed(value)
                    : Effect.fail(Crossed.toError(response))
                ),
                (error) => Attempts.toFailure(error)
              )
            ),
            classify
          )
        )
      })

    /** Builds the request of a call, and records the duration of `send`. */
    const timedCall = <A, B, E extends { readonly _tag: string }>(
      endpoint: Operation.Endpoint<A>,
      input: Operation.Input,
      ids: Readonly<Record<string, string>>,
      send: (
        operation: Operation.Operation<A>,
        annotations: Attempts.Annotations,
        request: Request
      ) => Effect.Effect<B, E>
    ): Effect.Effect<B, E | ValidationFailed> => {
      const operation = operationOf(endpoint)
      return Effect.flatMap(operation.toRequest(input), (request) =>
        Metrics.timed(
          operation.name,
          send(operation, { ...ids, operation: operation.name }, request)
        )
      )
    }

    return Caller.of({
      call: (endpoint, input) =>
        timedCall(endpoint, input, idOf(input), (operation, annotations, request) =>
          Effect.mapError(
            sendWithRetries(
              operation,
              annotations,
              request,
              operation.isRead ? Attempts.isTransient : Attempts.isUnsent
            ),
            ({ error }) => error
          )
        ),
      create: (endpoint, payload, { inDoubt = false } = {}) => {
        const { requestId } = payload
        if (inDoubt) doubts.add(requestId)
        const progress = { sent: false }
        const classify = (failure: Attempts.AttemptFailure) => {
          const classified = Attempts.ofCreate(failure)
          if (classified.doubt !== undefined) doubts.add(requestId)
          return classified
        }
        const refuse = (error: ReadError, doubt: Attempts.Doubt | undefined) =>
          inDoubt || doubt !== undefined || doubts.has(requestId)
            ? toOutcomeUnknown(requestId, error, doubt)
            : error
        return timedCall(endpoint, { payload }, { requestId }, (operation, annotations, request) =>
          whileInFlight(
            requestId,
            request,
            sendWithRetries(
              operation,
              annotations,
              request,
              Attempts.isTransient,
              progress,
              classify
            ).pipe(
              Effect.mapBoth({
                onSuccess: (response) => {
                  doubts.delete(requestId)
                  return response
                },
                onFailure: ({ doubt, error }) => refuse(error, doubt)
              }),
              Effect.onInterrupt(() =>
                Effect.sync(() => {
                  if (progress.sent) doubts.add(requestId)
                })
              )
            )
          )
        ).pipe(
          Effect.mapError((error) =>
            error._tag === "OutcomeUnknown" ? error : refuse(error, undefined)
          )
        )
      },
      remove: (endpoint, input) =>
        timedCall(endpoint, input, idOf(input), (operation, annotations, request) =>
          sendWithRetries(operation, annotations, request, mayRemoveAgain).pipe(
            // The error of a later attempt does not tell whether an earlier one took effect.
            Effect.catch(({ doubt, error }) =>
              doubt !== undefined && error._tag === "NotFound"
                ? Effect.void
                : Effect.fail(doubt ?? error)
            )
          )
        )
    })
  })
)

/** Whether a request of a call may have left. */
interface Progress {
  sent: boolean
}

/** The service did not carry out a DELETE that it answered with 429. */
const mayRemoveAgain = (failure: Attempts.AttemptFailure): boolean =>
  Attempts.isInDoubt(failure) || Attempts.isUnsent(failure) || failure.error._tag === "RateLimited"

const isUnauthorized = ({ error }: Attempts.AttemptFailure): boolean =>
  error._tag === "Unauthorized"

const toOutcomeUnknown = (
  requestId: string,
  error: ReadError,
  doubt: Attempts.Doubt | undefined
): OutcomeUnknown => {
  const cause = doubt ?? error
  const { body, serviceRequestId } = { ...responseOf(error), ...responseOf(cause) }
  return new OutcomeUnknown({
    requestId,
    cause,
    ...(error !== cause && { refusal: error }),
    ...(body !== undefined && { body }),
    ...(serviceRequestId !== undefined && { serviceRequestId })
  })
}

/** Returns the parts of the response that an error has. */
const responseOf = (error: ReadError): Pick<UnexpectedResponse, "body" | "serviceRequestId"> => ({
  ...("body" in error && error.body !== undefined && { body: error.body }),
  ...("serviceRequestId" in error &&
    error.serviceRequestId !== undefined && { serviceRequestId: error.serviceRequestId })
})

/** Returns the id in the path of a call, for logs and spans. */
const idOf = ({ params = {} }: Operation.Input): Readonly<Record<string, string>> => {
  const { id, subscriptionId } = params
  if (id !== undefined) return { transactionId: id }
  return subscriptionId === undefined ? {} : { subscriptionId }
}
