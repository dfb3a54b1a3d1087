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
 * that decides the outcome ends the doubt, also one with the status FAILED. Any other end of the call is
 * `OutcomeUnknown`, also after a later 400 or 404: a proxy may have sent that.
 *
 * `Metrics` lists the metrics of a call. With a tracer the span of a call has the attributes
 * `pawl.operation` and `pawl.requestId`, `pawl.transactionId` or `pawl.subscriptionId`. The log lines about
 * failed attempts have the same annotations without the prefix. Each request of the call is a span of its own,
 * `POST /api/v1/payments/apm`, with the attributes of OpenTelemetry's conventions for HTTP clients:
 * `http.request.method`, `url.template`, `server.address`, `server.port`, `http.response.status_code`,
 * `http.request.resend_count` from the second request on, and `error.type`, which is the status from 400 on, or
 * the tag of the error when no response arrived.
 */
import type { Account } from "@pawl/core/Account"
import type { Hmac } from "@pawl/core/Hmac"
import type { OutcomeUnknown, ReadError, ValidationFailed } from "@pawl/core/PaymentsError"
import { Profile } from "@pawl/core/Profile"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { CallOptions, CreateOptions } from "../../CallOptions.ts"
import { PawlConfig } from "../../PawlConfig.ts"
import { type Response, Transport } from "../../Transport.ts"
import * as Settings from "../config/Settings.ts"
import { AccessToken } from "../token/AccessToken.ts"
import * as Renewals from "../token/Renewals.ts"
import * as Attempts from "../wire/Attempts.ts"
import * as Failure from "../wire/Failure.ts"
import * as Metrics from "../wire/Metrics.ts"
import * as Observed from "../wire/Observed.ts"
import * as Operation from "../wire/Operation.ts"
import * as Creates from "./Creates.ts"

/**
 * Decides what a decoded response to a create means: a result, or an error such as `Declined`. `OutcomeUnknown` leaves
 * the create in doubt.
 */
export type Decide<Response, A, E> = (
  requestId: string,
  response: Response
) => Result.Result<A, E | OutcomeUnknown>

/** A create to send. With `body` that text is sent, and of `payload` only the requestId counts. */
export interface Create<Response, A, E> {
  readonly endpoint: Operation.Endpoint<Response>
  readonly decide: Decide<Response, A, E>
  readonly payload: { readonly requestId: string }
  readonly body?: string | undefined
}

/**
 * Service that calls operations of the contract.
 *
 * - `call`: sends a GET with retries. A PUT is retried only when it surely had no effect.
 * - `create`: sends a POST whose body has a requestId, with retries.
 * - `remove`: sends a DELETE; a retry that gets a 404 succeeds.
 * - `account`: the merchant and the service.
 * - `operation`: returns what encodes the requests and decodes the responses of an endpoint. It sends nothing.
 *
 * The input has the plain values of the path and the body. The schemas of the endpoint check them before
 * anything is sent; invalid input fails with `ValidationFailed`.
 */
export class Caller extends Context.Service<
  Caller,
  {
    readonly account: Account
    readonly call: <A>(
      endpoint: Operation.Endpoint<A>,
      input: Operation.Input,
      options?: CallOptions
    ) => Effect.Effect<A, ReadError>
    readonly create: <Response, A, E>(
      create: Create<Response, A, E>,
      options?: CreateOptions
    ) => Effect.Effect<A, E | ReadError | OutcomeUnknown>
    readonly remove: (
      endpoint: Operation.Endpoint<void>,
      input: Operation.Input,
      options?: CallOptions
    ) => Effect.Effect<void, ReadError>
    readonly operation: <A>(endpoint: Operation.Endpoint<A>) => Operation.Operation<A>
  }
>()("@pawl/http/internal/call/Caller") {}

/** One call of an operation, and the rules of its attempts. */
interface Call extends Attempts.Rules, Renewals.Call {
  readonly operation: Operation.Operation<unknown>
}

