/**
 * Calls an operation of the contract: encodes the request, sends it with retries, decodes the response.
 *
 * **Details**
 *
 * - A read is retried after a transient failure.
 * - A create is retried with the same bytes, since the service processes a requestId once (`spec.md`,
 *   "Conventions").
 * - A PUT is retried only when it surely had no effect: after a 429, or when it never left.
 * - A DELETE is retried also when its effect is unknown. A 404 to such a retry counts as success.
 *
 * A create is in doubt when it may have taken effect (`CreateProof`). Only a readable response that
 * decides the outcome ends the doubt; any other end of the call is `OutcomeUnknown`.
 *
 * With a tracer the span of a call has `pawl.operation` and `pawl.requestId`, `pawl.transactionId` or
 * `pawl.subscriptionId` (`docs/decisions/0027-metrics-and-spans.md`).
 */
import type { Account } from "@pawl/core/Account"
import type { Hmac } from "@pawl/core/Hmac"
import type { OutcomeUnknown, ReadError, ValidationFailed } from "@pawl/core/PaymentsError"
import { Profile } from "@pawl/core/Profile"
import type { SendOptions } from "@pawl/core/RequestSender"
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
 * Decides whether a decoded response is a result or an error. `OutcomeUnknown` leaves the create in doubt.
 */
export type Decide<Response, A, E> = (
  requestId: string,
  response: Response
) => Result.Result<A, E | OutcomeUnknown>

/** A create to send. `body` replaces `payload`, of which only the requestId counts then. */
export interface Create<Response, A, E> {
  readonly endpoint: Operation.Endpoint<Response>
  readonly decide: Decide<Response, A, E>
  readonly payload: { readonly requestId: string }
  readonly body?: string | undefined
}

/**
 * Service that calls operations of the contract. The schemas of the endpoint check the plain input before
 * anything is sent.
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
      options?: CreateOptions & Pick<SendOptions, "hadNoEffect">
    ) => Effect.Effect<A, E | ReadError | OutcomeUnknown>
    readonly remove: (
      endpoint: Operation.Endpoint<void>,
      input: Operation.Input,
      options?: CallOptions
    ) => Effect.Effect<void, ReadError>
    /** Returns the encoder and decoder of an endpoint. Sends nothing. */
    readonly operation: <A>(endpoint: Operation.Endpoint<A>) => Operation.Operation<A>
  }
>()("@pawl/http/internal/call/Caller") {}

interface Call extends Attempts.Rules, Renewals.Call {
  readonly operation: Operation.Operation<unknown>
}

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
        ({ annotations, limits, operation, requests }, request, attempt) =>
          Observed.observe(
            config.hooks,
            { operation, request, attempt: requests, requestId: annotations["requestId"] },
            Attempts.send(transport, request, limits.attemptTimeout, attempt)
          )
      )

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
          if (options?.hadNoEffect === true) creates.delete(requestId)
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
              let isEntered = false
              const entered = Effect.suspend(() => {
                isEntered = creates.enter(requestId, call.request)
                return isEntered
                  ? attempts
                  : Effect.fail({ error: Creates.refusal(), doubt: undefined })
              })
              return Effect.onExitPrimitive(entered.pipe(Effect.catch(fail)), (exit) => {
                if (isEntered) creates.leave(requestId)
                if (call.requests > 0 && !Exit.hasFails(exit) && !Exit.isSuccess(exit))
                  creates.add(requestId)
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
                Effect.asVoid,
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

const idOf = ({ params = {} }: Operation.Input): Readonly<Record<string, string>> => {
  const { id, subscriptionId } = params
  if (id !== undefined) return { transactionId: id }
  return subscriptionId === undefined ? {} : { subscriptionId }
}
