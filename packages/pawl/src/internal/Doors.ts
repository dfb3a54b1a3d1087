/**
 * The receiver of callbacks in the frameworks that people use.
 *
 * **Details**
 *
 * The checksum of a callback is verified on its bytes, so no body parser may have read them. Each door says how.
 */
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import type { Receiver } from "@pawl/webhook/Receiver"
import * as WebReceiver from "@pawl/webhook/WebReceiver"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"

/**
 * A request listener and middleware of Node: without `next` it answers other paths with 404.
 */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: () => void
) => void

/**
 * A web-standard handler.
 */
export type WebHandler = (request: Request) => Promise<Response>

/**
 * The doors. A callback comes at `callbackPath`.
 */
export type Doors = ReturnType<typeof make>

/**
 * Where callbacks come: the path below the public address, and the whole URL, if that address is known.
 */
export interface Address {
  readonly callbackPath: string
  readonly callbackUrl: string | undefined
}

/** The part of Fastify that the plugin uses. */
interface FastifyApp {
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

/** The part of a context of Hono that the middleware uses. */
interface HonoContext {
  readonly req: Pick<Request, "arrayBuffer"> & { readonly raw: Request; readonly path: string }
}

/** A proxy may take the path of the public URL away. */
const isCallbackAt = ({ callbackPath, callbackUrl = "" }: Address) => {
  const paths = [callbackPath, URL.parse(callbackUrl)?.pathname]
  return (url = ""): boolean => paths.includes(url.split("?")[0])
}

/** Makes the listener of Node that takes callbacks, and answers other paths with 404 or leaves them to `next`. */
export const nodeOf = (listener: RequestListener, address: Address): Listener => {
  const isCallback = isCallbackAt(address)
  return (request, response, next) => {
    const { originalUrl = request.url } = request as { readonly originalUrl?: string }
    if (isCallback(originalUrl)) listener(request, response)
    else if (next === undefined) response.writeHead(404).end()
    else next()
  }
}

/**
 * Makes the doors of a receiver.
 */
export const make = (
  context: Context.Context<Receiver>,
  address: Address,
  pawl: () => { readonly close: () => Promise<void> }
) => {
  const { callbackPath } = address
  const listener = Effect.runSyncWith(context)(NodeReceiver.listener)
  const { handler } = WebReceiver.toHandler(Layer.succeedContext(context))
  const isCallback = isCallbackAt(address)
  const node = nodeOf(listener, address)

  return {
    /** A listener of `node:http`, for a server of your own: `NodeReceiver.createServer(pawl.node())`. `pawl.listen` has one. */
    node: (): Listener => node,
    /** Middleware for `app.use(pawl.express())`, before body parsers, or after `express.raw()`. */
    express: (): Listener => node,
    /** A web-standard handler: `Bun.serve({ fetch: pawl.fetch() })`. */
    fetch: (): WebHandler => handler,
    /** A route handler of Next for `app/callback/route.ts`. The README shows how one Pawl is kept in its process. */
    next: (): WebHandler => handler,
    /** A plugin for `app.register(pawl.fastify())`. The parsers of the other routes stay as they are. */
    fastify: () => (app: FastifyApp, _: unknown, done: () => void) => {
      app.removeAllContentTypeParsers()
      app.addContentTypeParser("*", (_request, _payload, parsed) => parsed(null))
      app.all(callbackPath, ({ raw: request }, reply) => {
        reply.hijack()
        listener(request, reply.raw)
      })
      done()
    },
    /** Middleware for `app.use(pawl.hono())`, at any place. */
    hono:
      () =>
      ({ req }: HonoContext, next: () => Promise<void>): Promise<Response | void> => {
        if (!isCallback(req.path)) return next()
        const { headers, method, url } = req.raw
        if (!req.raw.bodyUsed) return handler(req.raw)
        return req
          .arrayBuffer()
          .then((body) => handler(new Request(url, { method, headers, body })))
      },
    /**
     * A global module with the provider `pawl`, for `imports: [pawl.nest()]`. The application needs
     * `NestFactory.create(AppModule, { rawBody: true })`; `app.close()` closes this pawl too.
     */
    nest: () => ({
      module: class PawlModule {
        configure(consumer: { apply(middleware: Listener): { forRoutes(path: string): unknown } }) {
          consumer.apply(node).forRoutes(callbackPath)
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
