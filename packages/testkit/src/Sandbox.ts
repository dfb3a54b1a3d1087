/**
 * The gateway on a real port, for everything that speaks HTTP.
 *
 * **Details**
 *
 * | path | what is there |
 * |---|---|
 * | `/` | the console; see `Console` |
 * | `/api/*` | the service; a body of more than 64 KiB is 413 |
 * | `/docs`, `/openapi.json` | its contract, to read |
 * | `/pay/*`, `/challenge/*` | the pages for customers; see `HostedPage` |
 * | `GET /sandbox/transactions`, `GET /sandbox/transactions/{id}` | the truth |
 * | `POST /sandbox/transactions/{id}/status` `{"status", "declineCode"?}` | gives it a status, for good |
 * | `GET /sandbox/deliveries` | every try of every callback |
 * | `POST /sandbox/deliveries/{id}/resend` | posts that callback once more; answers with the try |
 * | `GET /sandbox/subscriptions`, `GET /sandbox/intents` | what else there is |
 * | `GET /sandbox/requests` | the latest 500 requests to the service, newest first |
 * | `GET /sandbox/clock` | `{"now", "advanced"}`, the second in milliseconds |
 * | `POST /sandbox/clock` `{"advance": "62 minutes"}` | answers when all that fell due was delivered |
 * | `GET /sandbox/faults`, `DELETE /sandbox/faults` | what goes wrong; nothing more does |
 * | `POST /sandbox/faults` `{"endpoint", "fault", "rate"?, "times"?}` | makes something go wrong; see `Faults` |
 * | `GET /sandbox/events` | all of this as it changes, as server-sent events |
 * | `POST /sandbox/reset` | forgets all of it but the time; 204 |
 *
 * What is wrong with a request to `/sandbox` is 400 and names the field. An event is named `transaction`,
 * `delivery`, `subscription`, `intent`, `request`, `clock`, `faults` or `reset`, and carries what its GET
 * lists.
 *
 * Pages and `/sandbox` answer 403 to a `Host` that is not this machine, and to the `Origin` of another
 * site: no page open in the developer's browser can reach it. Where callbacks may go, `NodeOutbound` says.
 *
 * **Gotchas**
 *
 * It is made for loopback. Bound to anything else it needs a `token`, which `/sandbox` then asks for as
 * a bearer token; whoever reaches it can read its pages and use its API with the merchant's credentials.
 *
 * @since 0.1.0
 */
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ServeError } from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"
import * as Courier from "./Courier.ts"
import * as Faults from "./Faults.ts"
import * as Gateway from "./Gateway.ts"
import * as GatewayConfig from "./GatewayConfig.ts"
import { apart } from "./internal/Apart.ts"
import * as Feed from "./internal/sandbox/Feed.ts"
import { isLoopback } from "@pawl/core/Loopback"
import * as NodeListener from "./internal/sandbox/NodeListener.ts"
import * as NodePort from "./internal/sandbox/NodePort.ts"
import * as Shelves from "./internal/gateway/Shelves.ts"
import * as Traffic from "./internal/sandbox/Traffic.ts"
import * as NodeOutbound from "./NodeOutbound.ts"
import * as VirtualClock from "./VirtualClock.ts"

/**
 * Service that says where a sandbox serves: `baseUrl` is what a client is configured with, such as
 * `http://127.0.0.1:4010/api`.
 *
 * @category services
 * @since 0.1.0
 */
export class Sandbox extends Context.Service<Sandbox, { readonly baseUrl: string }>()(
  "@pawl/testkit/Sandbox"
) {}

/**
 * What may be said about a sandbox.
 *
 * - `port`, `host`: where it serves; a free port of 127.0.0.1 unless given.
 * - `token`: what `/sandbox` asks for; has to be there when `host` is not loopback.
 * - `allowCallbacks`: hosts that callbacks may go to besides this machine, with a port or without.
 * - `filename`: the SQLite file that everything is kept in; without it, it is gone with the sandbox.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends GatewayConfig.Options {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly token?: Redacted.Redacted | undefined
  readonly allowCallbacks?: ReadonlyArray<string> | undefined
  readonly filename?: string | undefined
}

/**
 * Everything a sandbox hands out.
 *
 * @category models
 * @since 0.1.0
 */
export type Services =
  | Sandbox
  | Gateway.Gateway
  | Courier.Courier
  | Faults.Faults
  | VirtualClock.VirtualClock

/**
 * Error raised when a sandbox is to be seen by others, and anybody could control it.
 *
 * @category errors
 * @since 0.1.0
 */
