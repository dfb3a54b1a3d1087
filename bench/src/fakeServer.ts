/**
 * The process of one server of `fake.ts`. It sends its port to the parent, and its CPU time after
 * each message.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Sandbox from "@pawl/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { writeFileSync } from "node:fs"
import { createServer, type RequestListener, type Server } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { scratch } from "./scratch.ts"

const created = JSON.stringify({
  requestId: "order-1",
  transactionId: "100001",
  transactionStatus: "NEW",
  apmResponseData: { providerTransactionId: "provider-100001", paymentMethod: "EWALLET" },
  createdTime: "2030-01-01T00:00:00.000Z",
  paymentType: "APM",
  metadata: { basket: "7" }
})

const bare: RequestListener = (request, response) => {
  request
    .on("data", () => {})
    .on("end", () => {
      const body = request.method === "GET" ? '"NEW"' : created
      response
        .writeHead(200, { "content-type": "application/json", "content-length": body.length })
        .end(body)
    })
}

interface JsonServer {
  readonly create: () => RequestListener & {
    readonly use: (handler: unknown, more?: unknown) => void
  }
  readonly defaults: (options: object) => unknown
  readonly router: (file: string) => {
    readonly db: { readonly getState: () => { readonly payments: Array<unknown> } }
  }
}

/** The file is small, because json-server writes the whole file each time. */
const jsonServer = (): RequestListener => {
  const json = createRequire(import.meta.url)("json-server") as JsonServer
  const directory = scratch()
  const file = join(directory, "db.json")
  writeFileSync(file, '{"payments":[]}')
  const app = json.create()
  const router = json.router(file)
  app.use((_request: unknown, _response: unknown, next: () => void) => {
    const { payments } = router.db.getState()
    if (payments.length > 400) payments.splice(0, 200)
    next()
  })
  app.use(json.defaults({ logger: false }))
  app.use("/api/v1", router)
  return app
}

const router = HttpRouter.serve(
  HttpRouter.use((router) =>
    router.add("*", "/api/*", ({ arrayBuffer, method }) =>
      Effect.map(arrayBuffer, () =>
        HttpServerResponse.text(method === "GET" ? '"NEW"' : created, {
          contentType: "application/json"
        })
      )
    )
  ),
  { disableLogger: true, disableListenLog: true }
)

const listen = (listener: RequestListener): void => {
  const server: Server = createServer(listener)
  server.keepAliveTimeout = 600_000
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port))
}

process.on("message", () => {
  const { system, user } = process.cpuUsage()
  process.send?.(system + user)
})
process.on("disconnect", () => process.exit())

const [, , name] = process.argv
if (name === "bare node:http") listen(bare)
else if (name === "json-server") listen(jsonServer())
else if (name === "HttpRouter") {
  const serve = Layer.effectDiscard(
    Effect.map(HttpServer.HttpServer, ({ address }) => {
      process.send?.("port" in address ? address.port : 0)
    })
  )
  const server = NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })
  Effect.runFork(Layer.launch(Layer.provide(Layer.merge(router, serve), server)))
} else {
  const serve = Effect.gen(function* () {
    process.send?.(Number(new URL((yield* Sandbox.Sandbox).baseUrl).port))
    return yield* Effect.never
  })
  Effect.runFork(Effect.provide(serve, Sandbox.layer({ pace: "1 hour" })))
}
