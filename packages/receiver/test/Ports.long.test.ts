import { describe, expect } from "@effect/vitest"
import { serve } from "@pawl/test-support/Listener"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { type AddressInfo, connect, createServer } from "node:net"
import { DatabaseSync } from "node:sqlite"
import { ask, post, receiver, service } from "./receiverProcess.ts"
import * as TransactionDocument from "@pawl/webhook/internal/documents/TransactionDocument"
import { blank } from "@pawl/webhook/internal/rule/Row"
import { findOrMake } from "@pawl/webhook/internal/rule/StoredRow"
import { files } from "@pawl/test-support/Stores"
import { live } from "@pawl/test-support/Tests"

const file = files()

const send = (
  url: string,
  { headers = {}, method = "GET" }: { method?: string; headers?: Record<string, string> } = {}
) =>
  Effect.promise(async () => {
    const sent = request(url, { method, headers, agent: false }).end()
    const [response] = (await once(sent, "response")) as [IncomingMessage]
    let body = ""
    for await (const chunk of response) body += String(chunk)
    return { status: response.statusCode, headers: response.headers, body }
  })

/** Names the upstream in `Host` and adds no header, as nginx does by default. */
const httpProxy = (port: number) =>
  serve((incoming, response) => {
    const { headers, method, url } = incoming
    const host = `127.0.0.1:${port}`
    const upstream = request({ host: "127.0.0.1", port, method, path: url, agent: false })
    for (const [name, value = ""] of Object.entries({ ...headers, host })) {
      upstream.setHeader(name, value)
    }
    upstream.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(upstream)
  })

/** Carries bytes, as HAProxy and socat do. */
const tcpProxy = Effect.fnUntraced(function* (port: number) {
  const server = createServer((socket) => {
    const upstream = connect(port, "127.0.0.1")
    socket.pipe(upstream)
    upstream.pipe(socket)
    socket.on("error", () => upstream.destroy())
    upstream.on("error", () => socket.destroy())
  }).listen(0, "127.0.0.1")
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
  yield* Effect.promise(() => once(server, "listening"))
  return (server.address() as AddressInfo).port
})

describe("A28: the public port", () => {
  live("has no admin API behind a proxy on this machine, and its callbacks pass", function* () {
    const env = yield* service(new Map())
    const { filename } = file()
    const { port, stderr } = yield* receiver(env, "--store", `sqlite:${filename}`)
    const database = new DatabaseSync(filename, { timeout: 10_000 })
    const stored = blank("card", "7", 0)
    const deadLetter = { reason: "amount-mismatch", at: 1, to: undefined } as const
    const row = { ...findOrMake([], "card", "7", 0, "callback"), row: { ...stored, deadLetter } }
    database
      .prepare(
        `INSERT INTO pawl_transactions (key, version, listed_at, listed_until, parts, document)
            VALUES (?, 1, 1, 1, 1, ?)`
      )
      .run("7\tcard", TransactionDocument.encode([row]))
    const proxies = [port, yield* httpProxy(port), yield* tcpProxy(port)]
    for (const each of proxies) {
      const near = `http://127.0.0.1:${each}`
      for (const path of ["/metrics", "/dead-letters", "/transactions/card/7", "/"]) {
        expect(yield* ask(`${near}${path}`)).toEqual({ status: 404, text: "" })
      }
      for (const path of ["/dead-letters/card/7/redrive", "/dead-letters/redrive"]) {
        expect((yield* ask(`${near}${path}`, { method: "POST" })).status).toBe(404)
      }
      for (const path of ["/callback", "/callback/payouts"]) {
        expect((yield* post(`${near}${path}`, "1", "PENDING")).status).toBe(200)
      }
      expect((yield* post(`${near}/callbacks`, "1", "PENDING")).status).toBe(404)
    }
    expect(stderr().match(/the path for callbacks is \/callback\b/gu)).toHaveLength(1)
    const parked = database.prepare(
      "SELECT parked_at FROM pawl_transactions_view WHERE transaction_id = '7'"
    )
    expect(parked.get()).toEqual({ parked_at: 1 })
    database.close()
  })

  const condition = {
    ready: true,
    store: "writable",
    worker: "running",
    credentials: "unknown",
    clock: "right"
  }

  live("answers probes, HEAD too, and /readyz says whether the store can be written", function* () {
    const env = yield* service(new Map())
    const { filename } = file()
    const { origin, stderr } = yield* receiver(env, "--store", `sqlite:${filename}`)
    expect(stderr()).not.toContain("admin API")
    const bodies = { "/healthz": "ok\n", "/readyz": `${JSON.stringify(condition)}\n` }
    for (const [path, expected] of Object.entries(bodies)) {
      for (const method of ["GET", "HEAD"]) {
        const { body, headers, status } = yield* send(`${origin}${path}`, { method })
        expect([status, headers["content-length"]]).toEqual([200, String(expected.length)])
        expect(body).toBe(method === "GET" ? expected : "")
      }
      const { headers, status } = yield* send(`${origin}${path}`, { method: "POST" })
      expect([status, headers.allow]).toEqual([405, "GET, HEAD"])
    }
    const ready = Effect.delay(send(`${origin}/readyz`), "20 millis")
    // While another process has the write lock, the store can be read and not written.
    const database = new DatabaseSync(filename, { timeout: 10_000 })
    database.exec("BEGIN IMMEDIATE")
    const { body } = yield* Effect.repeat(ready, { until: ({ status }) => status === 503 })
    expect(JSON.parse(body)).toEqual({ ...condition, ready: false, store: "not writable" })
    expect((yield* send(`${origin}/healthz`)).status).toBe(200)
    database.exec("ROLLBACK")
    database.close()
    yield* Effect.repeat(ready, { until: ({ status }) => status === 200 })
  })

  live(
    "/readyz names refused credentials and stays ready, because callbacks are stored",
    function* () {
      const port = yield* serve((request, response) => {
        request.resume()
        response.writeHead(401, { "content-type": "application/json" }).end("{}")
      })
      const env = { PAWL_BASE_URL: `http://127.0.0.1:${port}/api` }
      const { errorLine, origin, url } = yield* receiver(env)
      expect((yield* post(url, "100001", "SUCCEED")).status).toBe(200)
      yield* errorLine(/the service refuses the merchant key or the merchant (secret)/u)
      const { body, status } = yield* send(`${origin}/readyz`)
      expect([status, JSON.parse(body)]).toEqual([200, { ...condition, credentials: "refused" }])
    }
  )
})

