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
 * - A PUT is retried only when it surely had no effect: after a 429, or when it never left.
 * - A DELETE is retried in these cases too, and when its effect is unknown. A 404 to a retry whose effect was unknown
 *   counts as success.
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
 * failed attempts have the same annotations without the prefix. Each request of the call is a span of its own,
 * `POST /api/v1/payments/apm`, with the attributes of OpenTelemetry's conventions for HTTP clients:
 * `http.request.method`, `url.template`, `server.address`, `server.port`, `http.response.status_code`,
 * `http.request.resend_count` from the second request on, and `error.type`, which is the status from 400 on, or
 * the tag of the error when no response arrived.
 *
 * @since 0.1.0
 */
import type { Hmac } from "@pawl/core/Hmac"
import type { OutcomeUnknown, ReadError, ValidationFailed } from "@pawl/core/PaymentsError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { AccessToken } from "../token/AccessToken.ts"
import type { CallOptions, CreateOptions } from "../../CallOptions.ts"
import * as Attempts from "./Attempts.ts"
import * as Authorized from "../token/Authorized.ts"
import * as CallAttempts from "../CallAttempts.ts"
import * as Doubts from "./Creates.ts"
import * as Failure from "./Failure.ts"
import * as FirstAttempt from "../FirstAttempt.ts"
import * as InFlight from "./InFlight.ts"
import * as Limits from "../config/Limits.ts"
import * as Observed from "../wire/Observed.ts"
import * as Operation from "../wire/Operation.ts"
import * as Renewals from "../token/Renewals.ts"
import * as RetryBudget from "./RetryBudget.ts"
import * as Signed from "../wire/Signed.ts"
import * as Metrics from "../wire/Metrics.ts"
import { PawlConfig } from "../../PawlConfig.ts"
import { Transport } from "../../Transport.ts"

