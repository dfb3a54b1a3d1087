/**
 * Makes the programs of this folder import the packages of the checkout in `PAWL_TREE` (`node
 * --import`).
 */
import { registerHooks } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const bench = new URL("../../", import.meta.url).href
/** This package depends on all that the programs import. */
const parentURL = pathToFileURL(
  join(process.env["PAWL_TREE"] ?? ".", "packages/webhook/package.json")
).href

registerHooks({
  resolve: (specifier, context, next) =>
    /^(?:effect|@effect|@pawl)\//u.test(specifier) && context.parentURL?.startsWith(bench) === true
      ? next(specifier, { ...context, parentURL })
      : next(specifier, context)
})
