/**
 * Measures the CPU time of a call: clients create APM payments, or read their status, 64
 * concurrently. Each client and the server has its own process. The floor is undici's `request`
 * with a hand-written checksum.
 */
import { inOwnProcess, type Bench, type Costs, measure } from "./harness.ts"
import { startServer } from "./processes.ts"

const run = async (): Promise<Costs> => {
  const origin = await startServer(new URL("origin.ts", import.meta.url))
  const clients = [
    "undici.request",
    "pawl",
    "pawl, with a span",
    "undici.request, a read",
    "pawl, a read",
    "fetch",
    "axios",
    "plain HttpApiClient",
    "stripe-node"
  ].map((name) =>
    inOwnProcess(name, new URL("clientProcess.ts", import.meta.url), [name, String(origin.port)])
  )
  try {
    return await measure(clients, { synchronous: false, slice: 300, warmUp: 4000 })
  } finally {
    for (const { close } of clients) close()
    origin.close()
  }
}

export const client: Bench = {
  what: "a create, 64 concurrent, against a server in another process",
  floor: "undici.request",
  goals: [
    { variant: "pawl", against: "undici.request", atMost: 1 },
    { variant: "pawl, with a span", against: "undici.request", atMost: 1.15 },
    { variant: "pawl, a read", against: "undici.request, a read", atMost: 0.95 },
    { variant: "pawl", against: "stripe-node", atMost: 0.3 }
  ],
  run
}
