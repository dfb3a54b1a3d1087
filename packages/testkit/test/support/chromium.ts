/**
 * A real browser for the tests of pages. Without one these tests are skipped, and a line says so.
 */
import { existsSync } from "node:fs"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe } from "vitest"

const executablePath = "/usr/bin/chromium"

const isThere = existsSync(executablePath)
if (!isThere) console.warn(`SKIPPED: tests in a browser, because there is no ${executablePath}`)

/** Starts a browser with a new profile, which sends no requests by itself. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync"
    ]
  })

/** Runs a function on a page with a new session, and closes the page. */
export type WithPage = <A>(
  act: (page: Page) => Promise<A>,
  options?: BrowserContextOptions
) => Promise<A>

/** A suite in one browser; each page has a new session, and waits at most 15 s. */
export const inChromium = (suite: (withPage: WithPage) => void): void => {
  describe.skipIf(!isThere)("in Chromium", () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launch()
    })
    afterAll(() => browser.close())
    suite(async (act, options = {}) => {
      const context = await browser.newContext(options)
      context.setDefaultTimeout(15_000)
      try {
        return await act(await context.newPage())
      } finally {
        await context.close()
      }
    })
  })
}
