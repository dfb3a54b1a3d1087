/**
 * The control API: what is true in a sandbox, as it is and as it changes, and what may be done to it.
 */
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
import { Fault, Faults } from "../../Faults.ts"
import { Gateway } from "../../Gateway.ts"
import { VirtualClock } from "../../VirtualClock.ts"
import { Access, refuse } from "./Access.ts"
import { withBody } from "./Body.ts"
import { invalid, reader, type Refusal } from "../gateway/Contract.ts"
import * as Events from "./Events.ts"
import { Feed } from "./Feed.ts"
import { Shelves } from "../gateway/Shelves.ts"
import type { Traffic } from "./Traffic.ts"

/** Layer that adds the control API to a router. */
export const routes = (
  traffic: Traffic
): Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | Access | Faults | Feed | Gateway | VirtualClock
> =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const { control } = yield* Access
      const clock = yield* VirtualClock
      const faults = yield* Faults
      const feed = yield* Feed
      const gateway = yield* Gateway
      const shelves = yield* Shelves

      const time = Effect.gen(function* () {
        const now = DateTime.formatIso(yield* DateTime.now)
        return { now, advanced: Duration.toMillis(yield* clock.advanced) }
      })

      /** Shows what changed to whoever listens, and to whoever changed it. */
      const tell = <A>(name: string, item: Effect.Effect<A>) =>
        Effect.map(item, (item) => {
          feed.tell(name, item)
          return json(item)
        })

      const add = (method: "GET" | "POST" | "DELETE", path: `/${string}`, handler: Handler) =>
        router.add(method, `/sandbox${path}`, control(Effect.catchTag(handler, "Refusal", refused)))

      /** A body is JSON, whatever its content type says: `curl -d` says it is a form. */
      const post = <A>(
        path: `/${string}`,
        read: (body: unknown) => Effect.Effect<A, Refusal>,
        handler: (given: A) => Handler
      ) =>
        add(
          "POST",
          path,
          withBody((body) => Effect.flatMap(Effect.flatMap(parse(body), read), handler))
        )

      const get = (path: `/${string}`, item: Effect.Effect<unknown>) =>
        add("GET", path, Effect.map(item, json))

      const list = (name: string) => Effect.sync(() => shelves.list(name))

      yield* get("/transactions", list("transaction"))
      yield* get("/deliveries", list("delivery"))
      yield* get("/subscriptions", list("subscription"))
      yield* get("/intents", list("intent"))
      yield* get("/requests", Effect.sync(traffic.list))
      yield* get("/clock", time)
      yield* get("/faults", faults.list)
      yield* add("GET", "/events", Events.answer(feed, clock))
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
          if (Duration.isGreaterThan(end, furthest)) return yield* tooFar
          yield* clock.advance(duration)
          yield* shelves.save
          return yield* tell("clock", time)
        })
      )
      yield* post("/faults", readFault, (fault) =>
        Effect.andThen(faults.add(fault), tell("faults", faults.list))
      )
      yield* add(
        "DELETE",
        "/faults",
        Effect.andThen(faults.clear, Effect.as(tell("faults", faults.list), empty))
      )
      yield* add(
        "POST",
        "/reset",
        Effect.gen(function* () {
          yield* gateway.reset
          yield* faults.clear
          traffic.clear()
          feed.tell("reset", {})
          yield* tell("faults", faults.list)
          return empty
        })
      )
      yield* router.add("*", "/sandbox/*", control(Effect.succeed(refuse(404, "No such endpoint"))))
    })
  )

type Handler = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Refusal,
  HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext
>

const id = Effect.map(HttpRouter.params, ({ id = "" }) => id)

const parse = (body: Uint8Array): Effect.Effect<unknown, Refusal> =>
  Effect.mapError(Effect.fromResult(Result.try((): unknown => JSON.parse(utf8.decode(body)))), () =>
    invalid([{ field: "body", message: "Expected JSON" }])
  )

const utf8 = new TextDecoder()

const parseDuration = (text: string): Option.Option<Duration.Duration> =>
  Option.filter(
    Duration.fromInput(text as Duration.Input),
    (duration) => Duration.isFinite(duration) && !Duration.isNegative(duration)
  )

const furthest = Duration.days(36_500)
const tooFar = invalid([{ field: "advance", message: "Expected less than 100 years in all" }])

const readAdvance = reader(
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

const readFault = reader(Fault)

const readMove = reader(
  Schema.Struct({
    status: Schema.Literals(statuses),
    declineCode: Schema.optionalKey(Schema.Int)
  }).check(
    Schema.makeFilter(({ declineCode, status }) =>
      declineCode !== undefined && status !== "FAILED"
        ? { path: ["declineCode"], issue: "Expected a declineCode with FAILED alone" }
        : undefined
    )
  )
)

const empty = HttpServerResponse.empty()

const json = (body: unknown) => HttpServerResponse.jsonUnsafe(body)

const found = (item: object | undefined) =>
  item === undefined ? refuse(404, "There is nothing with that id") : json(item)

const refused = ({ errors, message, status }: Refusal) =>
  Effect.succeed(HttpServerResponse.jsonUnsafe({ message, errors }, { status }))
