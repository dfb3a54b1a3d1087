/** The process of one server of `fake.ts`. */
import * as Sandbox from "@pawl/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import { keepAlive, listen, reportPort, serveRoutes } from "./processes.ts"
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

const router = HttpRouter.use((router) =>
  router.add("*", "/api/*", ({ arrayBuffer, method }) =>
    Effect.map(arrayBuffer, () =>
      HttpServerResponse.text(method === "GET" ? '"NEW"' : created, {
        contentType: "application/json"
      })
    )
  )
)

const serve = (listener: RequestListener): void => listen(keepAlive(createServer(listener)))

const [, , name] = process.argv
if (name === "bare node:http") serve(bare)
else if (name === "json-server") serve(jsonServer())
else if (name === "HttpRouter") serveRoutes(router)
else {
  const sandbox = Effect.gen(function* () {
    reportPort(Number(new URL((yield* Sandbox.Sandbox).baseUrl).port))
    return yield* Effect.never
  })
  Effect.runFork(Effect.provide(sandbox, Sandbox.layer({ pace: "1 hour" })))
}
