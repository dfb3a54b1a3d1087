/**
 * The other side of `receiver.ts`: one server in a process of its own, which tells its port and, whenever
 * asked, the CPU time it has taken.
 *
 * pawl's ledgers are told to have nothing due: what follows an accepted callback, asking the service and
 * telling the handler, is not part of taking it in, and no other server here does it.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
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
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
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
import Stripe from "stripe"
import * as Places from "../../proof/src/rel/Places.ts"
import { check, type Checked, remember } from "./byHand.ts"
import { secret } from "./callbacks.ts"

type Sound = Exclude<Checked, number>

const [, , name = "", store = ":memory:"] = process.argv

const tell = (port: number): void => void process.send?.(port)
const keepAlive = 600_000

const listen = (listener: RequestListener): void => {
  const server = createServer(NodeReceiver.limits, listener)
  server.keepAliveTimeout = keepAlive
  server.listen(0, "127.0.0.1", () => tell((server.address() as AddressInfo).port))
}

const collect = (request: IncomingMessage, use: (body: Uint8Array) => void): void => {
  const chunks: Array<Buffer> = []
  request
    .on("data", (chunk: Buffer) => chunks.push(chunk))
    .on("end", () => use(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
}

const checked = ({ headers, method = "", url = "" }: IncomingMessage, body: Uint8Array): Checked =>
  check({
    method,
    search: url.slice(url.indexOf("?")),
    contentType: headers["content-type"],
    contentEncoding: headers["content-encoding"],
    checksum: headers["x-checksum"]?.toString(),
    body
  })

const end = (response: ServerResponse, status: number): void =>
  void response.writeHead(status, { "content-length": 0 }).end()

/** The checks by hand, and what is sound is handed on with the function that answers it. */
const byHand =
  (store: (sound: Sound, answer: () => void) => void): RequestListener =>
  (request, response) =>
    collect(request, (body) => {
      const sound = checked(request, body)
      if (typeof sound === "number") end(response, sound)
      else store(sound, () => end(response, 200))
    })

const seen = new Map<string, unknown>()
const inMemory = byHand((sound, answer) => {
  remember(seen, sound)
  answer()
})

const database = () => {
  const opened = new DatabaseSync(store)
  opened.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  opened.exec("CREATE TABLE seen (name TEXT PRIMARY KEY, body TEXT, times INT) WITHOUT ROWID")
  const upsert = opened.prepare(
    "INSERT INTO seen VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET times = times + 1, body = excluded.body"
  )
  const insert = ({ body, key, status }: Sound): void =>
    void upsert.run(`${key}/${status}`, JSON.stringify(body))
  return { opened, insert }
}

const alone = (): RequestListener => {
  const { insert } = database()
  return byHand((sound, answer) => {
    insert(sound)
    answer()
  })
}

const inGroups = (): RequestListener => {
  const { insert, opened } = database()
  let waiting: Array<{ readonly sound: Sound; readonly answer: () => void }> = []
  const flush = (): void => {
    const group = waiting
    waiting = []
    opened.exec("BEGIN IMMEDIATE")
    for (const { sound } of group) insert(sound)
    opened.exec("COMMIT")
    for (const { answer } of group) answer()
  }
  return byHand((sound, answer) => {
    if (waiting.push({ sound, answer }) === 1) setImmediate(flush)
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

const route = (): void => {
  const told = Layer.effectDiscard(
    Effect.map(HttpServer.HttpServer, ({ address }) => tell("port" in address ? address.port : 0))
  )
  const served = HttpRouter.serve(
    Layer.provide(Receiver.route("/callback"), receiver(Ledger.layerMemory)),
    { disableLogger: true, disableListenLog: true }
  )
  const server = NodeHttpServer.layer(
    () => Object.assign(createServer(), { keepAliveTimeout: keepAlive }),
    { port: 0, host: "127.0.0.1" }
  )
  Effect.runFork(Layer.launch(Layer.provide(Layer.merge(served, told), server)))
}

/** The least that makes a `Request` of Node's and sends a `Response`. */
const web = (): void => {
  const { handler, start } = WebReceiver.toHandler(receiver(Ledger.layerMemory))
  const listener: RequestListener = (request, response) =>
    collect(request, (bytes) => {
      const { headers, method = "", url = "" } = request
      const body = new Uint8Array(bytes)
      const asked = new Request(`http://shop.example${url}`, {
        method,
        headers: headers as Record<string, string>,
        body
      })
      void handler(asked).then(({ status }) => end(response, status))
    })
  void start().then(() => listen(listener))
}

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

const fastifyByHand = (): void => {
  const app = fastify({ keepAliveTimeout: keepAlive })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body))
  app.post("/callback", (request, reply) => {
    const sound = checked(request.raw, request.body as Buffer)
    if (typeof sound === "number") return reply.code(sound).send()
    remember(seen, sound)
    return reply.code(200).send()
  })
  void app
    .listen({ port: 0, host: "127.0.0.1" })
    .then(() => tell((app.server.address() as AddressInfo).port))
}

const servers: Readonly<Record<string, () => void>> = {
  "bare node:http": () => listen(inMemory),
  "pawl-receiver": () => door(Ledger.layerMemory),
  "pawl, HttpRouter": route,
  "pawl, web-standard": web,
  "Fastify, by hand": fastifyByHand,
  "Express + stripe": expressAndStripe,
  "pawl-receiver, SQLite": () => door(NodeSqlite.layerLedger({ filename: store })),
  "pawl-receiver, PostgreSQL": () =>
    door(NodePostgres.layerLedger({ ...Places.server, database: store })),
  "node:sqlite, in groups": () => listen(inGroups()),
  "node:sqlite, one by one": () => listen(alone())
}

process.on("message", () => {
  const { system, user } = process.cpuUsage()
  process.send?.(system + user)
})
process.on("disconnect", () => process.exit())
servers[name]?.()
