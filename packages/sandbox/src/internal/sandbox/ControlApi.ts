import { statuses } from "@pawl/core/Status"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Fault, Faults } from "@pawl/testkit/Faults"
import { Gateway } from "@pawl/testkit/Gateway"
import { VirtualClock } from "@pawl/testkit/VirtualClock"
import { RouteGuards, refuse } from "../http/RouteGuards.ts"
import { withBody } from "../http/RequestBody.ts"
import { invalid, refusing, type ErrorResponse } from "@pawl/testkit/internal/gateway/Contract"
import * as EventStream from "./EventStream.ts"
import { EventFeed } from "./EventFeed.ts"
import { StateStore } from "@pawl/testkit/internal/state/StateStore"
import type { Name, Show } from "./PublicForms.ts"
import type { RequestLog } from "./RequestLog.ts"

export const routes = (
  requestLog: RequestLog,
  show: Show
): Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | RouteGuards | Faults | EventFeed | Gateway | VirtualClock
> =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const { control } = yield* RouteGuards
      const clock = yield* VirtualClock
      const faults = yield* Faults
      const events = yield* EventFeed
      const gateway = yield* Gateway
      const store = yield* StateStore

      const time = Effect.gen(function* () {
        const now = DateTime.formatIso(yield* DateTime.now)
        return { now, advanced: Duration.toMillis(yield* clock.advanced) }
      })

      const publish = <A>(name: string, item: Effect.Effect<A>) =>
        Effect.map(item, (item) => {
          events.publish(name, item)
          return json(item)
        })

      const add = (method: "GET" | "POST" | "DELETE", path: `/${string}`, handler: Handler) =>
        router.add(
          method,
          `/sandbox${path}`,
          control(Effect.catchTag(handler, "ErrorResponse", refused))
        )

      /** Reads every body as JSON, because `curl -d` declares it a form. */
      const post = <A>(
        path: `/${string}`,
        read: (body: unknown) => Effect.Effect<A, ErrorResponse>,
        handler: (input: A) => Handler
      ) =>
        add(
          "POST",
          path,
          withBody((body) => Effect.flatMap(Effect.flatMap(parse(body), read), handler))
        )

      const get = (path: `/${string}`, item: Effect.Effect<unknown>) =>
        add("GET", path, Effect.map(item, json))

      const list = (name: Name) =>
        Effect.sync(() => Array.from(store.open(name).values(), (item) => show(name, item)))

      yield* get("/transactions", list("transaction"))
      yield* get("/deliveries", list("delivery"))
      yield* get("/subscriptions", list("subscription"))
      yield* get(
        "/intents",
        Effect.map(gateway.checkout.intents, (all) => all.map((intent) => show("intent", intent)))
      )
      yield* get("/requests", Effect.sync(requestLog.list))
      yield* add(
        "GET",
        "/requests/:id",
        Effect.map(id, (id) => found(requestLog.find(id)))
      )
      yield* add("GET", "/deliveries/:id", Effect.map(Effect.flatMap(id, gateway.posted), found))
      yield* get("/clock", time)
      yield* get("/faults", faults.list)
      yield* add("GET", "/events", EventStream.response(events, clock, show))
      yield* add(
        "GET",
        "/transactions/:id",
        Effect.map(Effect.flatMap(id, gateway.transaction), found)
      )
      yield* post("/transactions/:id/status", readMove, ({ declineCode, status }) =>
        Effect.map(
          Effect.flatMap(id, (id) => gateway.move(id, status, declineCode)),
          found
        )
      )
      yield* add(
        "POST",
        "/deliveries/:id/resend",
        Effect.map(Effect.flatMap(id, gateway.resend), found)
      )
      yield* post(
        "/clock",
        readAdvance,
        Effect.fnUntraced(function* ({ advance }) {
          const duration = Option.getOrThrow(parseDuration(advance))
          const end = Duration.sum(yield* clock.advanced, duration)
          if (Duration.isGreaterThan(end, maxAdvance)) return yield* tooFar
          yield* clock.advance(duration)
          yield* store.save
          return yield* publish("clock", time)
        })
      )
      yield* post("/faults", readFault, (fault) =>
        Effect.andThen(faults.add(fault), publish("faults", faults.list))
      )
      yield* add(
        "DELETE",
        "/faults",
        Effect.andThen(faults.clear, Effect.as(publish("faults", faults.list), empty))
      )
      yield* add(
        "POST",
        "/reset",
        Effect.gen(function* () {
          yield* gateway.reset
          yield* faults.clear
          requestLog.clear()
          events.publish("reset", {})
          yield* publish("faults", faults.list)
          return empty
        })
      )
      yield* router.add("*", "/sandbox/*", control(Effect.succeed(refuse(404, "No such endpoint"))))
    })
  )

type Handler = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  ErrorResponse,
  HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext
>

const id = Effect.map(HttpRouter.params, ({ id = "" }) => id)

const parse = (body: Uint8Array): Effect.Effect<unknown, ErrorResponse> =>
  Effect.mapError(Effect.fromResult(Result.try((): unknown => JSON.parse(utf8.decode(body)))), () =>
    invalid([{ field: "body", message: "Expected JSON" }])
  )

const utf8 = new TextDecoder()

const parseDuration = (text: string): Option.Option<Duration.Duration> =>
  Option.filter(
    Duration.fromInput(text as Duration.Input),
    (duration) => Duration.isFinite(duration) && !Duration.isNegative(duration)
  )

const maxAdvance = Duration.days(36_500)
const tooFar = invalid([{ field: "advance", message: "Expected at most 100 years in total" }])

/** A misspelt member would be ignored. */
const strict = <A>(schema: Schema.Codec<A, unknown>) =>
  refusing(Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" }))

const readAdvance = strict(
  Schema.Struct({
    advance: Schema.String.check(
      Schema.makeFilter(
        (text) =>
          Option.isSome(parseDuration(text)) ||
          'Expected a duration, such as "62 minutes" or "30 days"'
      )
    )
  })
)

const readFault = strict(Fault)

const readMove = strict(
  Schema.Struct({
    status: Schema.Literals(statuses),
    declineCode: Schema.optionalKey(Schema.Int)
  }).check(
    Schema.makeFilter(({ declineCode, status }) =>
      declineCode !== undefined && status !== "FAILED"
        ? { path: ["declineCode"], issue: "Expected a declineCode only with FAILED" }
        : undefined
    )
  )
)

const empty = HttpServerResponse.empty()

const json = (body: unknown) => HttpServerResponse.jsonUnsafe(body)

const found = (item: object | undefined) =>
  item === undefined ? refuse(404, "Nothing has this id") : json(item)

const refused = ({ errors, message, status }: ErrorResponse) =>
  Effect.succeed(HttpServerResponse.jsonUnsafe({ message, errors }, { status }))
