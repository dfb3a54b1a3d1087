/**
 * What every page for customers has around it.
 *
 * **Details**
 *
 * There is no script, and nothing comes from elsewhere: the policy allows the page's own stylesheet and
 * icon, and forms that lead to the page itself and, since a browser holds redirects against it too, to
 * where the merchant wants the customer back.
 */
import * as Amount from "@pawl/core/Amount"
import { stories } from "../gateway/Cards.ts"
import { type Html, html } from "./Html.ts"
import { type Language, words } from "./Words.ts"

/**
 * A page: what is shown, and how. `back` are the URLs the customer may be redirected to; `refresh` are
 * seconds after which the page looks again.
 */
export interface Page {
  readonly status: number
  readonly title: string
  readonly body: Html
  readonly isAlone?: boolean
  readonly back?: ReadonlyArray<string | undefined>
  readonly refresh?: number
}

/** For whom a page is: in which language, and whether it is in a frame of the merchant's. */
export interface Reader {
  readonly language: Language
  readonly isFrame: boolean
}

/** Where the page's stylesheet and icon are. */
export const assets = { style: "/pay/page.css", icon: "/pay/icon.svg" } as const

/** Writes a page. */
export const write = (page: Page, { isFrame, language }: Reader): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${page.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${page.refresh !== undefined && html`<meta http-equiv="refresh" content="${page.refresh}" />`}
<link rel="stylesheet" href="${assets.style}">
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
</head>
<body${isFrame && html` class="frame"`}>
${testMode(language)}
<main${page.isAlone === true && html` class="alone"`}>
${page.body}
</main>
</body>
</html>
`.text

/** Returns the headers of a page. Only the page for a frame may be framed. */
export const headersOf = (
  { back = [] }: Page,
  { isFrame }: Reader
): Readonly<Record<string, string>> => ({
  ...always,
  "cache-control": "no-store",
  "content-security-policy": [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    `form-action ${["'self'", ...new Set(back.flatMap(originOf))].join(" ")}`,
    "base-uri 'none'",
    `frame-ancestors ${isFrame ? "*" : "'none'"}`
  ].join("; "),
  ...(isFrame ? {} : { "x-frame-options": "DENY" })
})

/** The headers of everything that is not a page itself. */
export const always: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin"
}

const originOf = (url: string | undefined): Array<string> =>
  url === undefined ? [] : [new URL(url).origin]

/** Writes an amount for a customer. */
export const money = (amount: string, currency: string, language: Language): string =>
  // Both were read by the contract.
  Amount.format(amount as Amount.Amount, currency as Amount.Currency, language)

/** Writes a card number as it is on a card, on one line. */
export const grouped = (number: string): string =>
  number.replace(/(?<=^(?:[0-9]{4})+)(?=[0-9])/gu, "\u00a0")

const testMode = (language: Language): Html => {
  const say = words[language]
  const fates: Readonly<Record<string, string>> = {
    succeed: say.succeeds,
    challenge: say.challenges
  }
  return html`<details class="test" data-testid="test-mode">
    <summary><strong>${say.test}</strong>${say.testNote}</summary>
    <div>
      <p>${say.testCards}:</p>
      <ul>
        ${Object.entries(stories).map(
          ([number, story]) =>
            html`<li><code>${grouped(number)}</code> ${fates[story] ?? say.declines}</li>`
        )}
      </ul>
      <p>${say.anyOther}</p>
    </div>
  </details>`
}

/** Writes an icon, which is for the eye only. */
export const icon = (name: keyof typeof paths, size = 20): Html =>
  html`<svg
    width="${size}"
    height="${size}"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d="${paths[name]}" />
  </svg>`

const paths = {
  lock: "M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3",
  wallet: "M4 7h15a1 1 0 0 1 1 1v11H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2h12v3M16 13.5h.01",
  bank: "M3 10l9-6 9 6M5 10v8M10 10v8M14 10v8M19 10v8M3 20h18",
  shield: "M12 3l8 3v6c0 5-3.5 8-8 9-4.500-1-8-4-8-9V6zM9 12l2 2 4-4",
  tick: "M5 12.5l4.500 4.500L19 7.500",
  cross: "M6 6l12 12M18 6L6 18",
  wait: "M12 3a9 9 0 1 1-9 9"
}
