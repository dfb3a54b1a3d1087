/**
 * Takes callbacks in: the whole path from socket to store, on one screen.
 *
 * **Details**
 *
 * `receive` verifies, stores, and only then answers 200; what follows (asking, telling) is the
 * pipeline's. Answers: 405, 413, 415 and 400 for what cannot be a callback, 401 for every failure of
 * the checksum alike, 503 while the store is not available (the service sends it again), 200 stored,
 * also for a repeat.
 *
 * @since 0.1.0
 */
import { type Refusal, StoreUnavailable } from "@pawl/core/CallbackError"
import type { Handler } from "@pawl/core/Handler"
import type { StatusReader } from "@pawl/core/StatusReader"
import type { Policy } from "@pawl/core/Evidence"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as ByteSize from "effect/ByteSize"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Confirmer from "./Confirmer.ts"
import * as Door from "./internal/doors/Door.ts"
import * as Patience from "./internal/SharedTimeout.ts"
import * as Journal from "./Journal.ts"
import { type Accepted, Ledger } from "./Ledger.ts"
import * as Metrics from "./Metrics.ts"
import * as Pipeline from "./Pipeline.ts"
import { type Incoming, maxBytes, type Verified, Verifier } from "./Verifier.ts"

/**
 * The status a callback is answered with.
 *
 * @category models
 * @since 0.1.0
 */
export type StatusCode = 200 | 400 | 401 | 405 | 413 | 415 | 503

/**
 * Service that takes one callback in.
 *
 * @category services
 * @since 0.1.0
 */
export class Receiver extends Context.Service<
  Receiver,
  {
    readonly receive: (incoming: Incoming) => Effect.Effect<StatusCode>
  }
>()("@pawl/webhook/Receiver") {}

/**
 * Layer that takes callbacks in and works on them: the receiver, its pipeline and its journal.
 *
 * **Details**
 *
 * `policy` says which claims the service has to confirm before the handler hears of them; `final` by
 * default.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options?: {
  readonly policy?: Policy
}): Layer.Layer<Receiver | Journal.Journal, never, Verifier | Ledger | Handler | StatusReader> =>
  Layer.merge(layerReceive, Pipeline.layer).pipe(
    Layer.provide(Confirmer.layer(options)),
    Layer.provideMerge(Journal.layer)
  )

/** A store that takes longer hangs. */
const patience = Duration.seconds(4)

const layerReceive = Layer.effect(
  Receiver,
  Effect.gen(function* () {
    const verifier = yield* Verifier
    const ledger = yield* Ledger
    const journal = yield* Journal.Journal
    const wait = yield* Patience.make(patience, new StoreUnavailable({}))
    let isCutOver = false

    /** What ends at once, as in memory, waits for nothing; what hangs is told to stop, and not waited for. */
    const inTime = (
      accepting: Effect.Effect<Accepted, StoreUnavailable>,
      context: Context.Context<never>
    ) => {
      const fiber = Effect.runForkWith(context)(accepting)
      return (
        fiber.pollUnsafe() ??
        wait<Accepted, StoreUnavailable>((answer) => {
          fiber.addObserver(answer)
          return () => fiber.interruptUnsafe()
        })
      )
    }

    const accept = (verified: Verified, context: Context.Context<never>) => {
      const clock = Context.get(context, Clock.Clock)
      const began = clock.monotonicTimeNanosUnsafe()
      return Effect.matchEffect(
        inTime(ledger.accept(verified, clock.currentTimeMillisUnsafe()), context),
        {
          onFailure: (error) => {
            Metrics.refused(503, context)
            return Effect.as(journal.raiseAlarm(notStored, error), 503 as const)
          },
          onSuccess: ({ isNew }) => {
            Metrics.took(Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9, context)
            return Effect.as(note(verified, isNew), 200 as const)
          }
        }
      )
    }

    const note = (verified: Verified, isNew: boolean) => {
      const { claim, quarantine, secret } = verified
      const entered = journal.record(
        verified,
        claim === undefined
          ? { _tag: "Quarantined", field: quarantine ?? "transactionStatus" }
          : { _tag: "Accepted", claim, isNew }
      )
      if (secret === "current") isCutOver = true
      return secret === "previous" && isCutOver
        ? Effect.andThen(entered, journal.raiseAlarm(stillPrevious))
        : entered
    }

    const refuse = ({ reason, status }: Refusal, context: Context.Context<never>) => {
      Metrics.refused(status, context)
      const logged = Effect.logDebug("Refused a callback", reason)
      return Effect.as(
        status === 401 ? Effect.andThen(logged, journal.raiseAlarm(notSigned)) : logged,
        status
      )
    }

    return Receiver.of({
      receive: (incoming) =>
        Effect.contextWith((context: Context.Context<never>) => {
          const verified = verifier.verify(incoming)
          return Result.isSuccess(verified)
            ? accept(verified.success, context)
            : refuse(verified.failure, context)
        })
    })
  })
)

const notSigned =
  "callbacks are refused with 401: they are forged, or the merchant secret is wrong and has to be mended within 62 minutes"
const notStored = "callbacks are answered 503: the ledger cannot be written"
const stillPrevious = "the previous merchant secret is still in use after the current one was"

/**
 * Layer that serves the receiver at a path of an `HttpRouter`, for every method.
 *
 * @category layers
 * @since 0.1.0
 */
export const route = (
  path: HttpRouter.PathInput = "/callback"
): Layer.Layer<never, never, HttpRouter.HttpRouter | Receiver> =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const receiver = yield* Receiver
      yield* router.add(
        "*",
        path,
        Effect.flatMap(HttpServerRequest, (request) => {
          const { headers, method, url } = request
          const said = {
            method,
            search: Door.searchOf(url),
            contentType: headers["content-type"],
            contentEncoding: headers["content-encoding"],
            checksum: takeChecksum(headers)
          }
          return readBody(request).pipe(
            Effect.matchEffect({
              onFailure: () => Effect.succeed<StatusCode>(413),
              onSuccess: (body) => receiver.receive({ ...said, body })
            }),
            Effect.map((status) =>
              HttpServerResponse.empty({ status, headers: Door.headersOf(status) })
            )
          )
        })
      )
    })
  )

/**
 * Whoever has seen a checksum can replay it. So it leaves the request here, and no logger, tracer or
 * error of the server around us can show it.
 */
const takeChecksum = (headers: Headers.Headers): string | undefined => {
  const checksum = headers["x-checksum"]
  Reflect.deleteProperty(headers, "x-checksum")
  return checksum
}

const readBody = (request: HttpServerRequest): Effect.Effect<Uint8Array, unknown> =>
  request.method === "POST"
    ? Effect.map(request.arrayBuffer, (buffer) => new Uint8Array(buffer)).pipe(
        Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(maxBytes))
      )
    : Effect.succeed(new Uint8Array())
