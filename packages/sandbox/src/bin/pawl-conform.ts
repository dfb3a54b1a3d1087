#!/usr/bin/env node
/**
 * Starts `pawl-conform` with a cache of its compiled modules, or prints the Node version that it needs.
 */
import * as Module from "node:module"

if (process.versions.node.localeCompare("22.19", "en", { numeric: true }) < 0) {
  console.error(`pawl-conform needs Node 22.19 or newer; this is ${process.version}`)
  process.exit(1)
}
Module.enableCompileCache?.()
const [{ run }, { make }] = await Promise.all([import("./Main.ts"), import("./ConformCommand.ts")])
run(make("pawl-conform"), { isServer: false })
