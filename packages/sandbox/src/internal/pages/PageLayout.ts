/** The frame of every page for customers (`docs/decisions/0033-pages.md`). */
import * as Amount from "@pawl/core/Amount"
import { stories } from "@pawl/testkit/internal/gateway/Cards"
import { type Html, html } from "./Html.ts"
import { fillIn, type Language, translations } from "./Translations.ts"

export interface Page {
  readonly status: number
  readonly title: string
  readonly body: Html
  readonly isAlone?: boolean
  /** Seconds until the page of a waiting customer reloads. */
  readonly refresh?: number
}

/** Language of a page, and whether the merchant frames it. */
export interface Viewer {
  readonly language: Language
  readonly isFrame: boolean
  /** The requested language, if it has no texts. */
  readonly untranslated?: string | undefined
}

export const assets = { style: "/pay/page.css", icon: "/pay/icon.svg" } as const

export const write = (page: Page, { isFrame, language, untranslated }: Viewer): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${page.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${assets.style}">
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
</head>
<body${isFrame && html` class="frame"`}>
${!isFrame && testMode(language, untranslated)}
<main${page.isAlone === true && html` class="alone"`}>
${page.body}
</main>
${isFrame && testMode(language, untranslated)}
</body>
</html>
`.text

/** Returns the headers of a page. Only a page for a frame may be framed. */
export const headersOf = (
  { refresh }: Page,
  { isFrame }: Viewer
): Readonly<Record<string, string>> => ({
  ...commonHeaders,
  "cache-control": "no-store",
  ...(refresh === undefined ? {} : { refresh: String(refresh) }),
  "content-security-policy": [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    `frame-ancestors ${isFrame ? "*" : "'none'"}`
  ].join("; "),
  ...(isFrame ? {} : { "x-frame-options": "DENY" })
})

export const commonHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin"
}

export const money = (amount: string, currency: string, language: Language): string =>
  // The contract has checked both.
  Amount.format(amount as Amount.Amount, currency as Amount.Currency, language)

export const reason = (declineCode: number | undefined, language: Language): string | undefined => {
  const reasons: Readonly<Record<number, string>> = translations[language].reasons
  return reasons[declineCode ?? 0]
}

export const grouped = (number: string): string =>
  number.replace(/(?<=^(?:[0-9]{4})+)(?=[0-9])/gu, "\u00a0")

const testMode = (language: Language, untranslated: string | undefined): Html => {
  const text = translations[language]
  const outcomes: Readonly<Record<string, string>> = {
    succeed: text.succeeds,
    challenge: text.challenges
  }
  return html`<aside class="test" aria-label="${text.test}" data-testid="test-mode">
    <details>
      <summary>
        <strong>${text.test}</strong
        >${text.testNote}${untranslated && html` <span data-testid="untranslated">${fillIn(text.untranslated, { lang: untranslated })}</span>`}
      </summary>
      <div>
        <p>${text.testCards}:</p>
        <ul>
          ${Object.entries(stories).map(
            ([number, story]) =>
              html`<li><code>${grouped(number)}</code> ${outcomes[story] ?? text.declines}</li>`
          )}
        </ul>
        <p>${text.anyOther}</p>
      </div>
    </details>
  </aside>`
}

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
  lost: "M8.500 8.500a3.500 3.500 0 1 1 4.500 3.400c-.700.300-1 .900-1 1.800M12 18h.01",
  wait: "M12 3a9 9 0 1 1-9 9"
}
