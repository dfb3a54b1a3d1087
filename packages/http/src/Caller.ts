/**
 * A call: one operation of the contract, from plain values to its typed answer or its typed error.
 *
 * **Details**
 *
 * A read is tried again after a failure that may pass. So is a create, because its body carries a
 * requestId: the same bytes under the same requestId are processed once, however often they arrive
 * (`spec.md`, "Conventions"). Another request under a requestId is refused while one is under way. A
 * removal is tried again only when it is in doubt whether it took effect; a 404 then says that it did. A
 * change is sent once.
 *
 * What is counted and timed is listed in `Metrics`. Where a tracer listens, the span of the call carries
 * the operation and its identifier (`pawl.requestId`, `pawl.transactionId` or `pawl.subscriptionId`); so
 * do the log lines about attempts that failed.
 *
 * A 401 is answered once, with a fresh token. When that one is refused too, the call fails with
 * `Unauthorized`, and for the time of the cool-down so does every other, without asking the service.
 *
 * A create must not be called failed when it may have taken effect. An attempt that broke off, met a
 * 5xx or brought an unreadable success leaves that in doubt. What ends the doubt is a success or a
 * documented refusal of the request itself (400, 404), which the service would not give to a requestId
 * it has processed; anything else becomes `OutcomeUnknown`.
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
 * Service that calls operations of the contract. Values are plain, as they would stand in the path and
 * in the body, and are checked by the endpoint's schemas before anything is sent.
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
    const unlessAnother = InFlight.make()
    let coolUntil = 0n

    const getToken = ({ left, number }: Attempts.Attempt): Effect.Effect<Token, Attempts.Failed> =>
      Effect.flatMap(tokens.peek, (held) =>
        held !== undefined
          ? Effect.succeed(held)
          : Effect.timeoutOrElse(tokens.get, {
              duration: left(),
              orElse: () =>
                Effect.fail(
                  new Unreachable({ reason: "no token in time", sent: false, attempts: number })
                )
            }).pipe(Effect.mapError(Attempts.final))
      )

    const sendWith = (token: Token, request: Request, attempt: Attempts.Attempt) => {
      const authorization = `Bearer ${Redacted.value(token.text)}`
      const signed = { ...request, headers: { ...request.headers, authorization } }
      return Effect.flatMap(Attempts.send(config, transport, signed, attempt), (response) =>
        Attempts.accept(signed, response, attempt)
      )
    }

    const authorized = (request: Request, attempt: Attempts.Attempt) =>
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

    const exchange = <A>(
      operation: Operation.Operation<A>,
      about: Attempts.About,
      request: Request,
      mayFollow: (failure: Attempts.Failed) => boolean
    ): Effect.Effect<A, Attempts.Ended> =>
      Effect.withFiber((fiber) => {
        if (fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe() < coolUntil) {
          return Effect.fail({ error: new Unauthorized({}), doubt: undefined })
        }
        const { span, tracer } = fiber.cache
        if (tracer !== undefined && span?._tag === "Span") {
          for (const [name, value] of Object.entries(about)) span.attribute(`pawl.${name}`, value)
        }
        return Effect.tapError(
          Attempts.run(config, about, mayFollow, (attempt) =>
            Effect.flatMap(authorized(request, attempt), (response) =>
              Effect.mapErrorEager(operation.fromResponse(response), (error) =>
                Attempts.failed(error)
              )
            )
          ),
          ({ error }) => (error._tag === "Unauthorized" ? coolDown : Effect.void)
        )
      })

    const coolDown = Effect.map(Clock.monotonicTimeNanos, (now) => {
      coolUntil = now + Duration.toNanosUnsafe(config.cooldown)
    })

    /** Makes the request, and times what is done with it. */
    const prepare = <A, B, E extends { readonly _tag: string }>(
      endpoint: Operation.Endpoint<A>,
      input: Operation.Input,
      ids: Readonly<Record<string, string>>,
      send: (
        operation: Operation.Operation<A>,
        about: Attempts.About,
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
        prepare(endpoint, input, idOf(input), (operation, about, request) =>
          Effect.mapError(
            exchange(
              operation,
              about,
              request,
              operation.isRead ? Attempts.isTransient : constFalse
            ),
            ({ error }) => error
          )
        ),
      create: (endpoint, payload) => {
        const { requestId } = payload
        return prepare(endpoint, { payload }, { requestId }, (operation, about, request) =>
          unlessAnother(
            requestId,
            request,
            Effect.mapError(
              exchange(operation, about, request, Attempts.isTransient),
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
        prepare(endpoint, input, idOf(input), (operation, about, request) =>
          exchange(operation, about, request, Attempts.isInDoubt).pipe(
            // A later refusal says nothing about an attempt that may have taken effect.
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

/** What identifies a call without a body of its own; nothing else of it is for logs. */
const idOf = ({ params = {} }: Operation.Input): Readonly<Record<string, string>> => {
  const { id, subscriptionId } = params
  if (id !== undefined) return { transactionId: id }
  return subscriptionId === undefined ? {} : { subscriptionId }
}
