/**
 * One contract, three doors: the gateway alone, the fake, and the sandbox over real sockets.
 */
import { type Request, Transport } from "@pawl/http/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { request } from "node:http"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "vitest"
import * as Fake from "../src/Fake.ts"
import * as Gateway from "../src/Gateway.ts"
import * as Sandbox from "../src/Sandbox.ts"
import { bench, Receiver } from "./support/bench.ts"
import { contract } from "./support/contract.ts"
import { type Arrived, Door, pace } from "./support/contractDoor.ts"
import { control } from "./support/sandbox.ts"
import { receiver } from "./support/wire.ts"

const gateway = Layer.effect(
  Door,
  Effect.gen(function* () {
    const { handle } = yield* Gateway.Gateway
    const { received } = yield* Receiver
    return {
      handle,
      pass: TestClock.adjust,
      callbackUrl: "http://127.0.0.1:4020/callback?t=1",
      arrived: Effect.sync(() =>
        received.map((each) => ({ ...each, method: "POST", search: new URL(each.url).search }))
      )
    }
  })
).pipe(Layer.provideMerge(bench({ pace })))

const utf8 = new TextDecoder()

/** As the client sends it, but with whatever method and headers a case has. */
const exchange = (
  send: Transport["Service"]["send"],
  { body, headers, method, path }: Gateway.Request
) =>
  Effect.map(
    send({
      method: method as Request["method"],
      url: `http://localhost${path}`,
      headers: headers as Request["headers"],
      body: utf8.decode(body)
    }),
    ({ body, headers, status }): Gateway.Response => ({
      status,
      headers: headers as Gateway.Response["headers"],
      body: utf8.decode(body)
    })
  )

const fake = Layer.effect(
  Door,
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
      callbackUrl: "https://shop.example/callback?t=1",
      arrived: Effect.succeed(arrived)
    }
  })
).pipe(Layer.provideMerge(Fake.layer({ pace })), Layer.provideMerge(TestClock.layer()))

/** Sends the bytes as they are: `fetch` would tidy up the path. */
const overHttp =
  (origin: string): Door["Service"]["handle"] =>
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

const sandbox = Layer.effect(
  Door,
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
).pipe(Layer.provideMerge(Sandbox.layer({ pace })))

const doors: Readonly<Record<string, Layer.Layer<Door, unknown>>> = { gateway, fake, sandbox }

for (const [behind, door] of Object.entries(doors)) {
  describe(`the ${behind} keeps the contract`, () => {
    for (const [of, cases] of Object.entries(contract)) {
      for (const { holds, name } of cases) {
        it(`of ${of}: ${name}`, () =>
          holds.pipe(Effect.provide(door), Effect.scoped, Effect.runPromise))
      }
    }
  })
}
