import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { describe, expect, it } from "@effect/vitest"
import { serve } from "@pawl/test-support/Listener"
import { start } from "@pawl/test-support/Program"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import { HttpClientError, TransportError } from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import { execFileSync } from "node:child_process"
import { createHmac } from "node:crypto"
import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { inspect } from "node:util"
import { CloudEvent as CloudEventOfSdk, HTTP } from "cloudevents"
import { Webhook } from "standardwebhooks"
import * as CloudEvent from "../src/CloudEvent.ts"
import * as Forwarder from "../src/Forwarder.ts"
import { live, test } from "@pawl/test-support/Tests"

const secret = "forward-secret"

const signatureOf = (signed: string): string =>
  `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`

const transition: Handler.Transition = {
  id: "card:100001:2:SUCCEED",
  method: "card",
  kind: "card-payment",
  transactionId: "100001",
  requestId: "order-1",
  from: "PENDING",
  to: "SUCCEED",
  confirmed: true,
  conflict: null,
  sequence: 2,
  attempt: 3,
  signed: { account: "mid-1", amount: "10.00", currency: "EUR", transactionId: "100001" },
  callback: { transactionStatus: "SUCCEED", metadata: { name: "Zoë \u2028 \"'<" }, big: "1e400" }
}

interface Posted {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const application = (respond: (response: ServerResponse, posted: Posted) => void) => {
  const posted: Array<Posted> = []
  return Effect.map(
    serve((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const { headers, url = "" } = request
        const one = { url, headers, body: Buffer.concat(chunks).toString() }
        posted.push(one)
        respond(response, one)
      })
    }),
    (port) => ({ posted, url: `http://127.0.0.1:${port}/transitions?a=b` })
  )
}

const forwarding = (
  url: string,
  key: string = secret,
  client: Layer.Layer<HttpClient.HttpClient> = NodeHttpClient.layerUndici
) =>
  Effect.map(
    Layer.build(
      Forwarder.layer({ url, secret: Redacted.make(key) }).pipe(
        Layer.provide([client, NodeHmac.layer])
      )
    ),
    Context.get(Handler.Handler)
  )

const answering = (answer: Parameters<typeof HttpClient.make>[0]) =>
  Layer.succeed(HttpClient.HttpClient, HttpClient.make(answer))

live("posts the transition as one signed JSON object with its members in order", function* () {
  const { posted, url } = yield* application((response) => response.writeHead(204).end())
  const { handle } = yield* forwarding(url)
  const before = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const other = { ...transition, attempt: 4, from: null, signed: null, callback: null }
  const handling = Effect.andThen(handle(transition), handle(other))
  yield* Effect.withSpan(handling, "a span that is nobody's business")

  const [first, second] = posted
  expect(posted).toHaveLength(2)
  expect(first?.url).toBe("/transitions?a=b")
  const members = JSON.parse(first?.body ?? "") as object
  expect(members).toEqual(transition)
  expect(Object.keys(members).join(" ")).toBe(
    "id method kind transactionId from to confirmed conflict sequence attempt requestId callback signed"
  )
  expect(JSON.parse(second?.body ?? "")).toEqual(other)
  for (const { body, headers } of posted) {
    const timestamp = headers["webhook-timestamp"]
    expect(headers["content-type"]).toBe("application/json")
    expect(headers["webhook-id"]).toBe(transition.id)
    expect(Number(timestamp)).toBeGreaterThanOrEqual(before)
    expect(headers["webhook-signature"]).toBe(
      signatureOf(`${transition.id}.${String(timestamp)}.${body}`)
    )
    expect(Object.keys(headers)).not.toContain("traceparent")
  }
})

live("keeps its URL out of all spans, because the query may be a secret", function* () {
  const { url } = yield* application((response) => response.writeHead(204).end())
  const { handle } = yield* forwarding(url)
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  yield* Effect.provideService(handle(transition), Tracer.Tracer, tracer)
  const attributes = spans.map(({ attributes, name }) => [name, [...attributes.keys()]])
  expect(attributes).toEqual([["Forwarder.handle", []]])
})

live(
  "A48: under the merchant secret no post is signed like a callback, whose signed text has separators",
  function* () {
    const { posted, url } = yield* application((response) => response.end())
    const { handle } = yield* forwarding(url)
    const piped = { ...transition, callback: { "a|b": "1|10.00|EUR|2" } }
    yield* handle(piped)
    const [post] = posted
    expect(post?.body).not.toContain("|")
    expect(JSON.parse(post?.body ?? "")).toEqual(piped)
  }
)

it("A23: a body on a terminal is one line of printable characters, with the same content", () => {
  const controlled = {
    ...transition,
    callback: { "a\u009b": "\u001b[2J\u007f\u009b31m\u2028\u2029\u202e\u2066\n" }
  }
  const body = Forwarder.bodyOf(controlled)
  expect(body).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
  expect(JSON.parse(body)).toEqual(controlled)
})

