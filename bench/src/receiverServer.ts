/**
 * The process of one server of `receiver.ts`. The ledgers of pawl never have a due row, so only
 * accepting a callback is measured.
 */
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Ledger from "@pawl/webhook/Ledger"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as WebReceiver from "@pawl/webhook/WebReceiver"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import express from "express"
import { fastify } from "fastify"
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse
} from "node:http"
import type { AddressInfo } from "node:net"
import { DatabaseSync } from "node:sqlite"
import * as Doors from "pawl/internal/Doors"
import Stripe from "stripe"
import { server } from "../../test-support/src/Postgres.ts"
import * as Processes from "./processes.ts"
import { check, type Checked, remember } from "./handWritten.ts"
import { secret } from "./callbacks.ts"

type Valid = Exclude<Checked, number>

const [, , name = "", store = ":memory:"] = process.argv

const listen = (listener: RequestListener): void =>
  Processes.listen(Processes.keepAlive(createServer(NodeReceiver.limits, listener)))

const collect = (request: IncomingMessage, use: (body: Uint8Array) => void): void => {
  const chunks: Array<Buffer> = []
  request
    .on("data", (chunk: Buffer) => chunks.push(chunk))
    .on("end", () => use(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
}

type Head = Pick<IncomingMessage, "method" | "url"> & {
  readonly headers: Readonly<Record<string, string | Array<string> | undefined>>
}

const checked = ({ headers, method = "", url = "" }: Head, body: Uint8Array): Checked =>
  check({
    method,
    search: url.slice(url.indexOf("?")),
    contentType: headers["content-type"]?.toString(),
    contentEncoding: headers["content-encoding"]?.toString(),
    checksum: headers["x-checksum"]?.toString(),
    body
  })

const end = (response: ServerResponse, status: number): void =>
  void response.writeHead(status, { "content-length": 0 }).end()

const handWritten =
  (store: (valid: Valid, sendOk: () => void) => void): RequestListener =>
  (request, response) =>
    collect(request, (body) => {
      const valid = checked(request, body)
      if (typeof valid === "number") end(response, valid)
      else store(valid, () => end(response, 200))
    })

const seen = new Map<string, unknown>()

const storedStatus = (head: Head, body: Uint8Array): number => {
  const valid = checked(head, body)
  if (typeof valid === "number") return valid
  remember(seen, valid)
  return 200
}

const inMemory = handWritten((valid, sendOk) => {
  remember(seen, valid)
  sendOk()
})

const database = () => {
  const opened = new DatabaseSync(store)
  opened.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  opened.exec("CREATE TABLE seen (name TEXT PRIMARY KEY, body TEXT, times INT) WITHOUT ROWID")
  const upsert = opened.prepare(
    "INSERT INTO seen VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET times = times + 1, body = excluded.body"
  )
  const insert = ({ body, key, status }: Valid): void =>
    void upsert.run(`${key}/${status}`, JSON.stringify(body))
  return { opened, insert }
}

const commitEach = (): RequestListener => {
  const { insert } = database()
  return handWritten((valid, sendOk) => {
    insert(valid)
    sendOk()
  })
}

const groupCommit = (): RequestListener => {
  const { insert, opened } = database()
  let waiting: Array<{ readonly valid: Valid; readonly sendOk: () => void }> = []
  const flush = (): void => {
    const group = waiting
    waiting = []
    opened.exec("BEGIN IMMEDIATE")
    for (const { valid } of group) insert(valid)
    opened.exec("COMMIT")
    for (const { sendOk } of group) sendOk()
  }
  return handWritten((valid, sendOk) => {
    if (waiting.push({ valid, sendOk }) === 1) setImmediate(flush)
  })
}

const nothingDue = Layer.effect(
  Ledger.Ledger,
  Effect.map(Ledger.Ledger, (ledger) => ({
    ...ledger,
    claim: () => Effect.succeed({ rows: [], dueAt: undefined }),
    awaitWork: Effect.never
  }))
)

const receiver = <E>(ledger: Layer.Layer<Ledger.Ledger, E>) =>
  Receiver.layer().pipe(
    Layer.provide([
      Handler.layer(() => Effect.void),
      Layer.provide(nothingDue, ledger),
      Layer.succeed(StatusReader, {
        read: () => Effect.succeed({ kind: "apm-payment", status: "PENDING" })
      }),
      Verifier.layer({ current: Redacted.make(secret) })
    ]),
    Layer.provide(NodeHmac.layer)
  )

const door = <E>(ledger: Layer.Layer<Ledger.Ledger, E>): void => {
  const { listener, start } = NodeReceiver.toListener(receiver(ledger))
  void start().then(() => listen(listener))
}

const promiseDoor = async (): Promise<void> => {
  const context = await ManagedRuntime.make(receiver(Ledger.layerMemory)).context()
  const address = { callbackPath: "/callback", callbackUrl: undefined }
  const pawl = { close: () => Promise.resolve() }
  listen(Doors.make(context, address, () => pawl, new AbortController().signal).node())
}

const route = (): void =>
  Processes.serveRoutes(Layer.provide(Receiver.route("/callback"), receiver(Ledger.layerMemory)))

const routeHandWritten = (): void =>
  Processes.serveRoutes(
    HttpRouter.use((router) =>
      router.add("*", "/callback", ({ arrayBuffer, headers, method, url }) =>
        Effect.map(arrayBuffer, (body) =>
          HttpServerResponse.empty({
            status: storedStatus({ headers, method, url }, new Uint8Array(body))
          })
        )
      )
    )
  )

const serveWeb = (handler: (request: Request) => Promise<Response>): void => {
  const listener: RequestListener = (request, response) =>
    collect(request, (bytes) => {
      const { headers, method = "", url = "" } = request
      const body = new Uint8Array(bytes)
      const webRequest = new Request(`http://shop.example${url}`, {
        method,
        headers: headers as Record<string, string>,
        body
      })
      void handler(webRequest).then(({ status }) => end(response, status))
    })
  listen(listener)
}

const web = (): void => {
  const { handler, start } = WebReceiver.toHandler(receiver(Ledger.layerMemory))
  void start().then(() => serveWeb(handler))
}

const webHandWritten = (): void =>
  serveWeb(async (request) => {
    const { method, url } = request
    const body = new Uint8Array(await request.arrayBuffer())
    const headers = Object.fromEntries(request.headers)
    return new Response(null, { status: storedStatus({ headers, method, url }, body) })
  })

const expressAndStripe = (): void => {
  const stripe = new Stripe("sk_test_bench")
  const app = express()
  app.post("/callback", express.raw({ type: "application/json" }), (request, response) => {
    try {
      const signature = request.headers["stripe-signature"] ?? ""
      const event: unknown = stripe.webhooks.constructEvent(
        request.body as Buffer,
        signature,
        secret,
        86_400
      )
      const { transactionId, transactionStatus } = event as Readonly<Record<string, string>>
      remember(seen, { key: transactionId!, status: transactionStatus!, body: event as never })
      response.status(200).end()
    } catch {
      response.status(401).end()
    }
  })
  listen(app)
}

const fastifyHandWritten = (): void => {
  const app = fastify({ keepAliveTimeout: Processes.keepAliveTimeout })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body))
  app.post("/callback", (request, reply) => {
    const valid = checked(request.raw, request.body as Buffer)
    if (typeof valid === "number") return reply.code(valid).send()
    remember(seen, valid)
    return reply.code(200).send()
  })
  void app
    .listen({ port: 0, host: "127.0.0.1" })
    .then(() => Processes.reportPort((app.server.address() as AddressInfo).port))
}

const servers: Readonly<Record<string, () => void>> = {
  "bare node:http": () => listen(inMemory),
  "pawl-receiver": () => door(Ledger.layerMemory),
  "pawl.node()": () => void promiseDoor(),
  "pawl, HttpRouter": route,
  "HttpRouter, hand-written": routeHandWritten,
  "pawl, web-standard": web,
  "web-standard, hand-written": webHandWritten,
  "Fastify, hand-written": fastifyHandWritten,
  "Express + stripe": expressAndStripe,
  "pawl-receiver, SQLite": () => door(NodeSqlite.layerLedger({ filename: store })),
  "pawl-receiver, PostgreSQL": () => door(NodePostgres.layerLedger({ ...server, database: store })),
  "node:sqlite, group commit": () => listen(groupCommit()),
  "node:sqlite, one commit each": () => listen(commitEach())
}

servers[name]?.()
