import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { inspect } from "node:util"
import { Agent } from "undici/index.js"
import { describe, expect, it } from "vitest"
import * as NodeTransport from "../src/NodeTransport.ts"
import * as Server from "./support/server.ts"

const withEnvironment = (variables: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = { ...process.env }
      for (const name of ["https_proxy", "no_proxy"]) delete process.env[name]
      Object.assign(process.env, variables)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        // The object stays the same, because vitest keeps it for all files of a worker.
        for (const name of Object.keys(variables)) delete process.env[name]
        Object.assign(process.env, before)
      })
  )

describe("HTTPS_PROXY and NO_PROXY", () => {
  const refuseTunnels = Server.start((socket) => Server.reply(socket, 403, ""))

  it.each(["HTTPS_PROXY", "https_proxy"])("send a request to an https URL through %s", (name) =>
    Effect.gen(function* () {
      const proxy = yield* refuseTunnels
      yield* withEnvironment({ [name]: proxy.url, NO_PROXY: "other.invalid" })
      const error = yield* Effect.flip(
        Effect.provide(Server.post("https://payments.invalid/api"), NodeTransport.layer)
      )
      expect(error).toMatchObject({ _tag: "Unreachable", sent: false })
      expect(proxy.received.join("")).toContain("CONNECT payments.invalid:443 HTTP/1.1")
    }).pipe(Effect.scoped, Effect.runPromise)
  )

  it("leave the hosts in NO_PROXY and http URLs alone", () =>
    Effect.gen(function* () {
      const proxy = yield* refuseTunnels
      const loopback = yield* Server.start((socket) => Server.reply(socket, 200, "1"))
      yield* withEnvironment({ HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, NO_PROXY: "invalid" })
      yield* Effect.gen(function* () {
        yield* Effect.flip(Server.post("https://payments.invalid/api"))
        expect((yield* Server.post(loopback.url)).status).toBe(200)
      }).pipe(Effect.provide(NodeTransport.layer))
      expect(proxy.received).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise))

  it.each([
    ["HTTPS_PROXY", "http://u:s3cret@bad:port:99"],
    ["HTTPS_PROXY", "s3cret.local:3128"],
    ["https_proxy", "http://u:%s3cret@proxy.example"]
  ])("are refused by their name, without their value: %s=%s", (name, value) =>
    Effect.gen(function* () {
      yield* withEnvironment({ HTTPS_PROXY: "http://proxy.example", [name]: value })
      const error = yield* Effect.flip(Effect.scoped(Layer.build(NodeTransport.layer)))
      expect(error.message).toBe(
        `${name} cannot be used: give a URL such as http://proxy.example:3128`
      )
      expect(inspect(error, { depth: 9 })).not.toContain("s3cret")
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})

it(
  "a proxy that opens no tunnel holds a connection for 5 seconds at most",
  { timeout: 30_000 },
  () =>
    Effect.gen(function* () {
      let tunnels = 0
      const proxy = yield* Server.start((socket) => {
        if (++tunnels > 1) Server.reply(socket, 502, "")
      })
      yield* withEnvironment({ HTTPS_PROXY: proxy.url, NO_PROXY: "other.invalid" })
      const reasons = yield* Effect.forEach([100, 10_000], (millis) =>
        Effect.map(Effect.flip(Server.post("https://payments.invalid/api", millis)), (error) =>
          "reason" in error ? error.reason : ""
        )
      ).pipe(Effect.provide(NodeTransport.layerWith({ connections: 1 })))
      expect([tunnels, ...reasons]).toEqual([2, "no connection in time", "the connection failed"])
    }).pipe(Effect.scoped, Effect.runPromise)
)

it("a single connection that is refused is tried again by the next request, and by one that waits", () =>
  Effect.gen(function* () {
    const refused = Effect.map(Effect.flip(Server.post("http://127.0.0.1:9/api")), (error) =>
      "reason" in error ? error.reason : ""
    )
    const all = yield* Effect.all([Effect.replicateEffect(refused, 3), refused], {
      concurrency: "unbounded"
    })
    expect(new Set(all.flat())).toEqual(new Set(["the connection was refused"]))
  }).pipe(Effect.provide(NodeTransport.layerWith({ connections: 1 })), Effect.runPromise))

describe("a dispatcher of the application", () => {
  it("sends the requests, and stays open when the layer ends", () =>
    Effect.gen(function* () {
      const server = yield* Server.start((socket) => Server.reply(socket, 200, "1"))
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent()),
        (agent) => Effect.promise(() => agent.destroy())
      )
      const paths: Array<string> = []
      const layer = NodeTransport.layerWith({
        dispatcher: {
          dispatch: (options, handler) => {
            paths.push(options.path)
            return agent.dispatch(options, handler)
          }
        }
      })
      for (const path of ["/1", "/2"])
        expect((yield* Effect.provide(Server.post(server.url + path), layer)).status).toBe(200)
      expect(paths).toEqual(["/1", "/2"])
      expect(agent.destroyed).toBe(false)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("that throws fails the request, and frees its connection", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 3; n++)
        expect(yield* Effect.flip(Server.post("http://payments.invalid"))).toMatchObject({
          _tag: "Unreachable",
          sent: false
        })
    }).pipe(
      Effect.provide(
        NodeTransport.layerWith({
          connections: 1,
          dispatcher: {
            dispatch: () => {
              throw new Error("canary")
            }
          }
        })
      ),
      Effect.runPromise
    ))
})

it("refuses a number of connections with which no request could be sent", () =>
  Effect.gen(function* () {
    for (const connections of [0, -1, Number.NaN])
      expect(
        yield* Effect.flip(Layer.launch(NodeTransport.layerWith({ connections })))
      ).toMatchObject({ _tag: "InvalidConfig", setting: "connections" })
  }).pipe(Effect.runPromise))

it("a time limit beyond the longest timer of Node does not end a request", () =>
  Effect.gen(function* () {
    const server = yield* Server.start((socket) => {
      setTimeout(() => Server.reply(socket, 200, "1"), 200)
    })
    expect((yield* Server.send(server.url, {}, "60 days")).status).toBe(200)
  }).pipe(Effect.scoped, Effect.provide(NodeTransport.layer), Effect.runPromise))

it("a connection opens within 5 seconds", () => {
  expect(NodeTransport.connectTimeout).toBe(5000)
})
