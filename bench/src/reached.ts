/**
 * The figures that were reached, beside the goals in each benchmark. `--assert` fails where a run
 * falls behind one.
 *
 * A figure is the median of several runs. A run falls behind if even its lower quartile is more
 * than a tenth above. Raise a figure only with the reason.
 */
import { parts } from "../../scripts/size.ts"
import type { Goal } from "./harness.ts"

export const margin = 1.1

export const reached: Readonly<Record<string, ReadonlyArray<Goal>>> = {
  reducer: [
    { variant: "pawl", against: "hand-written", atMost: 5.7 },
    { variant: "pawl", against: "robot3", atMost: 0.042 },
    { variant: "pawl", against: "XState, pure transition", atMost: 0.0027 }
  ],
  property: [
    { variant: "Generators.observations", against: "fc.array of records", atMost: 0.36 },
    // The reducer has a state after every observation.
    { variant: "observations and our reducer", against: "Generators.observations", atMost: 1.75 }
  ],
  verify: [
    { variant: "pawl", against: "hand-written", atMost: 0.85 },
    { variant: "pawl", against: "stripe", atMost: 0.95 },
    { variant: "pawl", against: "svix", atMost: 0.62 }
  ],
  verifyNumbers: [
    { variant: "pawl", against: "hand-written", atMost: 0.4 },
    { variant: "pawl", against: "stripe", atMost: 0.9 },
    { variant: "pawl", against: "svix", atMost: 0.6 }
  ],
  refusal: [{ variant: "pawl", against: "hand-written", atMost: 0.8 }],
  client: [
    { variant: "pawl", against: "undici.request", atMost: 1.15 },
    // A request has a span of its own, beside the one of its call.
    { variant: "pawl, with a span", against: "undici.request", atMost: 1.46 },
    { variant: "pawl, a read", against: "undici.request, a read", atMost: 1 },
    { variant: "pawl", against: "stripe-node", atMost: 0.32 }
  ],
  receiver: [
    { variant: "pawl-receiver", against: "bare node:http", atMost: 1.25 },
    { variant: "pawl, HttpRouter", against: "bare node:http", atMost: 1.8 },
    { variant: "pawl, web-standard", against: "bare node:http", atMost: 2 },
    { variant: "pawl-receiver", against: "Express + stripe", atMost: 0.83 },
    { variant: "pawl-receiver, SQLite", against: "pawl-receiver", atMost: 1.5 }
  ],
  disk: [
    { variant: "pawl-receiver, SQLite", against: "node:sqlite, one commit each", atMost: 0.11 }
  ],
  fake: [
    { variant: "Fake.layer", against: "sandbox on loopback", atMost: 0.25 },
    { variant: "Fake.layer", against: "msw", atMost: 0.055 }
  ],
  sandbox: [
    { variant: "sandbox", against: "bare node:http", atMost: 4 },
    { variant: "sandbox", against: "json-server", atMost: 0.2 }
  ],
  ready: [{ variant: "sandbox", against: "node:http and effect/http-api", atMost: 1.35 }],
  start: [{ variant: "pawl's receiver, bundled", against: "stripe", atMost: 0.15 }],
  transactions: [{ variant: "100000 transactions", atMost: 1.05 }],
  // `check size` limits the same figures, without a margin.
  size: parts.map(({ limit, name }) => ({ variant: name, atMost: limit }))
}
