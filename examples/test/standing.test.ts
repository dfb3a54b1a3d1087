import { statuses } from "@pawl/core/Status"
import { existsSync } from "node:fs"
import { chromium, type Page } from "playwright-core"
import { createServer } from "vite"
import { describe, expect, it } from "vitest"
import worker from "../src/standing/worker.ts"

const ask = async (query: string): Promise<unknown> =>
  worker.fetch(new Request(`http://127.0.0.1/?${query}`)).json()

it("the worker says the same of the same observations, in any order", async () => {
  const standing = { status: "SUCCEED", rank: 10, confirmed: true, conflict: null }
  expect(await ask("claimed=PENDING&claimed=FAILED&confirmed=SUCCEED")).toEqual(standing)
  expect(await ask("confirmed=SUCCEED&claimed=FAILED&claimed=PENDING&claimed=PENDING")).toEqual(
    standing
  )
  expect(await ask("claimed=SUCCEED&claimed=NEW&claimed=nonsense")).toMatchObject({ status: "NEW" })
  expect(await ask("")).toEqual({ rank: 0, confirmed: false, conflict: null })
})

const executablePath = "/usr/bin/chromium"
const isThere = existsSync(executablePath)
if (!isThere) console.warn(`SKIPPED: examples in a browser, because there is no ${executablePath}`)

/** Serves the page as the README says, opens it in a browser of its own, and ends both, come what may. */
const onPage = async (act: (page: Page) => Promise<void>) => {
  const server = await createServer({
    configFile: false,
    root: new URL("../src/standing", import.meta.url).pathname,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0 }
  })
  const browser = await chromium.launch({
    executablePath,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
  })
  try {
    await server.listen()
    const page = await browser.newPage()
    const errors: Array<string> = []
    page.on("pageerror", ({ message }) => errors.push(message))
    await page.goto(server.resolvedUrls?.local[0] ?? "")
    await page.getByRole("button", { name: "Begin again" }).click()
    await act(page)
    expect(errors).toEqual([])
  } finally {
    await browser.close()
    await server.close()
  }
}

describe.runIf(isThere)("the page", () => {
  it("says where a transaction stands as statuses are clicked, and the rule beside it", () =>
    onPage(async (page) => {
      const click = (group: string, ...names: ReadonlyArray<string>) =>
        names.reduce<Promise<unknown>>(
          (before, name) =>
            before.then(() =>
              page.getByRole("group", { name: group }).getByRole("button", { name }).click()
            ),
          Promise.resolve()
        )
      const shown = async () => [
        await page.locator("#standing").textContent(),
        await page.locator("#rule").textContent()
      ]
      expect(await shown()).toEqual(["nowhere yet", "nowhere yet"])
      expect(await page.getByRole("button").count()).toBe(2 * statuses.length + 1)

      await click("A callback claims", "FAILED", "PENDING", "NEW")
      expect(await shown()).toEqual(["PENDING, not confirmed yet", "FAILED"])
      await click("The service says", "SUCCEED")
      expect(await shown()).toEqual(["SUCCEED, confirmed", "FAILED"])
      await click("The service says", "FAILED")
      expect(await shown()).toEqual(["FAILED, confirmed, of SUCCEED and FAILED", "FAILED"])
      expect(await page.locator("[aria-pressed=true]").count()).toBe(5)

      await page.getByRole("button", { name: "Begin again" }).click()
      await click("A callback claims", "NEW", "PENDING")
      await click("The service says", "SUCCEED")
      await click("A callback claims", "FAILED")
      expect(await shown()).toEqual(["SUCCEED, confirmed", "SUCCEED"])
    }))
})