describe("the library of Standard Webhooks verifies a post", () => {
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, at) => at * 8))
  live.each([
    ["a key in base64", `whsec_${bytes.toString("base64")}`, {}],
    ["any other text", secret, { format: "raw" }]
  ] as const)("signed with %s", function* (_, key, options) {
    const { posted, url } = yield* application((response) => response.end())
    const { handle } = yield* forwarding(url, key)
    yield* handle(transition)
    const [post] = posted
    const headers = post?.headers as Record<string, string>
    const webhook = new Webhook(key, options)
    expect(webhook.verify(post?.body ?? "", headers)).toEqual(transition)
    expect(() => webhook.verify(`${post?.body} `, headers)).toThrow("No matching signature")
  })

  live("whose id has characters that no header may have", function* () {
    const { posted, url } = yield* application((response) => response.end())
    const { handle } = yield* forwarding(url)
    const odd = {
      ...transition,
      id: "card:Ж é\u007f😀%|:2:SUCCEED",
      transactionId: "Ж é\u007f😀%|"
    }
    yield* handle(odd)
    const [post] = posted
    const headers = post?.headers as Record<string, string>
    expect(headers["webhook-id"]).toBe("card:%D0%96%20%C3%A9%7F%F0%9F%98%80%25%7C:2:SUCCEED")
    expect(new Webhook(secret, { format: "raw" }).verify(post?.body ?? "", headers)).toEqual(odd)
  })
})

test.each(["whsec_", "whsec_ ", "whsec_ AAAA", "whsec_not base64"])(
  "signs nothing with a key that is not base64: %j",
  function* (key) {
    const exit = yield* Effect.exit(forwarding("http://app.example", key))
    expect(String(exit)).toContain("after whsec_ give the key in base64")
  }
)

live(
  "a post is a CloudEvent to the SDK of CloudEvents, and so is the event of a broker",
  function* () {
    const { posted, url } = yield* application((response) => response.end())
    const { handle } = yield* forwarding(url)
    const named = { ...transition, transactionId: 'a %b "Zoë" 1' }
    yield* handle(named)
    const attributes = {
      specversion: "1.0",
      id: transition.id,
      source: "urn:pawl:receiver",
      type: "pawl.card-payment.SUCCEED",
      subject: `card/${named.transactionId}`,
      sequence: "0000000002",
      datacontenttype: "application/json"
    }
    const { body = "", headers }: Partial<Posted> = posted[0] ?? {}
    expect(headers?.["ce-subject"]).toBe("card/a%20%25b%20%22Zo%C3%AB%22%201")
    const event = HTTP.toEvent<Handler.Transition>({ body, headers: headers ?? {} })
    // The SDK does not decode the headers that it encodes.
    expect(event).toMatchObject({ ...attributes, subject: headers?.["ce-subject"], data: named })
    expect(new CloudEventOfSdk({ ...CloudEvent.make(named) }).validate()).toBe(true)
    expect(
      HTTP.toEvent({
        headers: { "content-type": "application/cloudevents+json" },
        body: JSON.stringify(CloudEvent.make(named, { source: "/shop" }))
      })
    ).toMatchObject({ ...attributes, source: "/shop", data: named })
  }
)

it("events are the same in every attempt, but for the attempt, and sort by sequence", () => {
  const { data, ...one } = CloudEvent.make(transition)
  const { data: again, ...two } = CloudEvent.make({ ...transition, attempt: 4 })
  expect(two).toEqual(one)
  expect(again).toEqual({ ...data, attempt: 4 })
  const sequences = [1, 2, 9, 10, 11, 100, 123_456].map(
    (sequence) => CloudEvent.make({ ...transition, sequence }).sequence
  )
  expect(sequences.toSorted()).toEqual(sequences)
})

