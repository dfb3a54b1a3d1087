/**
 * The page of the admin API: a person sees the open work and the alarms, and redrives dead letters.
 *
 * **Details**
 *
 * The page is plain HTML, stylesheets, and JavaScript modules that the browser runs as they are; it uses only the admin API,
 * so everything in it can also be done with curl (`docs/decisions/0085-the-page-of-the-admin-api-has-files-of-its-own.md`). It
 * loads nothing from another host, and no site may frame it.
 *
 * **Example** (In the layer of an admin API)
 *
 * ```ts
 * import * as Admin from "@pawl/webhook/Admin"
 * import * as NodeAdminPage from "@pawl/webhook/NodeAdminPage"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const layer = Layer.unwrap(Effect.map(NodeAdminPage.files, (page) => Admin.layer({ page })))
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { extname } from "node:path"
import type { Response } from "./Admin.ts"
import { text, withHeaders } from "./internal/admin/Response.ts"

/** The path from `src` and from `dist`: the browser files are published as they are in `src`. */
const folder = new URL("../src/internal/page/", import.meta.url)

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml"
}

const headers = {
  "cache-control": "no-cache",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer"
}

/**
 * The files of the page, by path: `/`, and the rest under `/page`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const files: Effect.Effect<ReadonlyMap<string, Response>> = Effect.sync(
  () =>
    new Map(
      readdirSync(folder).flatMap((name) => {
        const type = contentTypes[extname(name)]
        if (type === undefined) return []
        const body = readFileSync(new URL(name, folder), "utf8")
        const path = name === "index.html" ? "/" : `/page/${name}`
        return [[path, withHeaders(text(body, type), headers)] as const]
      })
    )
)