/**
 * Service that calls operations of the contract.
 *
 * - `call`: sends a GET with retries. A PUT is retried only when it surely had no effect.
 * - `create`: sends a POST whose body has a requestId, with retries. With `body` it sends that text, which `operation`
 *   made of the whole payload earlier; then of `payload` only the requestId counts.
 * - `remove`: sends a DELETE; a retry that gets a 404 succeeds.
 * - `operation`: returns what encodes the requests and decodes the responses of an endpoint. It sends nothing.
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
      input: Operation.Input,
      options?: CallOptions
    ) => Effect.Effect<A, ReadError>
    readonly create: <A>(
      endpoint: Operation.Endpoint<A>,
      payload: { readonly requestId: string },
      options?: CreateOptions,
      body?: string
    ) => Effect.Effect<A, ReadError | OutcomeUnknown>
    readonly remove: (
      endpoint: Operation.Endpoint<void>,
      input: Operation.Input,
      options?: CallOptions
    ) => Effect.Effect<void, ReadError>
    readonly operation: <A>(endpoint: Operation.Endpoint<A>) => Operation.Operation<A>
  }
>()("@pawl/http/internal/call/Caller") {}

/**
 * Layer that calls the service at the configured base URL.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Caller, never, AccessToken | Hmac | PawlConfig | Transport> =
  Layer.effect(
    Caller,
    Effect.gen(function* () {
      const config = yield* PawlConfig
      const tokens = yield* AccessToken
      const transport = yield* Transport
      const operationOf = Operation.makeAll({ ...config, signed: yield* Signed.make })
      const inFlight = InFlight.make()
      const doubts = Doubts.make()
      const renewals = Renewals.make(Duration.toNanosUnsafe(config.cooldown))
      const budget = RetryBudget.make(config.retryRatio)
      const usualLimits = Limits.of(config)
      const send: Authorized.Send = (call, request, total) =>
        Observed.observe(
          config.hooks,
          {
            operation: call.operation,
            request,
            attempt: call.requests,
            requestId: call.annotations["requestId"]
          },
          Attempts.send(transport, request, call.limits.attemptTimeout, total)
        )
      const sendAuthorized = Authorized.make(tokens, renewals, send)
      const runFirst = FirstAttempt.make(tokens, renewals, send)

      /** Encodes the request of a call, runs its attempts by `attempt` and records its duration. */
      const run = <A, B, E extends { readonly _tag: string }>(
        endpoint: Operation.Endpoint<A>,
        input: Operation.Input,
        ids: Readonly<Record<string, string>>,
        options: CallOptions | undefined,
        rules: Pick<Authorized.Call<A>, "shouldRetry" | "classify">,
        use: (
          call: Authorized.Call<A>,
          attempts: Effect.Effect<A, Failure.CallFailure>
        ) => Effect.Effect<B, E>
      ): Effect.Effect<B, E | ValidationFailed> => {
        const operation = operationOf(endpoint)
        const limits = Limits.make(usualLimits, options)
        if (Result.isFailure(limits)) return Effect.fail(limits.failure)
        return Effect.flatMapEager(operation.toRequest(input), (request) =>
          Metrics.timed(operation.name, ({ cache }, start) => {
            const annotations = { ...ids, operation: operation.name }
            if (cache.tracer !== undefined && cache.span?._tag === "Span") {
              for (const [name, value] of Object.entries(annotations))
                cache.span.attribute(`pawl.${name}`, value)
            }
            budget.earn()
            const call = {
              ...rules,
              annotations,
              budget,
              limits: limits.success,
              operation,
              request,
              requests: 0
            }
            return use(
              call,
              runFirst(call, (first) => CallAttempts.run(sendAuthorized, call, start, first))
            )
          })
        )
      }

      return Caller.of({
        call: (endpoint, input, options) =>
          run(
            endpoint,
            input,
            idOf(input),
            options,
            endpoint.method === "GET" ? read : write,
            (_, attempts) => Effect.mapError(attempts, ({ error }) => error)
          ),
        create: (endpoint, payload, options, body) => {
          const inDoubt = options?.inDoubt ?? false
          const { requestId } = payload
          if (inDoubt) doubts.add(requestId)
          const fail = ({ doubt, error }: Failure.CallFailure) =>
            Effect.fail(
              inDoubt || doubt !== undefined || doubts.has(requestId)
                ? Doubts.toOutcomeUnknown(requestId, error, doubt)
                : error
            )
          const classify = (failure: Failure.AttemptFailure) => {
            const classified = Failure.ofCreate(failure)
            if (classified.doubt !== undefined) doubts.add(requestId)
            return classified
          }
          const rules = { shouldRetry: Failure.isTransient, classify }
          const created = run(
            endpoint,
            { payload, body },
            { requestId },
            options,
            rules,
            (call, attempts) => {
              if (!inFlight.enter(requestId, call.request)) {
                return fail({ error: InFlight.refusal(), doubt: undefined })
              }
              return Effect.onExitPrimitive(attempts.pipe(Effect.catch(fail)), (exit) => {
                inFlight.leave(requestId)
                if (exit._tag === "Success") doubts.delete(requestId)
                else if (call.requests > 0 && Exit.hasInterrupts(exit)) doubts.add(requestId)
                return undefined
              })
            }
          )
          return created.pipe(
            Effect.catchTag("ValidationFailed", (error) => fail({ error, doubt: undefined }))
          )
        },
        remove: (endpoint, input, options) =>
          run(endpoint, input, idOf(input), options, removal, (_, attempts) =>
            // The error of a later attempt does not tell whether an earlier one took effect.
            attempts.pipe(
              Effect.catch(({ doubt, error }) =>
                doubt !== undefined && error._tag === "NotFound"
                  ? Effect.void
                  : Effect.fail(doubt ?? error)
              )
            )
          ),
        operation: operationOf
      })
    })
  )

const read = { shouldRetry: Failure.isTransient, classify: identity }

const write = { shouldRetry: Failure.hadNoEffect, classify: identity }

const removal = {
  shouldRetry: (failure: Failure.AttemptFailure): boolean =>
    Failure.isInDoubt(failure) || Failure.hadNoEffect(failure),
  classify: identity
}

/** Returns the id in the path of a call, for logs and spans. */
const idOf = ({ params = {} }: Operation.Input): Readonly<Record<string, string>> => {
  const { id, subscriptionId } = params
  if (id !== undefined) return { transactionId: id }
  return subscriptionId === undefined ? {} : { subscriptionId }
}
