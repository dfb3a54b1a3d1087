import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { overHttp } from "@pawl/test-support/OverHttp"
import { assert } from "vitest"
import * as Sandbox from "../src/Sandbox.ts"
import { ServiceUnderTest } from "./support/contractService.ts"
import { anotherOf, keepsContract, type ServiceLayer } from "./support/contractTests.ts"
import { visit } from "./support/customer.ts"
import { control } from "./support/sandbox.ts"
import { receiver } from "./support/wire.ts"

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

keepsContract("sandbox", sandbox)
