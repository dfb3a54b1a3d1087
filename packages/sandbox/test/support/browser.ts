import { existsSync } from "node:fs"
import { type Browser, chromium, type Page } from "playwright-core"

export const executablePath = "/usr/bin/chromium"

export const isThere = existsSync(executablePath)

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

export const faultsOf = (page: Page, origin: string, allowed?: RegExp): ReadonlyArray<string> => {
  const faults: Array<string> = []
  page.on("pageerror", ({ message }) => faults.push(message))
  page.on("console", (message) => {
    if (message.type() === "error" && allowed?.test(message.text()) !== true) {
      faults.push(message.text())
    }
  })
  page.on("request", (request) => {
    if (!/^(?:data|blob):/u.test(request.url()) && new URL(request.url()).origin !== origin) {
      faults.push(`requested ${request.url()}`)
    }
  })
  return faults
}
