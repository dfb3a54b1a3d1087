/**
 * What a call costs: an APM payment is created, 64 at a time, against an origin, each client in a process
 * of its own, as one has it in its shop. The floor is undici's `request` with everything else by hand, the
 * checksum included.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { apart, type Bench, type Costs, measure } from "./harness.ts"

const run = async (): Promise<Costs> => {
  const origin = fork(new URL("origin.ts", import.meta.url))
  const [port] = (await once(origin, "message")) as [number]
  const clients = [
    "undici.request",
    "pawl",
    "pawl, with a span",
    "fetch",
    "axios",
    "plain HttpApiClient",
    "stripe-node"
  ].map((name) => apart(name, new URL("clients.ts", import.meta.url), [name, String(port)]))
  try {
    return await measure(clients, { synchronous: false, slice: 300, warmUp: 4000 })
  } finally {
    for (const { close } of clients) close()
    origin.disconnect()
  }
}

export const client: Bench = {
  what: "a create, 64 at a time, against an origin in another process",
  floor: "undici.request",
  goals: [
    { variant: "pawl", against: "undici.request", atMost: 1.35 },
    { variant: "pawl, with a span", against: "undici.request", atMost: 1.75 },
    { variant: "pawl", against: "stripe-node", atMost: 0.4 }
  ],
  run
}
