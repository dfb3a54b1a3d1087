/** Planted bugs in the code, each of which leaves a trace that the model refuses. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import type { Ledger } from "@pawl/webhook/Ledger"
import { sign } from "../rel/FakeService.ts"
import { bugs as simulated } from "../simulation/Bugs.ts"
import type { Bug } from "./Pipeline.ts"

type Store = Ledger["Service"]

/** Leases end after 5 seconds and are not renewed, so two workers have one row. */
const shortLeases = (ledger: Store): Store => ({
  ...ledger,
  claim: (options) => ledger.claim({ ...options, until: options.at + 5000 }),
  write: (leased, change) => ledger.write(leased, Struct.omit(change, ["until"]))
})

const ledgerOf = (name: string): Bug => {
  const ledger = simulated[name]?.ledger
  return ledger === undefined ? {} : { ledger }
}

export const codeBugs: Readonly<Record<string, Bug>> = {
  "a claim is told without confirmation": { policy: "never" },
  "no transaction is polled": { profile: { pollIntervals: [Duration.days(400)] } },
  "no reads follow a terminal status": ledgerOf("no reads follow a terminal status"),
  "the handler is called only twice": ledgerOf("the handler is called only twice"),
  "the lease of a dead process never ends": ledgerOf("the lease of a dead process never ends"),
  "a receiver that stops releases rows whose handler runs": { releasesRunning: true },
  "the handler's effects and the told mark commit apart": { commitsApart: true },
  "a lease ends while its handler runs": { ledger: shortLeases },
  "the receiver answers 200 before it stores": {
    receive: (receive) => (incoming) =>
      Effect.as(Effect.forkDetach(receive(incoming), { startImmediately: false }), 200)
  },
  "the checksum is not checked": {
    receive: (receive) => (incoming) => {
      const id = /"transactionId":"(\d+)"/u.exec(new TextDecoder().decode(incoming.body))?.[1] ?? ""
      return receive({ ...incoming, checksum: sign(["4711", "10.00", "EUR", id]) })
    }
  }
}
