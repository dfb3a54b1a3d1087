import { start } from "@pawl/test-support/Program"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { freePort } from "@pawl/test-support/FreePort"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, expect, it } from "vitest"
import * as Sandbox from "../src/Sandbox.ts"
import { inChromium } from "./support/chromium.ts"

const root = resolve(import.meta.dirname, "../../..")
const folder = mkdtempSync(join(tmpdir(), "pawl-shop-"))
afterAll(() => rmSync(folder, { recursive: true }))

const port = Effect.map(Effect.promise(freePort), String)

const shopAt = Effect.fnUntraced(function* (baseUrl: string, name: string) {
  const { line } = yield* start(process.execPath, [join(root, "examples/src/promiseShop.mjs")], {
    PAWL_BASE_URL: baseUrl,
    PAWL_MERCHANT_KEY: "sandbox-key",
    PAWL_MERCHANT_SECRET: "sandbox-secret",
    PORT: yield* port,
    SHOP_FILE: join(folder, name)
  })
  return yield* line(/^ready (\S+)$/mu)
})

inChromium((withPage) => {
  it("a customer pays in a browser, and comes back to an order that is paid", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Sandbox.Sandbox
      const order = `${yield* shopAt(baseUrl, "browser.db")}/orders/17`
      yield* Effect.promise(async () => {
        const placed = await fetch(order, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ item: "tea", email: "ada@shop.example" })
        })
        const { page: address } = (await placed.json()) as { readonly page: string }
        await withPage(async (page) => {
          await page.goto(address)
          expect(await page.getByTestId("amount").textContent()).toContain("10.00")
          await page.getByTestId("card-number").fill("4242424242424242")
          await page.getByTestId("card-expiry").fill("04/30")
          await page.getByTestId("card-cvc").fill("737")
          await page.getByTestId("card-name").fill("Ada Lovelace")
          await page.getByTestId("pay").click()
          await page.waitForURL(order)
          const text = async () => (await page.reload(), await page.textContent("body"))
          await expect.poll(text, { timeout: 200_000 }).toContain('"status":"PAID"')
        })
      })
    }).pipe(Effect.provide(Sandbox.layer({ pace: "20 millis" })), Effect.scoped, Effect.runPromise))
})

it("the laws of the specification hold for the receiver of the shop", () =>
  Effect.gen(function* () {
    const apiPort = yield* port
    const shop = yield* shopAt(`http://127.0.0.1:${apiPort}/api`, "conform.db")
    const command = `${root}/packages/sandbox/src/bin/pawl-conform.ts ${shop}/callback --api-port ${apiPort} --only specification --seed 1`
    const { exited, stdout } = yield* start(process.execPath, command.split(" "))
    expect(yield* exited).toEqual({ code: 0, signal: null })
    expect(stdout()).toMatch(/✓/u)
    expect(stdout()).not.toMatch(/✗/u)
  }).pipe(Effect.scoped, Effect.runPromise))
