/**
 * The gateway on a port, for any HTTP client.
 *
 * **Details**
 *
 * | path | content |
 * |---|---|
 * | `/` | the console |
 * | `/api/*` | the service; a body of more than 64 KiB is 413 |
 * | `/docs`, `/openapi.json` | the contract, as documentation and as a file |
 * | `/pay/*`, `/apm/*`, `/challenge/*` | the pages for customers |
 * | `GET /sandbox/transactions`, `GET /sandbox/transactions/{id}` | the true transactions |
 * | `POST /sandbox/transactions/{id}/status` `{"status", "declineCode"?}` | gives a transaction a status, which it keeps |
 * | `GET /sandbox/deliveries`, `GET /sandbox/deliveries/{id}` | every attempt of every callback; the URL and body of one |
 * | `POST /sandbox/deliveries/{id}/resend` | sends that callback once more, and returns the attempt |
 * | `GET /sandbox/subscriptions`, `GET /sandbox/intents` | the subscriptions and the payment intents |
 * | `GET /sandbox/requests`, `GET /sandbox/requests/{id}` | the latest 500 requests, newest first; one with its bodies, secrets masked |
 * | `GET /sandbox/clock` | `{"now", "advanced"}`, the second in milliseconds |
 * | `POST /sandbox/clock` `{"advance": "62 minutes"}` | advances the clock; responds once everything that fell due is delivered |
 * | `GET /sandbox/faults`, `DELETE /sandbox/faults` | lists the active faults; removes them |
 * | `POST /sandbox/faults` `{"endpoint", "fault", "rate"?, "times"?}` | adds a fault; see `Faults` |
 * | `GET /sandbox/events` | every change, as server-sent events |
 * | `POST /sandbox/reset` | removes everything but the advance of the clock; 204. Ids continue, except with a seed |
 *
 * An invalid request to `/sandbox` is a 400 that names the field. The events are `transaction`,
 * `delivery`, `subscription`, `intent`, `request`, `clock`, `faults` and `reset`; each has the item
 * that its GET lists.
 *
 * Requests from other web sites are refused with 403 (DNS rebinding, CSRF), and callbacks go only
 * to this machine and to allowed hosts.
 *
 * **Gotchas**
 *
 * A sandbox is made for loopback. Anyone who reaches it can read its pages, and use its API with
 * the merchant's credentials.
 *
 * @since 0.1.0
 */
import type * as Profile from "@pawl/core/Profile"
import { isolated } from "@pawl/core/internal/Isolated"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"
import * as Courier from "@pawl/testkit/Courier"
import * as Faults from "@pawl/testkit/Faults"
import * as Gateway from "@pawl/testkit/Gateway"
import * as EventFeed from "./internal/sandbox/EventFeed.ts"
import { isLoopback } from "@pawl/core/internal/Loopback"
import * as LocalHost from "./internal/http/LocalHost.ts"
import * as NodeListener from "./internal/sandbox/NodeListener.ts"
import * as NodePort from "./internal/sandbox/NodePort.ts"
import * as StateStore from "@pawl/testkit/internal/state/StateStore"
import * as RequestLog from "./internal/sandbox/RequestLog.ts"
import * as WatchedStore from "./internal/sandbox/WatchedStore.ts"
import * as NodeOutbound from "./internal/NodeOutbound.ts"
import * as Readings from "./Readings.ts"
import * as VirtualClock from "@pawl/testkit/VirtualClock"
import type { CannotListen } from "@pawl/webhook/NodeReceiver"

/**
 * Service that holds the base URL of a sandbox.
 *
 * @category services
 * @since 0.1.0
 */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** The base URL for clients, such as `http://127.0.0.1:4010/api`. */
    readonly baseUrl: string
  }
>()("@pawl/sandbox/Sandbox") {}

