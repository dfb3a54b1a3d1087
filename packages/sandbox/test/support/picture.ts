/**
 * The pictures of the documentation. After its last byte each has a hash, which decoders of PNG
 * ignore: of the style sheets and the different elements, with classes and texts, but without
 * numbers, times, their order and pixels, which depend on fonts.
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import type { Locator, Page } from "playwright-core"
import { assert } from "vitest"

const images = resolve(import.meta.dirname, "../../../../docs/images")
const isRemade = process.env["PAWL_SCREENSHOTS"] === "1"
const command = "PAWL_SCREENSHOTS=1 npx -y pnpm@12.18.0 test:all browser.test -t screenshot"

const hashOf = async (page: Page, part = page.locator("body")): Promise<string> => {
  const html = await part.evaluate(({ outerHTML }) => outerHTML)
  const sheets = await page.locator("link[rel=stylesheet]").all()
  const styles = await Promise.all(
    sheets.map(async (link) => {
      const href = (await link.getAttribute("href")) ?? ""
      return (await page.request.get(new URL(href, page.url()).href)).text()
    })
  )
  const shown = html
    .replaceAll(/ (?!class=)[\w:-]+="[^"]*"/gu, "")
    .replaceAll(/(?:\d+ \p{L}+ \d{4}, )?\+?\d[\d.,:]*(?: (?:ms|s|min|h|d)\b)?/gu, "0")
    .replaceAll("0 0", "0")
    // The console writes so after 0 ms.
    .replaceAll(">start<", ">0<")
    // The service is read again while it contradicts a claim, so a slow test counts more reads.
    .replaceAll(
      /(The service reported \w+), 0 times\.(<\/span><small>(?:0 later; )?)last at 0/gu,
      "$1.$2"
    )
    // A story leaves this out for less than a second.
    .replaceAll(/0 later(?:; )?/gu, "")
    .replaceAll("<small></small>", "")
  const elements = [...new Set(shown.split("<"))].toSorted()
  return createHash("sha256")
    .update(JSON.stringify([styles, elements]))
    .digest("hex")
}

/**
 * Fails if a picture of less than `limit` bytes shows another page than the present one, or remakes
 * the picture, of the whole page or of a `part`.
 */
export const shows = async (
  page: Page,
  name: string,
  limit: number,
  part?: Locator
): Promise<void> => {
  const file = resolve(images, name)
  let hash = await hashOf(page, part)
  if (isRemade) {
    const png = await (part ?? page).screenshot()
    assert.isBelow(png.length, limit)
    writeFileSync(file, Buffer.concat([png, Buffer.from(hash)]))
  }
  const last = readFileSync(file).subarray(-hash.length).toString("latin1")
  // A page that updates shows another state for a moment, such as a retry that is due.
  for (let tries = 0; hash !== last && tries < 50; tries++) {
    await page.waitForTimeout(100)
    hash = await hashOf(page, part)
  }
  assert.strictEqual(last, hash, `docs/images/${name} shows an earlier page. Remake it: ${command}`)
}
