/**
 * The check in a browser: axe finds nothing on pages of each sort, on a phone and on a desk, light
 * and dark, no page errs or requests another host, and the search works.
 */
import { existsSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { violationsOf } from "../packages/sandbox/test/support/axe.ts"
import { faultsOf, launch } from "../packages/sandbox/test/support/browser.ts"

type Page = Parameters<typeof violationsOf>[0]

const origin = "http://pawl.test"

export const paths: ReadonlyArray<string> = [
  "/",
  "/docs/guides/taking-a-payment.html",
  "/docs/flows/wallet.html",
  "/docs/decisions/0050-durability.html",
  "/docs/api/core/Status.html",
  "/docs/proof.html"
]

const widths = [390, 1280]
const schemes = ["light", "dark"] as const

/** Answers the requests of a page with the files of the site. No other request is answered. */
const serve = (page: Page, site: string): Promise<unknown> =>
  page.route("**", (route) => {
    const url = route.request().url()
    const { pathname } = new URL(url)
    const path = join(
      site,
      decodeURIComponent(pathname),
      pathname.endsWith("/") ? "index.html" : ""
    )
    return url.startsWith(origin) && existsSync(path) ? route.fulfill({ path }) : route.abort()
  })

/** Lists what is wrong. With a folder for `pictures`, each page leaves one there for each look. */
export const check = async (site: string, pictures?: string): Promise<ReadonlyArray<string>> => {
  const browser = await launch()
  const found: Array<string> = []
  if (pictures !== undefined) await mkdir(pictures, { recursive: true })
  try {
    const page = await browser.newPage()
    await serve(page, site)
    const faults = faultsOf(page, origin)
    const examine = async (name: string) => {
      // Colours that change slowly have too little contrast on their way.
      await page.addStyleTag({ content: "* { transition: none !important }" })
      for (const width of widths) {
        for (const colorScheme of schemes) {
          await page.setViewportSize({ width, height: 900 })
          await page.emulateMedia({ colorScheme })
          const look = `${name} (${width} px, ${colorScheme})`
          for (const violation of await violationsOf(page)) found.push(`${look}: ${violation}`)
          const file = `${look.replaceAll(/\W+/gu, "-")}.png`
          if (pictures !== undefined) await page.screenshot({ path: join(pictures, file) })
        }
      }
    }
    for (const path of paths) {
      await page.goto(origin + path, { waitUntil: "networkidle" })
      // A diagram takes the place of its text.
      await page.locator(".language-mermaid > pre").first().waitFor({ state: "detached" })
      await examine(path)
    }
    await page.locator("#local-search button").click()
    await page.locator("#localsearch-input").fill("refund")
    await page.locator("#localsearch-list a").first().waitFor()
    await examine("search")
    return [...found, ...faults]
  } finally {
    await browser.close()
  }
}