/**
 * The settings of a sandbox.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Gateway.Options {
  /** The address to bind; 127.0.0.1 by default. */
  readonly host?: string | undefined
  /** The port to bind; a free one by default. */
  readonly port?: number | undefined
  /** The bearer token of `/sandbox`; required if `host` is not loopback. */
  readonly token?: Redacted.Redacted | undefined
  /** Hosts that callbacks may be sent to besides this machine, with or without a port. */
  readonly allowCallbacks?: ReadonlyArray<string> | undefined
  /** The answers of a real service where its specification is silent. */
  readonly readings?: Readings.Readings | undefined
  /** The switches of a client that the service has as well. The readings take precedence. */
  readonly switches?: Pick<Profile.Options, "refundCallbackId" | "requestChecksumSeparator">
  /** The style of responses and callbacks. */
  readonly style?: Readings.Style | undefined
  /** The SQLite file for the state; without it the state is in memory. */
  readonly filename?: string | undefined
}

/**
 * The services of a sandbox.
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
 * Error raised when a sandbox binds to an address other than loopback without a token.
 *
 * @category errors
 * @since 0.1.0
 */
export class Unguarded extends Data.TaggedError("Unguarded")<{
  /** The address that the sandbox would bind. */
  readonly host: string
}> {
  override get message(): string {
    return `${this.host} is reachable from other machines: give the sandbox a token, or bind it to 127.0.0.1`
  }
}

/**
 * The reasons why a sandbox does not start: its port, its file or its token.
 *
 * @category errors
 * @since 0.1.0
 */
export type StartError = CannotListen | SqlError | Unguarded

/**
 * Layer that serves a gateway on a port, and provides its services.
 *
 * **Example** (A sandbox on a free port)
 *
 * ```ts
 * import * as Sandbox from "@pawl/sandbox/Sandbox"
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
    Layer.provide(store(options)),
    Layer.provide(EventFeed.layer),
    isolated,
    own
  )

/** Provides only the services of the sandbox, so that users of the layer keep their own clock. */
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
        yield* Effect.logWarning("This sandbox runs in production: it moves no money")
      }
      return NodePort.layer(host, port)
    })
  )

const environment = Effect.orElseSucceed(Config.String("NODE_ENV"), () => "")

const clock = Layer.unwrap(
  Effect.map(StateStore.StateStore, ({ open }) => {
    const saved = open<number>("clock")
    return VirtualClock.layer({
      advanced: Duration.millis(saved.get("advanced") ?? 0),
      stepped: (advanced) => {
        saved.set("advanced", Duration.toMillis(advanced))
      }
    })
  })
)

/** The SQL modules take a tenth of the start-up time. */
const store = ({ filename }: Options) =>
  filename === undefined
    ? WatchedStore.layer
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() =>
            Promise.all([
              import("@pawl/webhook/NodeSqlite"),
              import("./internal/sandbox/SqlStore.ts")
            ])
          ),
          ([NodeSqlite, SqlStore]) =>
            SqlStore.layer.pipe(
              Layer.provide(NodeSqlite.layer({ filename })),
              Layer.provide(SqlStore.layerForeign)
            )
        )
      )

const courier = ({ allowCallbacks = [] }: Options) =>
  Layer.unwrap(
    Effect.map(NodePort.NodePort, ({ number }) =>
      Courier.layer(NodeOutbound.isAllowed(allowCallbacks, number))
    )
  )

const config = ({ pageUrl, readings = {}, style, switches, ...options }: Options) => {
  const behaviour = Readings.behaviour(readings, style)
  return Layer.unwrap(
    Effect.map(NodePort.NodePort, ({ origin }) =>
      Gateway.layerSettings({
        ...options,
        pageUrl: pageUrl ?? origin,
        behaviour: options.behaviour ?? {
          ...behaviour,
          switches: { ...switches, ...behaviour.switches }
        }
      })
    )
  )
}

/**
 * Serves a sandbox. The modules beside the service are a quarter of all, so the first request to
 * them loads them.
 */
const served = ({ host = localhost, pageUrl, token }: Options) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { origin, server, stop } = yield* NodePort.NodePort
      yield* Effect.addFinalizer(() => stop)
      const requestLog = yield* RequestLog.make
      const service = yield* NodeListener.make(requestLog, LocalHost.make(host))
      const site = yield* Effect.cached(
        Effect.flatMap(
          Effect.promise(() => import("./internal/sandbox/NodeSite.ts")),
          ({ make }) => make(requestLog, host, pageUrl ?? origin, token)
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