describe("a transition is not told", () => {
  live.each([300, 301, 302, 303, 307, 308, 400, 401, 404, 410, 429, 500, 503])(
    "after a response of %i, and is not posted to another URL",
    function* (status) {
      const elsewhere = yield* application((response) => response.end())
      const { posted, url } = yield* application((response) =>
        response.writeHead(status, { location: elsewhere.url }).end("a body that nobody repeats")
      )
      const { handle } = yield* forwarding(url)
      const error = yield* Effect.flip(handle(transition))
      const place = url.replace("?a=b", "")
      expect(error).toMatchObject({
        _tag: "ForwardFailed",
        status,
        message: `${place} answered ${status}`
      })
      expect(inspect(error, { depth: 9 })).not.toMatch(/nobody repeats|forward-secret|v1,/u)
      expect([posted.length, elsewhere.posted.length]).toEqual([1, 0])
    }
  )

  live("when no server listens or the connection breaks", function* () {
    const gone = yield* Effect.scoped(application((response) => response.end()))
    const broken = yield* application((response) => response.destroy())
    const why = [
      [gone, "the connection was refused"],
      [broken, "the connection was closed before the response was complete"]
    ] as const
    for (const [{ url }, reason] of why) {
      const { handle } = yield* forwarding(url.replace("//", "//user:password@"))
      expect(yield* Effect.flip(handle(transition))).toMatchObject({
        status: undefined,
        message: `${url.replace("?a=b", "")} did not answer: ${reason}`
      })
    }
  })

  test("when the certificate of the application has expired, which the reason says", function* () {
    const cause = Object.assign(new Error("nobody repeats"), { code: "CERT_HAS_EXPIRED" })
    const client = answering((request) =>
      Effect.fail(new HttpClientError({ reason: new TransportError({ request, cause }) }))
    )
    const url = "https://shop.example/transitions"
    const { handle } = yield* forwarding(url, secret, client)
    expect(yield* Effect.flip(handle(transition))).toMatchObject({
      message: `${url} did not answer: the certificate was not accepted`
    })
  })

  test("after 10 seconds without a response; a response after 9 seconds is in time", function* () {
    const reached = Promise.withResolvers<void>()
    const { url } = yield* application(() => reached.resolve())
    const { handle } = yield* forwarding(url)
    const handling = yield* Effect.forkChild(handle(transition))
    yield* Effect.promise(() => reached.promise)
    yield* TestClock.adjust("9 seconds")
    expect(handling.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    expect(yield* Effect.flip(Fiber.join(handling))).toMatchObject({
      _tag: "TimeoutError",
      message: `${url.replace("?a=b", "")} did not answer: no response within 10s`
    })
  })
})

test("a transition is told after a 2xx response in time, whose body comes later", function* () {
  const client = answering((request) =>
    Effect.delay(
      Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(new ReadableStream()))),
      "9900 millis"
    )
  )
  const { handle } = yield* forwarding("http://app.example", secret, client)
  const handling = yield* Effect.forkChild(handle(transition))
  yield* TestClock.adjust("11 seconds")
  yield* Fiber.join(handling)
})

const app = new URL("../../../examples/python/app.py", import.meta.url).pathname
const python = ((): boolean => {
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()
if (!python) console.warn("There is no python3: examples/python/app.py is not tested")

describe.runIf(python)("the Python example", () => {
  it("listens on port 5000 by default", () => {
    const script = `
import http.server, runpy, sys
http.server.ThreadingHTTPServer = lambda address, _: sys.exit(print(address[1]))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")`
    const portOf = (...args: ReadonlyArray<string>) =>
      execFileSync("python3", ["-c", script, app, ...args], {
        encoding: "utf8",
        env: { ...process.env, PAWL_FORWARD_SECRET: secret }
      }).trim()
    expect([portOf(), portOf("5001")]).toEqual(["5000", "5001"])
  })

  live("verifies a transition and accepts it once", function* () {
    const { line } = yield* start("python3", [app, "0"], { PAWL_FORWARD_SECRET: secret })
    const url = yield* line(/^ready (\S+)$/mu)
    const { handle } = yield* forwarding(url)
    const believedOf = (method: string) =>
      Effect.promise(() =>
        fetch(new URL(`/transactions/${method}/100001`, url)).then((response) => response.json())
      )
    const believed = believedOf(transition.method)
    yield* handle({ ...transition, id: "a", to: "PENDING" })
    expect(yield* believed).toEqual({ status: "PENDING" })
    yield* handle(transition)
    yield* handle({ ...transition, id: "a", to: "PENDING", attempt: 2 })
    expect(yield* believed).toEqual({ status: "SUCCEED" })
    // A refund, and a transaction of the other method, may have the same number.
    yield* handle({ ...transition, id: "f", kind: "refund", to: "FAILED", sequence: 9 })
    yield* handle({ ...transition, id: "g", kind: "apm-payment", method: "apm", to: "NEW" })
    expect(yield* believed).toEqual({ status: "SUCCEED" })
    expect(yield* believedOf("apm")).toEqual({ status: "NEW" })
    // The numbers start again after an older backup was restored.
    yield* handle({ ...transition, id: "c", to: "REFUNDED", sequence: 1 })
    yield* handle({ ...transition, id: "d", to: "SUCCEED", sequence: 4 })
    expect(yield* believed).toEqual({ status: "REFUNDED" })

    const old = 1_000_000_000
    const body = JSON.stringify({ ...transition, id: "e", to: "CHARGEBACK" })
    // A forged one, and one that is sent again later.
    for (const [timestamp, signature] of [
      [Math.floor(Date.now() / 1000), "v1,AAAA"],
      [old, signatureOf(`e.${old}.${body}`)]
    ] as const) {
      const headers = {
        "webhook-id": "e",
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signature
      }
      const { status } = yield* Effect.promise(() => fetch(url, { method: "POST", headers, body }))
      expect(status).toBe(401)
    }
    expect(yield* believed).toEqual({ status: "REFUNDED" })
  })
})
