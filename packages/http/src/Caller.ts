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
 * - A DELETE is retried only when its effect is unknown. A 404 to such a retry counts as success.
 * - A PUT is sent once.
 *
 * After a 401 an attempt requests a new access token and sends the request once more. A second 401 fails the
 * call with `Unauthorized`. For the cooldown time after that, every call fails with `Unauthorized` without
 * a request.
 *
 * A create fails with `OutcomeUnknown` when it may have taken effect: the connection of an attempt broke, or
 * an attempt timed out, got a 5xx, or got a success that cannot be read. A later success settles it. So
 * does a later 400 or 404, because the service answers a processed requestId with its original response.
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
  Unreachable,
  type ValidationFailed
} from "@pawl/core/PaymentsError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constFalse } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AccessToken, type Token } from "./AccessToken.ts"
import * as Attempts from "./internal/Attempts.ts"
import * as InFlight from "./internal/InFlight.ts"
import * as Operation from "./internal/Operation.ts"
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
      payload: { readonly requestId: string }
    ) => Effect.Effect<A, ReadError | OutcomeUnknown>
    readonly remove: (
      endpoint: Operation.Endpoint<void>,
      input: Operation.Input
    ) => Effect.Effect<void, ReadError>
  }
>()("@pawl/http/Caller") {}

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
    const retryBudget = Attempts.makeRetryBudget(config.retryRatio)
    /** The end of the cooldown, in nanoseconds of the monotonic clock. */
    let cooldownEnd = 0n

    const getToken = ({
      number,
      remaining
    }: Attempts.Attempt): Effect.Effect<Token, Attempts.AttemptFailure> =>
      Effect.flatMap(tokens.peek, (cached) =>
        cached !== undefined
          ? Effect.succeed(cached)
          : Effect.timeoutOrElse(tokens.get, {
              duration: remaining(),
              orElse: () =>
                Effect.fail(
                  new Unreachable({
                    reason: "no access token in time",
                    sent: false,
                    attempts: number
                  })
                )
            }).pipe(Effect.mapError(Attempts.finalFailure))
      )

    const sendWith = (token: Token, request: Request, attempt: Attempts.Attempt) => {
      const authorization = `Bearer ${Redacted.value(token.text)}`
      const authorized = { ...request, headers: { ...request.headers, authorization } }
      return Effect.flatMap(Attempts.send(config, transport, authorized, attempt), (response) =>
        Attempts.requireSuccess(authorized, response, attempt)
      )
    }

    const sendAuthorized = (request: Request, attempt: Attempts.Attempt) =>
      Effect.flatMap(getToken(attempt), (token) =>
        Effect.catchIf(
          sendWith(token, request, attempt),
          ({ error }) => error._tag === "Unauthorized",
          () =>
            tokens.drop(token).pipe(
              Effect.andThen(getToken(attempt)),
              Effect.flatMap((fresh) => sendWith(fresh, request, attempt))
            )
        )
      )

    const sendWithRetries = <A>(
      operation: Operation.Operation<A>,
      annotations: Attempts.Annotations,
      request: Request,
      shouldRetry: (failure: Attempts.AttemptFailure) => boolean
    ): Effect.Effect<A, Attempts.CallFailure> =>
      Effect.withFiber((fiber) => {
        if (fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe() < cooldownEnd) {
          return Effect.fail({ error: new Unauthorized({}), doubt: undefined })
        }
        const { span, tracer } = fiber.cache
        if (tracer !== undefined && span?._tag === "Span") {
          for (const [name, value] of Object.entries(annotations))
            span.attribute(`pawl.${name}`, value)
        }
        return Effect.tapError(
          Attempts.run(config, retryBudget, annotations, shouldRetry, (attempt) =>
            Effect.flatMap(sendAuthorized(request, attempt), (response) =>
              Effect.mapErrorEager(operation.fromResponse(response), (error) =>
                Attempts.toFailure(error)
              )
            )
          ),
          ({ error }) => (error._tag === "Unauthorized" ? startCooldown : Effect.void)
        )
      })

    const startCooldown = Effect.map(Clock.monotonicTimeNanos, (now) => {
      cooldownEnd = now + Duration.toNanosUnsafe(config.cooldown)
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
              operation.isRead ? Attempts.isTransient : constFalse
            ),
            ({ error }) => error
          )
        ),
      create: (endpoint, payload) => {
        const { requestId } = payload
        return timedCall(endpoint, { payload }, { requestId }, (operation, annotations, request) =>
          whileInFlight(
            requestId,
            request,
            Effect.mapError(
              sendWithRetries(operation, annotations, request, Attempts.isTransient),
              ({ doubt, error }) =>
                doubt === undefined ||
                error._tag === "ValidationFailed" ||
                error._tag === "NotFound"
                  ? error
                  : new OutcomeUnknown({ requestId, cause: doubt })
            )
          )
        )
      },
      remove: (endpoint, input) =>
        timedCall(endpoint, input, idOf(input), (operation, annotations, request) =>
          sendWithRetries(operation, annotations, request, Attempts.isInDoubt).pipe(
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

/** Returns the id in the path of a call, for logs and spans. */
const idOf = ({ params = {} }: Operation.Input): Readonly<Record<string, string>> => {
  const { id, subscriptionId } = params
  if (id !== undefined) return { transactionId: id }
  return subscriptionId === undefined ? {} : { subscriptionId }
}
