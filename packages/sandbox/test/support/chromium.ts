/** A real browser. Without one the tests are skipped, and a line says so. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe } from "vitest"
import { executablePath, isThere, launch } from "./browser.ts"

if (!isThere) console.warn(`SKIPPED: tests in a browser, because there is no ${executablePath}`)

interface Look {
  readonly colorScheme?: "light" | "dark"
  readonly viewport?: { readonly width: number; readonly height: number }
}

/**
 * Options of a page. `isNew`: no other test uses the page. `isStill`: no page loads again by
 * itself, which would disturb axe, a picture or the next address.
 */
export interface PageOptions extends Look {
  readonly isNew?: boolean
  readonly isStill?: boolean
  readonly javaScriptEnabled?: boolean
}

const usualSize = { width: 1280, height: 720 }

export type WithPage = <A>(act: (page: Page) => Promise<A>, options?: PageOptions) => Promise<A>

/** Takes the header `Refresh` from every document, until the returned end. */
const holdStill = async (page: Page): Promise<() => Promise<void>> => {
  const session = await page.context().newCDPSession(page)
  session.on("Fetch.requestPaused", ({ requestId, responseHeaders = [], responseStatusCode }) => {
    const others = responseHeaders.filter(({ name }) => name.toLowerCase() !== "refresh")
    // A paused request that is gone meanwhile needs no response.
    session
      .send(
        "Fetch.continueResponse",
        responseStatusCode === undefined
          ? { requestId }
          : { requestId, responseCode: responseStatusCode, responseHeaders: others }
      )
      .catch(() => {})
  })
  await session.send("Fetch.enable", {
    patterns: [{ resourceType: "Document", requestStage: "Response" }]
  })
  return () => session.detach()
}

/** A suite in one browser; a page waits at most 15 s. */
export const inChromium = (suite: (withPage: WithPage) => void): void => {
  describe.skipIf(!isThere)("in Chromium", () => {
    let browser: Browser
    /** Idle pages. One that is used again costs less than a new process. */
    const idle: Array<Page> = []
    beforeAll(async () => {
      browser = await launch()
    })
    afterAll(() => browser.close())

    const open = async (options: BrowserContextOptions) => {
      const context = await browser.newContext(options)
      // The documentation of the sandbox is large, and loads slowly on a busy machine.
      context.setDefaultTimeout(60_000)
      return context.newPage()
    }

    /** Takes an idle page. It has no cookies, and only other origins' storage. */
    const reuse = async ({ colorScheme = "light", viewport = usualSize }: Look) => {
      const page = idle.pop() ?? (await open({}))
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      return page
    }

    const clear = async (page: Page) => {
      page.removeAllListeners()
      const context = page.context()
      for (const other of context.pages()) if (other !== page) await other.close()
      await context.clearCookies()
      // A page that loads by itself at the same moment is not used again.
      await page.goto("about:blank").then(
        () => idle.push(page),
        () => context.close()
      )
    }

    suite(async (act, options = {}) => {
      const { isNew = false, isStill = false, javaScriptEnabled = true, ...look } = options
      const actOn = async (page: Page) => {
        const release = isStill ? await holdStill(page) : undefined
        const result = await act(page)
        await release?.()
        return result
      }
      if (javaScriptEnabled && !isNew) {
        const page = await reuse(look)
        // A page in an unknown state is not used again.
        const result = await actOn(page).catch(async (error) => {
          await page.context().close()
          throw error
        })
        await clear(page)
        return result
      }
      const page = await open({ javaScriptEnabled, ...look })
      try {
        return await actOn(page)
      } finally {
        await page.context().close()
      }
    })
  })
}
