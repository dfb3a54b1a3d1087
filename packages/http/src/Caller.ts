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
import { OutcomeUnknown, type ReadError, Unauthorized, Unreachable } from "@pawl/core/PaymentsError"
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
    const unlessAnother = InFlight.make()
    let coolUntil = 0n

    const getToken = (attempt: Attempts.Attempt): Effect.Effect<Token, Attempts.Failed> =>
      Effect.flatMap(attempt.left, (duration) =>
        Effect.timeoutOrElse(tokens.get, {
          duration,
          orElse: () =>
            Effect.fail(
              new Unreachable({ reason: "no token in time", sent: false, attempts: attempt.number })
            )
        })
      ).pipe(Effect.mapError(Attempts.final))

    const sendWith = Effect.fnUntraced(function* (
      token: Token,
      request: Request,
      attempt: Attempts.Attempt
    ) {
      const authorization = `Bearer ${Redacted.value(token.text)}`
      const signed = { ...request, headers: { ...request.headers, authorization } }
      return yield* Attempts.accept(
        signed,
        yield* Attempts.send(config, transport, signed, attempt),
        attempt
      )
    })

    const authorized = Effect.fnUntraced(function* (request: Request, attempt: Attempts.Attempt) {
      const token = yield* getToken(attempt)
      return yield* Effect.catchIf(
        sendWith(token, request, attempt),
        ({ error }) => error._tag === "Unauthorized",
        () =>
          tokens.drop(token).pipe(
            Effect.andThen(getToken(attempt)),
            Effect.flatMap((fresh) => sendWith(fresh, request, attempt))
          )
      )
    })

    const prepare = (endpoint: Operation.Endpoint<unknown>, input: Operation.Input) =>
      Operation.toRequest(endpoint, config.baseUrl, input)

    const exchange = Effect.fnUntraced(function* <A>(
      endpoint: Operation.Endpoint<A>,
      request: Request,
      mayFollow: (failure: Attempts.Failed) => boolean
    ): Effect.fn.Return<A, Attempts.Ended> {
      if ((yield* Clock.monotonicTimeNanos) < coolUntil) {
        return yield* Effect.fail({ error: new Unauthorized({}), doubt: undefined })
      }
      const attempts = Attempts.run(
        config,
        mayFollow,
        Effect.fnUntraced(function* (attempt) {
          const response = yield* authorized(request, attempt)
          return yield* Effect.mapError(Operation.fromResponse(endpoint, response), (error) =>
            Attempts.failed(error)
          )
        })
      )
      return yield* Effect.tapError(attempts, ({ error }) =>
        error._tag === "Unauthorized" ? coolDown : Effect.void
      )
    })

    const coolDown = Effect.map(Clock.monotonicTimeNanos, (now) => {
      coolUntil = now + Duration.toNanosUnsafe(config.cooldown)
    })

    return Caller.of({
      call: Effect.fnUntraced(function* (endpoint, input) {
        const request = yield* prepare(endpoint, input)
        return yield* exchange(
          endpoint,
          request,
          endpoint.method === "GET" ? Attempts.isTransient : constFalse
        ).pipe(Effect.mapError(({ error }) => error))
      }),
      create: Effect.fnUntraced(function* (endpoint, payload) {
        const { requestId } = payload
        const request = yield* prepare(endpoint, { payload })
        const sent = exchange(endpoint, request, Attempts.isTransient).pipe(
          Effect.mapError(({ doubt, error }) =>
            doubt === undefined || error._tag === "ValidationFailed" || error._tag === "NotFound"
              ? error
              : new OutcomeUnknown({ requestId, cause: doubt })
          )
        )
        return yield* unlessAnother(requestId, request, sent)
      }),
      remove: Effect.fnUntraced(function* (endpoint, input) {
        const request = yield* prepare(endpoint, input)
        return yield* exchange(endpoint, request, Attempts.isInDoubt).pipe(
          // A later refusal says nothing about an attempt that may have taken effect.
          Effect.catch(({ doubt, error }) =>
            doubt !== undefined && error._tag === "NotFound"
              ? Effect.void
              : Effect.fail(doubt ?? error)
          )
        )
      })
    })
  })
)
