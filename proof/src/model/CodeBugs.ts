/** Planted bugs in the code, each of which leaves a trace that the model refuses. */
import type { Ledger } from "@pawl/webhook/Ledger"
import { checksum } from "@pawl/test-support/Service"
import * as Struct from "effect/Struct"
import { type Bug, bugs as simulated } from "../simulation/Bugs.ts"
import { subjectOf } from "../simulation/Subject.ts"

type Store = Ledger["Service"]

/** Leases end after 5 seconds and are not renewed, so two workers have one row. */
const shortLeases = (ledger: Store): Store => ({
  ...ledger,
  claim: (options) => ledger.claim({ ...options, until: options.at + 5000 }),
  write: (leased, change) => ledger.write(leased, Struct.omit(change, ["until"]))
})

export const codeBugs: Readonly<Record<string, Bug>> = {
  ...Struct.pick(simulated, [
    "a claim is told without confirmation",
    "no transaction is polled",
    "no reads follow a terminal status",
    "the handler is called only twice",
    "the lease of a dead process never ends",
    "a receiver that stops releases rows whose handler runs",
    "the handler's effects and the told mark commit apart",
    "the receiver answers 200 before it stores"
  ]),
  "a lease ends while its handler runs": { ledger: shortLeases },
  "the checksum is not checked": {
    receive: (receive, secret) => (incoming) => {
      const body = JSON.parse(new TextDecoder().decode(incoming.body))
      return receive({ ...incoming, checksum: checksum(subjectOf(incoming).method, body, secret) })
    }
  }
}
