#!/usr/bin/env node
/**
 * Starts the sandbox, with what Node made of its modules at the last start, so that it takes half the
 * time; where this Node cannot run it, says which can.
 */
import * as Module from "node:module"

if (process.versions.node.localeCompare("22.19", "en", { numeric: true }) < 0) {
  console.error(`pawl-sandbox needs Node 22.19 or newer; this is ${process.version}`)
  process.exit(1)
}
Module.enableCompileCache()
await import("./SandboxCommand.ts")
