/**
 * Measures the cost of the promises and doors of `pawl` over the packages that it is made of.
 *
 * - `door`: the CPU time of a create, which is written to a store in memory, and of a read, 64 concurrently. Each variant
 *   runs in its own process, and the service in another.
 * - `doorCallback`: the CPU time of a server for a callback, as in `receiver`.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { type Bench, type Costs, inOwnProcess, measure } from "./harness.ts"
import { measureServers } from "./receiver.ts"

const run = async (): Promise<Costs> => {
  const origin = fork(new URL("origin.ts", import.meta.url))
  const [port] = (await once(origin, "message")) as [number]
  const variants = [
    "packages, a create",
    "pawl, a create",
    "packages, a read",
    "packages, a read by runPromise",
    "pawl, a read"
  ].map((name) =>
    inOwnProcess(name, new URL("doorProcess.ts", import.meta.url), [name, String(port)])
  )
  try {
    return await measure(variants, { synchronous: false, slice: 300, warmUp: 4000 })
  } finally {
    for (const { close } of variants) close()
    origin.disconnect()
  }
}

export const door: Bench = {
  what: "a call by promises, 64 concurrent, beside the same call by effects",
  floor: "packages, a read",
  goals: [
    { variant: "pawl, a create", against: "packages, a create", atMost: 1.03 },
    { variant: "pawl, a read", against: "packages, a read by runPromise", atMost: 1.03 }
  ],
  run
}

export const doorCallback: Bench = {
  what: "a callback accepted by the door of pawl for Node, beside that of its packages",
  floor: "pawl-receiver",
  goals: [{ variant: "pawl.node()", against: "pawl-receiver", atMost: 1.03 }],
  run: () => measureServers(["pawl-receiver", "pawl.node()"])
}
