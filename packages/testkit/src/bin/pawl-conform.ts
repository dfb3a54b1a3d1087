#!/usr/bin/env node
/**
 * Starts `pawl-conform`, or prints the Node version that it needs.
 */
if (process.versions.node.localeCompare("22.19", "en", { numeric: true }) < 0) {
  console.error(`pawl-conform needs Node 22.19 or newer; this is ${process.version}`)
  process.exit(1)
}
await import("./ConformMain.ts")