export class Unguarded extends Data.TaggedError("Unguarded")<{ readonly host: string }> {
  override get message(): string {
    return `${this.host} can be reached by others: give the sandbox a token, or bind it to 127.0.0.1`
  }
}

/**
 * Why a sandbox does not start: its port cannot be had, its file cannot be used, or it is unguarded.
 *
 * @category errors
 * @since 0.1.0
 */
export type StartError = ServeError | SqlError | Unguarded

/**
 * Layer that serves a gateway, and hands out what it is made of beside the address.
 *
 * **Example** (A sandbox on a free port)
 *
 * ```ts
 * import * as Sandbox from "@pawl/testkit/Sandbox"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.map(Sandbox.Sandbox, ({ baseUrl }) => baseUrl).pipe(
 *   Effect.provide(Sandbox.layer({ pace: "50 millis", seed: 1 }))
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<Services, StartError> =>
  Layer.merge(served(options), address).pipe(
    Layer.provideMerge(Gateway.layer),
    Layer.provideMerge(Layer.merge(courier(options), Faults.layer)),
    Layer.provide([NodeOutbound.layer, NodeHmac.layer, config(options)]),
    Layer.provide(port(options)),
    Layer.provideMerge(clock),
    Layer.provide(shelves(options)),
    Layer.provide(Feed.layer),
    apart,
    own
  )

/** Who uses a sandbox keeps the clock they have. */
const own = <E>(layer: Layer.Layer<Services, E>): Layer.Layer<Services, E> =>
  Layer.effectContext(
    Effect.map(
      Layer.build(layer),
      Context.pick(
        Sandbox,
        Gateway.Gateway,
        Courier.Courier,
        Faults.Faults,
        VirtualClock.VirtualClock
      )
    )
  )

const localhost = "127.0.0.1"

const port = (options: Options) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { host = localhost, port = 0, token } = options
      if (!isLoopback(host) && token === undefined) return yield* new Unguarded({ host })
      if ((yield* environment) === "production") {
        yield* Effect.logWarning("This is a sandbox in production: no money moves through it")
      }
      return NodePort.layer(host, port)
    })
  )

const environment = Effect.orElseSucceed(Config.String("NODE_ENV"), () => "")

/** The clock goes on from where it was when a file was closed. */
const clock = Layer.unwrap(
  Effect.map(Shelves.Shelves, ({ open }) => {
    const kept = open<number>("clock")
    return VirtualClock.layer({
      advanced: Duration.millis(kept.get("advanced") ?? 0),
      stepped: (advanced) => {
        kept.set("advanced", Duration.toMillis(advanced))
      }
    })
  })
)

/** What a file needs is loaded for a file alone: it is a tenth of the time to start. */
const shelves = ({ filename }: Options) =>
  filename === undefined
    ? Shelves.layer
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() =>
            Promise.all([
              import("@pawl/webhook/NodeSqlite"),
              import("./internal/sandbox/ShelvesSql.ts")
            ])
          ),
          ([NodeSqlite, ShelvesSql]) =>
            Layer.provide(ShelvesSql.layer, NodeSqlite.layer({ filename }))
        )
      )

const courier = ({ allowCallbacks = [] }: Options) =>
  Layer.unwrap(
    Effect.map(NodePort.NodePort, ({ number }) =>
      Courier.layerTo(NodeOutbound.isAllowed(allowCallbacks, number))
    )
  )

/** The pages are where the sandbox is, which is known once it has its port. */
const config = (options: Options) =>
  Layer.unwrap(
    Effect.map(NodePort.NodePort, ({ origin }) =>
      GatewayConfig.layer({ pageUrl: origin, ...options })
    )
  )

/**
 * What comes to the service is answered at once. Everything else is for people, and loaded when they
 * first ask for it: it is a quarter of the modules.
 */
const served = ({ host = localhost, token }: Options) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { server, stop } = yield* NodePort.NodePort
      yield* Effect.addFinalizer(() => stop)
      const traffic = yield* Traffic.make
      const service = yield* NodeListener.make(traffic)
      const site = yield* Effect.cached(
        Effect.flatMap(
          Effect.promise(() => import("./internal/sandbox/NodeSite.ts")),
          ({ make }) => make(traffic, host, token)
        )
      )
      const fork = Effect.runForkWith(yield* Effect.context<Effect.Services<typeof site>>())
      server.on("request", (request, response) =>
        NodeListener.pathOf(request).startsWith("/api/")
          ? service(request, response)
          : fork(Effect.map(site, (listener) => listener(request, response)))
      )
    })
  )

const address = Layer.effect(
  Sandbox,
  Effect.map(NodePort.NodePort, ({ origin }) => ({ baseUrl: `${origin}/api` }))
)
