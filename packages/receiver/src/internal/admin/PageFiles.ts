/**
 * The files of the receiver's page and of the sandbox's console.
 *
 * Both share styles, icon and basic modules (`docs/decisions/0033-pages.md`).
 */
export interface PageFile {
  readonly name: string
  readonly contentType: string
  readonly body: string
}

const contentTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml"
}

// The same folder from `src` and from `dist`: the browser files are published as they are in `src`.
export const shared = new URL("../../../src/internal/page/shared/", import.meta.url)

/**
 * Makes a file of a page; none if a page has no such files. The browser finds the shared modules
 * beside those of the page.
 */
export const make = (name: string, text: string): ReadonlyArray<PageFile> => {
  const contentType = contentTypes[name.replace(/^.*\./u, "")]
  const body = text.replaceAll('"@pawl/receiver/page/', '"./')
  return contentType === undefined ? [] : [{ name, contentType, body }]
}

/**
 * The headers of every file, which allow no inline script or style, no other origin, no frame, and
 * no markup from strings.
 */
export const headers = {
  "cache-control": "no-cache",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
} as const
