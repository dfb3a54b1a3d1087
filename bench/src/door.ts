/**
 * Measures the cost of the promises and doors of `pawl` over the packages that it is made of.
 *
 * - `door`: the CPU time of a create and of a read, 64 concurrently. The service runs in another
 *   process.
 * - `doorCallback`: the CPU time of a server for a callback.
 */
import { ApmPayments } from "@pawl/http/ApmPayments"
import { Requests } from "@pawl/webhook/Requests"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { open } from "pawl"
import * as Options from "pawl/internal/Options"
import * as Arguments from "pawl/internal/Arguments"
import * as Functions from "pawl/internal/Functions"
import { type Bench, type Costs, measure, type Variant } from "./harness.ts"
import { callAll, payment } from "./payments.ts"
import { startServer } from "./processes.ts"
import { byCpuTime, measureServers } from "./receiver.ts"

const variant = (name: string, call: () => Promise<unknown>): Variant => ({
  name,
  check: () => call().then(() => undefined),
  run: (times) => callAll(times, call)
})

const run = async (): Promise<Costs> => {
  // An open transaction would be polled.
  const origin = await startServer(new URL("origin.ts", import.meta.url), ["0", "SUCCEED"])
  const options = {
    baseUrl: `http://127.0.0.1:${origin.port}/api`,
    merchantKey: "key",
    merchantSecret: "merchant-secret",
    store: "memory",
    onChange: () => {}
  }
  const { settings } = await Effect.runPromise(Options.read(options))
  const packages = ManagedRuntime.make(
    Functions.layer(Functions.client(options), settings, options, Arguments.create)
  )
  const pawl = await open(options)
  try {
    const pace = { synchronous: true, rounds: 41, times: 96, warmUp: 500 }
    const reads = await measure(
      [
        variant("packages, a read", () =>
          packages.runPromise(ApmPayments.use(({ status }) => status("100001")))
        ),
        variant("pawl, a read", () => pawl.apmPayments.status("100001"))
      ],
      { ...pace, times: 24 * pace.times }
    )
    const creates = await measure(
      [
        variant("packages, a create", () =>
          packages.runPromise(Requests.use(({ send }) => send("apm-payment", payment({}))))
        ),
        variant("pawl, a create", () => pawl.apmPayments.create(payment({})))
      ],
      pace
    )
    return { unit: reads.unit, of: new Map([...reads.of, ...creates.of]) }
  } finally {
    await Promise.all([packages.dispose(), pawl.close()])
    origin.close()
  }
}

export const door: Bench = {
  what: "a call by promises, 64 concurrent, beside runPromise with the packages",
  floor: "packages, a read",
  goals: [
    { variant: "pawl, a read", against: "packages, a read", atMost: 1.03 },
    { variant: "pawl, a create", against: "packages, a create", atMost: 1.03 }
  ],
  run
}

export const doorCallback: Bench = {
  what: "a callback accepted by pawl's door for Node, beside that of its packages",
  floor: "pawl-receiver",
  goals: [{ variant: "pawl.node()", against: "pawl-receiver", atMost: 1.03 }],
  run: () =>
    measureServers(["pawl-receiver", "pawl.node()"], { ...byCpuTime, times: 300, rounds: 101 })
}
