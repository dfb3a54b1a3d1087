import { type Request, Transport } from "@pawl/http/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { request } from "node:http"
import { text } from "node:stream/consumers"
import { assert } from "vitest"
import * as Fake from "@pawl/testkit/Fake"
import * as Gateway from "@pawl/testkit/Gateway"
import * as Sandbox from "../src/Sandbox.ts"
import { type Arrived, ServiceUnderTest } from "./support/contractService.ts"
import {
  anotherOf,
  clockAt,
  keepsContract,
  pressing,
  type ServiceLayer
} from "./support/contractTests.ts"
import { visit } from "./support/customer.ts"
import { control } from "./support/sandbox.ts"
import { receiver } from "./support/wire.ts"

const utf8 = new TextDecoder()

const exchange = (
  send: Transport["Service"]["send"],
  { body, headers, method, path }: Gateway.Request
) =>
  Effect.map(
    send(
      {
        method: method as Request["method"],
        url: `http://localhost${path}`,
        headers: headers as Request["headers"],
        body: utf8.decode(body)
      },
      Duration.infinity
    ),
    ({ body, headers, status }): Gateway.Response => ({
      status,
      headers: headers as Gateway.Response["headers"],
      body: utf8.decode(body)
    })
  )

const fake: ServiceLayer = (options, startsAt = 0) =>
  Layer.effect(
    ServiceUnderTest,
    Effect.gen(function* () {
      const { send } = yield* Transport
      const arrived: Array<Arrived> = []
      yield* Effect.andThen(Fake.Fake, ({ deliverTo }) =>
        deliverTo(({ body, ...rest }) =>
          Effect.sync(() => {
            arrived.push({ ...rest, body: JSON.parse(utf8.decode(body)) as Arrived["body"] })
            return 200
          })
        )
      )
      return {
        handle: (request) => Effect.orDie(exchange(send, request)),
        pass: TestClock.adjust,
        another: anotherOf(fake, options),
        reset: (yield* Gateway.Gateway).reset,
        press: pressing(yield* Gateway.Gateway),
        callbackUrl: "https://shop.example/callback?t=1",
        arrived: Effect.succeed(arrived)
      }
    })
  ).pipe(Layer.provideMerge(Fake.layer(options)), Layer.provideMerge(clockAt(startsAt)))

/** Uses `node:http`, because `fetch` normalizes the path. */
const overHttp =
  (origin: string): ServiceUnderTest["Service"]["handle"] =>
  ({ body, headers, method, path }) =>
    Effect.promise(
      () =>
        new Promise((resolve, reject) => {
          request(origin, { method, path, headers: { ...headers } }, (response) => {
            const { headers, statusCode: status = 0 } = response
            text(response).then(
              (body) =>
                resolve({ status, headers: { ...headers } as Record<string, string>, body }),
              reject
            )
          })
            .on("error", reject)
            .end(body)
        })
    )

const sandbox: ServiceLayer = (options) =>
  Layer.effect(
    ServiceUnderTest,
    Effect.gen(function* () {
      const shop = yield* receiver(() => [200])
      const { baseUrl } = yield* Sandbox.Sandbox
      const context = yield* Effect.context<Sandbox.Sandbox>()
      return {
        handle: overHttp(new URL(baseUrl).origin),
        pass: (advance) =>
          control("POST", "/clock", { advance }).pipe(
            Effect.map(({ status }) => assert.strictEqual(status, 200)),
            Effect.provideContext(context)
          ),
        another: anotherOf(sandbox, options),
        press: (url, form) =>
          Effect.map(visit(url, form), ({ status }) => assert.strictEqual(status, 303, url)),
        reset: control("POST", "/reset").pipe(
          Effect.map(({ status }) => assert.strictEqual(status, 204)),
          Effect.provideContext(context)
        ),
        callbackUrl: `${shop.url}/callback?t=1`,
        arrived: Effect.sync(() =>
          shop.received.map(({ body, headers, path }) => ({
            method: "POST",
            search: new URL(path, shop.url).search,
            contentType: headers["content-type"],
            checksum: String(headers["x-checksum"]),
            body: { ...body }
          }))
        )
      }
    })
  ).pipe(Layer.provideMerge(Sandbox.layer(options)))

keepsContract("fake", fake)
keepsContract("sandbox", sandbox)
