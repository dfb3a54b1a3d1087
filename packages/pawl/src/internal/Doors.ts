/**
 * The receiver of callbacks in frameworks. The checksum covers the bytes of a callback, so no body parser
 * may have read them.
 */
import * as Door from "@pawl/webhook/internal/doors/Door"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import type { Receiver } from "@pawl/webhook/Receiver"
import * as WebReceiver from "@pawl/webhook/WebReceiver"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EventEmitter } from "node:events"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"

/** A request listener and middleware of Node. Without `next` it answers other paths with 404. */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: () => void
) => void

export type WebHandler = (request: Request) => Promise<Response>

export type Doors = ReturnType<typeof make>

export interface Address {
  readonly callbackPath: string
  readonly callbackUrl: string | undefined
}

interface FastifyApp {
  addHook(
    name: "onRequest",
    hook: (
      request: { readonly is404: boolean; readonly raw: IncomingMessage },
      reply: unknown,
      done: () => void
    ) => void
  ): unknown
  register(plugin: object, options: object): unknown
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: null) => void) => void
  ): unknown
  all(
    path: string,
    handler: (
      request: { readonly raw: IncomingMessage },
      reply: { readonly raw: ServerResponse; hijack(): unknown }
    ) => void
  ): unknown
}

type FastifyPlugin = (app: FastifyApp, options: object, done: () => void) => void

interface HonoContext {
  readonly req: Pick<Request, "arrayBuffer"> & { readonly raw: Request; readonly path: string }
}

interface NestConsumer {
  getHttpAdapter(): { getHttpServer(): unknown; use(middleware: Listener): unknown }
}

const precede = (server: EventEmitter, listener: Listener): void => {
  const others = server.rawListeners("request")
  server
    .removeAllListeners("request")
    .on("request", (request: IncomingMessage, response: ServerResponse) =>
      listener(request, response, () => {
        for (const other of others) Reflect.apply(other, server, [request, response])
      })
    )
}

/** The paths of a callback: a proxy may take the path of the public URL away. */
const pathsOf = ({ callbackPath, callbackUrl = "" }: Address): ReadonlySet<string> =>
  new Set([callbackPath, URL.parse(callbackUrl)?.pathname ?? callbackPath])

/** The paths of each open Pawl, because an application may have several. */
const taken = new Set<ReadonlySet<string>>()

/**
 * Tells whether a request is a callback. The first one with a checksum at a path that no Pawl takes is
 * logged.
 */
const routeOf = (address: Address, context: Context.Context<never>) => {
  const paths = pathsOf(address)
  let isLogged = false
  return (url = "", checksum: unknown): boolean => {
    const path = Door.pathOf(url)
    const isCallback = paths.has(path)
    const isTaken = () => [...taken].some((paths) => paths.has(path))
    if (!isCallback && !isLogged && typeof checksum === "string" && !isTaken()) {
      isLogged = true
      const message = `A callback came at another path than ${address.callbackPath}: correct callbackPath, or the path at which the application mounts pawl`
      Effect.runSyncWith(context)(Effect.logWarning(message))
    }
    return isCallback
  }
}

export const nodeOf = (
  listener: RequestListener,
  address: Address,
  context: Context.Context<never>
): Listener => {
  const isCallback = routeOf(address, context)
  return (request, response, next) => {
    const { originalUrl = request.url } = request as { readonly originalUrl?: string }
    if (isCallback(originalUrl, request.headers["x-checksum"])) listener(request, response)
    else if (next === undefined) response.writeHead(404).end()
    else next()
  }
}

export const make = (
  context: Context.Context<Receiver>,
  address: Address,
  pawl: () => { readonly close: () => Promise<void> },
  closed: AbortSignal
) => {
  const paths = pathsOf(address)
  taken.add(paths)
  closed.addEventListener("abort", () => taken.delete(paths))
  const listener = Effect.runSyncWith(context)(NodeReceiver.listener)
  const { handler } = WebReceiver.toHandler(Layer.succeedContext(context))
  const isCallback = routeOf(address, context)
  const node = nodeOf(listener, address, context)

  return {
    /** A listener of `node:http` for your own server: `NodeReceiver.createServer(pawl.node())`. */
    node: (): Listener => node,
    /** Middleware for `app.use(pawl.express())`, before body parsers, or after `express.raw()`. */
    express: (): Listener => node,
    /** A web-standard handler: `Bun.serve({ fetch: pawl.fetch() })`. */
    fetch: (): WebHandler => handler,
    /**
     * A route handler of Next for `app/callback/route.ts`. `openOnce` of `pawl/next` keeps one Pawl in its
     * process.
     */
    next: (): WebHandler => handler,
    /** A plugin for `app.register(pawl.fastify())`. The parsers of other routes stay. */
    fastify: (): FastifyPlugin => {
      const routes: FastifyPlugin = (app, _, done) => {
        app.removeAllContentTypeParsers()
        app.addContentTypeParser("*", (_request, _payload, parsed) => parsed(null))
        for (const path of paths) {
          app.all(path, ({ raw: request }, reply) => {
            reply.hijack()
            listener(request, reply.raw)
          })
        }
        done()
      }
      const plugin: FastifyPlugin = (app, options, done) => {
        app.addHook("onRequest", ({ is404, raw }, _, next) => {
          if (is404) isCallback(raw.url, raw.headers["x-checksum"])
          next()
        })
        app.register(routes, options)
        done()
      }
      // The hook sees the requests of the whole application.
      return Object.assign(plugin, { [Symbol.for("skip-override")]: true })
    },
    /** Middleware for `app.use(pawl.hono())`. */
    hono:
      () =>
      ({ req }: HonoContext, next: () => Promise<void>): Promise<Response | void> => {
        const { headers, method, url } = req.raw
        if (!isCallback(req.path, headers.get("x-checksum"))) return next()
        if (!req.raw.bodyUsed) return handler(req.raw)
        return req
          .arrayBuffer()
          .then(
            (body) => new Request(url, { method, headers, body }),
            () => req.raw
          )
          .then(handler)
      },
    /**
     * A global module with the provider `pawl`, for `imports`, which takes a promise of it too. It takes
     * callbacks before the application; `app.close()` closes this pawl too.
     */
    nest: () => ({
      module: class PawlModule {
        configure(consumer: NestConsumer) {
          const adapter = consumer.getHttpAdapter()
          const server = adapter.getHttpServer()
          // Middleware of a module comes after the body parsers.
          if (server instanceof EventEmitter) precede(server, node)
          // The application may be served by another server too.
          adapter.use(node)
        }
        onApplicationShutdown() {
          return pawl().close()
        }
      },
      global: true,
      providers: [{ provide: "pawl", useFactory: pawl }],
      exports: ["pawl"]
    })
  }
}
