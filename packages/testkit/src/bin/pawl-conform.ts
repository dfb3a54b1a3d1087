#!/usr/bin/env node
/**
 * Starts the laws of a receiver where this Node can run them, and else says which Node can.
 *
 * @since 0.1.0
 */
if (process.versions.node.localeCompare("22.19", "en", { numeric: true }) < 0) {
  console.error(`pawl-conform needs Node 22.19 or newer; this is ${process.version}`)
  process.exit(1)
}
await import("./ConformCommand.ts")
