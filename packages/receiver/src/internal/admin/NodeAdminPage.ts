/**
 * The page of the admin API: open work, alarms, and redrives of dead letters.
 */
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import type { Response } from "../../Admin.ts"
import { text, withHeaders } from "./Response.ts"
import * as PageFiles from "./PageFiles.ts"

/**
 * The same folder from `src` and from `dist`: the browser files are published as they are in `src`.
 */
const folder = new URL("../../../src/internal/page/", import.meta.url)

/** The files of the page, by path: `/`, and the rest under `/page`. */
export const files: Effect.Effect<ReadonlyMap<string, Response>> = Effect.sync(
  () =>
    new Map(
      [...filesIn(folder), ...filesIn(PageFiles.shared)].map(({ body, contentType, name }) => [
        name === "index.html" ? "/" : `/page/${name}`,
        withHeaders(text(body, contentType), PageFiles.headers)
      ])
    )
)

const filesIn = (folder: URL) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile()
      ? PageFiles.make(entry.name, readFileSync(new URL(entry.name, folder), "utf8"))
      : []
  )
