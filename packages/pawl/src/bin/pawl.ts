#!/usr/bin/env node
/** The `pawl` executable: starts on a supported version of Node, and caches its compiled modules. */
import * as Module from "node:module"

if (process.versions.node.localeCompare("22.19", "en", { numeric: true }) < 0) {
  console.error(`pawl needs Node 22.19 or newer; this is ${process.version}`)
  process.exit(1)
}
Module.enableCompileCache?.()
await import("./PawlCommand.ts")
