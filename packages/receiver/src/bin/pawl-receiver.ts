#!/usr/bin/env node
/**
 * Starts the receiver. If Node is too old or a package is missing, it prints one sentence and exits
 * with 1.
 */
const end = (sentence: string): never => {
  console.error(sentence)
  process.exit(1)
}

if (process.versions.node.localeCompare("22.19", "en", { numeric: true }) < 0) {
  end(`pawl-receiver needs Node 22.19 or newer; this is ${process.version}`)
}
await import("./ReceiverMain.ts").catch((error: Error) => {
  const [, name] = /^Cannot find package '([^']+)'/u.exec(error.message) ?? []
  if (name === undefined) throw error
  end(`pawl-receiver needs ${name}: npm install ${name}`)
})
