/**
 * The receiver of callbacks in the frameworks that people use.
 *
 * **Details**
 *
 * The checksum of a callback is verified on its bytes, so no body parser may have read them. Each door says how.
 *
 * @since 0.1.0
 */
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import type { Receiver } from "@pawl/webhook/Receiver"
import * as WebReceiver from "@pawl/webhook/WebReceiver"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { IncomingMessage, ServerResponse } from "node:http"

/**
 * A request listener and middleware of Node: without `next` it answers other paths with 404.
 *
 * @category models
 * @since 0.1.0
 */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: () => void
) => void

/**
 * A web-standard handler.
 *
 * @category models
 * @since 0.1.0
 */
export type WebHandler = (request: Request) => Promise<Response>

/**
 * The doors. A callback comes at `callbackPath`.
 *
 * @category models
 * @since 0.1.0
 */
export type Doors = ReturnType<typeof make>

/**
 * Where callbacks come: the path below the public address, and the whole URL, if that address is known.
 *
 * @category models
 * @since 0.1.0
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

/**
 * Makes the doors of a receiver.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  context: Context.Context<Receiver>,
  { callbackPath, callbackUrl = "" }: Address,
  pawl: () => { readonly close: () => Promise<void> }
) => {
  const listener = Effect.runSyncWith(context)(NodeReceiver.listener)
  const { handler } = WebReceiver.toHandler(Layer.succeedContext(context))
  /** A proxy may take the path of the public URL away. */
  const paths = [callbackPath, URL.parse(callbackUrl)?.pathname]
  const isCallback = (url = ""): boolean => paths.includes(url.split("?")[0])

  const node: Listener = (request, response, next) => {
    const { originalUrl = request.url } = request as { readonly originalUrl?: string }
    if (isCallback(originalUrl)) listener(request, response)
    else if (next === undefined) response.writeHead(404).end()
    else next()
  }

  return {
    /** A listener of `node:http`: `createServer(pawl.node())`. */
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