describe("the admin port", () => {
  live("serves the page and the overview, which names the secrets without a value", function* () {
    const env = {
      ...(yield* service(new Map())),
      PAWL_ADMIN_TOKEN: "token-that-nobody-prints",
      PAWL_READS_PER_SECOND: "7"
    }
    const started = yield* receiver(env, "--admin-port", "0")
    const admin = yield* started.admin
    const files = ["/", "/page/main.js", "/page/base.css", "/page/icon.svg"]
    for (const path of files) {
      // A browser that opens an address sends no token, and the files are the same for everybody.
      const { headers, status } = yield* send(`${admin}${path}`)
      expect([status, headers["x-content-type-options"]]).toEqual([200, "nosniff"])
      expect(headers["content-security-policy"]).toMatch(
        /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'/u
      )
      expect((yield* send(`${admin}${path}`, { method: "POST" })).status).toBe(405)
      expect((yield* send(`http://127.0.0.1:${started.port}${path}`)).status).toBe(404)
      const stranger = { headers: { host: "shop.example" } }
      expect((yield* send(`${admin}${path}`, stranger)).status).toBe(404)
    }
    expect((yield* send(`${admin}/page/..%2fapi.js`)).status).toBe(401)
    expect((yield* send(`${admin}/overview`)).status).toBe(401)
    const headers = { authorization: "Bearer token-that-nobody-prints" }
    const { body, status } = yield* send(`${admin}/overview`, { headers })
    expect(status).toBe(200)
    expect(body).not.toMatch(/that-nobody-prints|sandbox-secret/u)
    const { reads, secrets } = JSON.parse(body) as {
      readonly reads: unknown
      readonly secrets: ReadonlyArray<Record<string, unknown>>
    }
    expect(reads).toMatchObject({ limit: 7, allowed: 7, sent: 0, oldestPutOffSeconds: null })
    expect(secrets.map(({ isSet, name }) => [name, isSet])).toEqual([
      ["PAWL_MERCHANT_SECRET", true],
      ["PAWL_MERCHANT_SECRET_PREVIOUS", true],
      ["PAWL_FORWARD_SECRET", true],
      ["PAWL_ADMIN_TOKEN", true]
    ])
  })

  live("without a token is on loopback and for this machine only", function* () {
    const env = yield* service(new Map())
    const started = yield* receiver(env, "--host", "0.0.0.0", "--admin-port", "0")
    const admin = yield* started.admin
    expect(admin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u)
    expect((yield* send(`${admin}/metrics`)).status).toBe(200)
    expect((yield* send(`${admin}/callback`, { method: "POST" })).status).toBe(404)
    expect((yield* send(`http://127.0.0.1:${started.port}/metrics`)).status).toBe(404)
    for (const headers of [{ host: "shop.example" }, { "x-forwarded-for": "10.0.0.1" }]) {
      expect((yield* send(`${admin}/metrics`, { headers })).status).toBe(404)
    }
  })

  live(
    "with a token asks every request for it, and other machines may name its host",
    function* () {
      const token = "token-of-the-operator-that-nobody-prints"
      const env = {
        ...(yield* service(new Map())),
        PAWL_ADMIN_TOKEN: token,
        PAWL_ADMIN_HOSTS: "pawl.internal, 10.0.0.7:9464, FD00::7"
      }
      const started = yield* receiver(env, "--admin-port", "0", "--admin-host", "0.0.0.0")
      const admin = (yield* started.admin).replace("0.0.0.0", "127.0.0.1")
      const authorization = `Bearer ${token}`
      for (const host of [
        "127.0.0.1",
        "pawl.internal:1",
        "PAWL.internal",
        "10.0.0.7:9464",
        "[fd00::7]:4021"
      ]) {
        const ask = (headers: Record<string, string>) =>
          Effect.map(send(`${admin}/metrics`, { headers: { host, ...headers } }), (answer) => [
            answer.status,
            answer.headers["www-authenticate"]
          ])
        expect(yield* ask({})).toEqual([401, "Bearer"])
        expect(yield* ask({ authorization: `Bearer ${token}x` })).toEqual([401, "Bearer"])
        expect(yield* ask({ authorization: `Bearer ${token.slice(1)}` })).toEqual([401, "Bearer"])
        expect(yield* ask({ authorization })).toEqual([200, undefined])
        expect(yield* ask({ authorization, origin: "https://shop.example" })).toEqual([
          404,
          undefined
        ])
      }
      const strange = { authorization, host: "10.0.0.7:80" }
      expect((yield* send(`${admin}/metrics`, { headers: strange })).status).toBe(404)
      expect(started.stderr()).not.toContain("nobody-prints")
    }
  )
})
