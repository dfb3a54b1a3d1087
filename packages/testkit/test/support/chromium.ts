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
      "--disable-sync",
      // Fewer processes: the pages of a test do not need one each.
      "--renderer-process-limit=1",
      "--disable-site-isolation-trials",
      "--disable-software-rasterizer",
      "--in-process-gpu"
    ]
  })

/** How a page looks, which can change while it is open. */
interface Look {
  readonly colorScheme?: "light" | "dark"
  readonly viewport?: { readonly width: number; readonly height: number }
}

/** Options of a page. With `isNew` no other test has used the page, or will use it. */
export interface PageOptions extends Look {
  readonly isNew?: boolean
  readonly javaScriptEnabled?: boolean
}

const usualSize = { width: 1280, height: 720 }

/** Runs a function on a page with a new session, and closes the page. */
export type WithPage = <A>(act: (page: Page) => Promise<A>, options?: PageOptions) => Promise<A>

/** A suite in one browser; each page has a new session, and waits at most 15 s. */
export const inChromium = (suite: (withPage: WithPage) => void): void => {
  describe.skipIf(!isThere)("in Chromium", () => {
    let browser: Browser
    /** Pages that no test uses now. A page that is used again costs less than a new process. */
    const idle: Array<Page> = []
    beforeAll(async () => {
      browser = await launch()
    })
    afterAll(() => browser.close())

    const open = async (options: BrowserContextOptions) => {
      const context = await browser.newContext(options)
      context.setDefaultTimeout(15_000)
      return context.newPage()
    }

    /** Takes an idle page. It has no cookies; its storage is that of other origins, because each sandbox has its own port. */
    const reuse = async ({ colorScheme = "light", viewport = usualSize }: Look) => {
      const page = idle.pop() ?? (await open({}))
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      return page
    }

    /** Closes the other pages of the session, and removes everything that a test added. */
    const clear = async (page: Page) => {
      page.removeAllListeners()
      const context = page.context()
      for (const other of context.pages()) if (other !== page) await other.close()
      await context.clearCookies()
      await page.goto("about:blank")
      idle.push(page)
    }

    suite(async (act, { isNew = false, javaScriptEnabled = true, ...look } = {}) => {
      if (javaScriptEnabled && !isNew) {
        const page = await reuse(look)
        // A page in an unknown state is not used again.
        const result = await act(page).catch(async (error) => {
          await page.context().close()
          throw error
        })
        await clear(page)
        return result
      }
      const page = await open({ javaScriptEnabled, ...look })
      try {
        return await act(page)
      } finally {
        await page.context().close()
      }
    })
  })
}