/** Layer that calls the service at the configured base URL. */
export const layer: Layer.Layer<Caller, never, AccessToken | Hmac | PawlConfig | Transport> =
  Layer.effect(
    Caller,
    Effect.gen(function* () {
      const config = yield* PawlConfig
      const profile = yield* Profile
      const transport = yield* Transport
      const operationOf = Operation.makeAll({ ...config, signed: yield* Operation.signer })
      const creates = Creates.make()
      const budget = Attempts.makeBudget(config.retryRatio)
      const usualLimits = Settings.limitsOf(config)
      const send = Renewals.sender<Call>(
        yield* AccessToken,
        Renewals.make(Duration.toNanosUnsafe(config.cooldown)),
        ({ annotations, limits, operation, requests }, request, total) =>
          Observed.observe(
            config.hooks,
            { operation, request, attempt: requests, requestId: annotations["requestId"] },
            Attempts.send(transport, request, limits.attemptTimeout, total)
          )
      )

      /** Encodes the request of a call, runs its attempts by `use` and records its duration. */
      const run = <A, B, E extends { readonly _tag: string }>(
        endpoint: Operation.Endpoint<A>,
        input: Operation.Input,
        ids: Readonly<Record<string, string>>,
        options: CallOptions | undefined,
        rules: Pick<Attempts.Rules, "shouldRetry" | "classify">,
        use: (call: Call, attempts: Effect.Effect<A, Failure.CallFailure>) => Effect.Effect<B, E>
      ): Effect.Effect<B, E | ValidationFailed> => {
        const operation = operationOf(endpoint)
        const limits = Settings.limits(usualLimits, options)
        if (Result.isFailure(limits)) return Effect.fail(limits.failure)
        return Effect.flatMapEager(operation.toRequest(input), (request) =>
          Metrics.timed(operation.name, ({ cache }, start) => {
            const annotations = { ...ids, operation: operation.name }
            if (cache.tracer !== undefined && cache.span?._tag === "Span") {
              for (const [name, value] of Object.entries(annotations))
                cache.span.attribute(`pawl.${name}`, value)
            }
            budget.earn()
            const call: Call = {
              ...rules,
              annotations,
              budget,
              limits: limits.success,
              operation,
              request,
              requests: 0
            }
            const decode = (response: Response) =>
              Effect.mapErrorEager(operation.fromResponse(response, annotations), (error) =>
                Failure.toFailure(error)
              )
            return use(
              call,
              Attempts.run(call, (attempt) => send(call, attempt, decode), start)
            )
          })
        )
      }

      const call: Caller["Service"]["call"] = (endpoint, input, options) =>
        run(
          endpoint,
          input,
          idOf(input),
          options,
          { shouldRetry: endpoint.method === "GET" ? Failure.isTransient : Failure.hadNoEffect },
          (_, attempts) => Effect.mapError(attempts, ({ error }) => error)
        )

      return Caller.of({
        account: { merchantKey: config.merchantKey, baseUrl: config.baseUrl },
        call,
        create: ({ body, decide, endpoint, payload }, options) => {
          const inDoubt = options?.inDoubt ?? false
          const { requestId } = payload
          if (inDoubt) creates.add(requestId)
          const fail = (failure: Failure.CallFailure) =>
            Effect.fail(creates.toError(requestId, failure, inDoubt))
          const classify = (failure: Failure.AttemptFailure) => {
            const classified = Failure.ofCreate(failure, profile)
            if (classified.doubt !== undefined) creates.add(requestId, classified.doubt)
            return classified
          }
          const created = run(
            endpoint,
            { payload, body },
            { requestId },
            options,
            { shouldRetry: Failure.isTransient, classify },
            (call, attempts) => {
              if (!creates.enter(requestId, call.request)) {
                return fail({ error: Creates.refusal(), doubt: undefined })
              }
              return Effect.onExitPrimitive(attempts.pipe(Effect.catch(fail)), (exit) => {
                creates.leave(requestId)
                if (call.requests > 0 && Exit.hasInterrupts(exit)) creates.add(requestId)
                return undefined
              })
            }
          ).pipe(Effect.catchTag("ValidationFailed", (error) => fail({ error, doubt: undefined })))
          return Effect.flatMap(created, (response) => {
            const outcome = decide(requestId, response)
            if (Result.isFailure(outcome) && isUnknown(outcome.failure))
              creates.add(requestId, outcome.failure.cause)
            else creates.delete(requestId)
            return Effect.fromResult(outcome)
          })
        },
        remove: (endpoint, input, options) =>
          run(
            endpoint,
            input,
            idOf(input),
            options,
            {
              shouldRetry: (failure) => Failure.isInDoubt(failure) || Failure.hadNoEffect(failure)
            },
            (_, attempts) =>
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

const isUnknown = (error: unknown): error is OutcomeUnknown =>
  typeof error === "object" && error !== null && Reflect.get(error, "_tag") === "OutcomeUnknown"

/** Returns the id in the path of a call, for logs and spans. */
const idOf = ({ params = {} }: Operation.Input): Readonly<Record<string, string>> => {
  const { id, subscriptionId } = params
  if (id !== undefined) return { transactionId: id }
  return subscriptionId === undefined ? {} : { subscriptionId }
}
