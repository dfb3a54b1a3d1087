import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { live } from "@pawl/test-support/Tests"
import * as Fake from "@pawl/testkit/Fake"
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import { Api, routes } from "../src/httpApi.ts"
import * as Shop from "../src/shop/Shop.ts"
import { pay } from "./processes.ts"

const app = HttpRouter.serve(routes("https://shop.example"), { disableLogger: true }).pipe(
  Layer.provideMerge(NodeHttpServer.layerTest),
  Layer.provideMerge(Shop.layer(":memory:", Redacted.make("sandbox-secret"))),
  Layer.provideMerge(Fake.layer({ pace: "10 millis", firstId: 100_001 }))
)

const post = ({ body, checksum = "", contentType, search }: Incoming) =>
  HttpClientRequest.post(`/callback${search}`).pipe(
    HttpClientRequest.setHeader("x-checksum", checksum),
    HttpClientRequest.bodyUint8Array(body, contentType),
    HttpClient.execute,
    Effect.map(({ status }) => status),
    Effect.orDie
  )

const test = live.with(() => app)

test("takes an order and its signed callbacks on one router, and ships after the confirmation", function* () {
  const posted: Array<Incoming> = []
  const http = yield* Effect.context<HttpClient.HttpClient>()
  const { deliverTo } = yield* Fake.Fake
  yield* deliverTo((incoming) => {
    posted.push(incoming)
    return Effect.provide(post(incoming), http)
  })

  const { orders } = yield* HttpApiClient.make(Api)
  const order = { params: { orderId: "order-1" } }
  const { page } = yield* orders.place({ payload: { orderId: "order-1", item: "tea" } })
  expect(yield* orders.read(order)).toEqual({ shippedBy: null })
  yield* pay(page)
  const shipped = Effect.repeat(orders.read(order), {
    until: ({ shippedBy }) => shippedBy !== null,
    schedule: Schedule.spaced("20 millis")
  })
  expect(yield* shipped).toEqual({ shippedBy: "100001" })

  for (const callback of posted) {
    expect(yield* post(callback)).toBe(200)
    expect(yield* post({ ...callback, checksum: "forged" })).toBe(401)
  }
})

const Document = Schema.Struct({ paths: Schema.Record(Schema.String, Schema.Unknown) })

test("answers 409 to another article, and lists its own endpoints in /openapi.json", function* () {
  const { orders } = yield* HttpApiClient.make(Api)
  yield* orders.place({ payload: { orderId: "order-1", item: "tea" } })
  const dearer = orders.place({ payload: { orderId: "order-1", item: "teapot" } })
  expect((yield* Effect.flip(dearer))._tag).toBe("Conflict")
  const document = yield* HttpClient.get("/openapi.json").pipe(
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Document))
  )
  expect(Object.keys(document.paths)).toEqual(["/orders", "/orders/{orderId}"])
})
