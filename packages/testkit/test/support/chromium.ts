/**
 * A real browser for the tests of pages. Where there is none, these tests are skipped, and a line says so.
 */
import { existsSync } from "node:fs"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe } from "vitest"

const executablePath = "/usr/bin/chromium"

const isThere = existsSync(executablePath)
if (!isThere) console.warn(`SKIPPED: tests in a browser, because there is no ${executablePath}`)

/** Starts a browser with a profile of its own, that talks to nobody by itself. */
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

/** Opens a page with a session of its own, hands it over, and closes it, come what may. */
export type WithPage = <A>(
  act: (page: Page) => Promise<A>,
  options?: BrowserContextOptions
) => Promise<A>

/** A suite in one browser; each page has a session of its own, and waits 15 s for anything at most. */
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
