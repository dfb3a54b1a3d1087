import * as Evidence from "@pawl/core/Evidence"
import { type Status, statuses } from "@pawl/core/Status"
import { callbacks } from "./callbacks.ts"
import type * as Vectors from "./Vectors.ts"
import { documents, quarantines, requestDocuments } from "./documents.ts"
import { forwards, requests, tokens, urls } from "./outgoing.ts"

const policies = ["final", "always", "never"] as const

const reads: ReadonlyArray<Vectors.State["read"]> = [
  null,
  { status: "SUCCEED", askedAt: 1_700_000_000_005 },
  { status: "SUCCEED", askedAt: 1_700_000_000_007 },
  { status: "FAILED", askedAt: 1_700_000_000_005 },
  { status: "PROCESSING", askedAt: 1_700_000_000_009 }
]
const bits = statuses.flatMap((status) => [Evidence.claimed(status), Evidence.confirmed(status)])
const joins: ReadonlyArray<Vectors.JoinInput> = reads.flatMap((left, row) =>
  reads.map((right, column) => ({
    left: { evidence: (bits[row] ?? 0) | (bits[column + 9] ?? 0), read: left },
    // Bits of a later version are kept, up to the highest.
    right: { evidence: (bits[column] ?? 0) | (1 << (18 + column * 3)), read: right }
  }))
)

const subsets = (evidence: ReadonlyArray<number>): Array<number> =>
  evidence.reduce<Array<number>>((all, bit) => [...all, ...all.map((each) => each | bit)], [0])
const observationsOf = (...of: ReadonlyArray<Status>) =>
  of.flatMap((status) => [Evidence.claimed(status), Evidence.confirmed(status)])

const evidences = new Set([
  ...bits.flatMap((one) => bits.map((other) => one | other)),
  ...subsets(observationsOf("SUCCEED", "FAILED", "CANCELLED")),
  ...subsets(observationsOf("PROCESSING", "CUSTOMER_VERIFICATION")),
  // Bits of a later version are ignored.
  2 ** 18 - 1,
  2 ** 18,
  (2 ** 19) | Evidence.claimed("PENDING")
])
const deciding = [null, "SUCCEED", "FAILED", "CANCELLED", "PROCESSING", "REFUNDED"] as const
const standings: ReadonlyArray<Vectors.StandingInput> = policies.flatMap((policy) =>
  [...evidences].flatMap((evidence) => {
    const { conflict } = Evidence.standing(evidence, undefined, policy)
    const one = [null, ...statuses][evidence % 10] ?? null
    return (conflict === null ? [one] : deciding).map((read) => ({ evidence, read, policy }))
  })
)

const stories: Readonly<Record<string, ReadonlyArray<Vectors.Event>>> = {
  "open statuses": [{ callback: "NEW" }, { callback: "PENDING" }, { callback: "PROCESSING" }],
  "a 3D Secure challenge": [
    { callback: "PROCESSING" },
    { callback: "CUSTOMER_VERIFICATION" },
    { read: "SUCCEED", askedAt: 3 }
  ],
  "a forged success": [
    { callback: "PENDING" },
    { callback: "SUCCEED" },
    { read: "FAILED", askedAt: 1 }
  ],
  "a repeated callback, and its confirmation": [
    { callback: "PENDING" },
    { callback: "SUCCEED" },
    { callback: "SUCCEED" },
    { read: "SUCCEED", askedAt: 1 }
  ],
  "a failure that becomes a success": [
    { callback: "SUCCEED" },
    { read: "FAILED", askedAt: 1 },
    { read: "SUCCEED", askedAt: 2 }
  ],
  "a refund": [
    { callback: "SUCCEED" },
    { read: "SUCCEED", askedAt: 1 },
    { callback: "REFUNDED" },
    { read: "REFUNDED", askedAt: 2 }
  ],
  "a chargeback that is won": [
    { read: "SUCCEED", askedAt: 1 },
    { read: "CHARGEBACK", askedAt: 2 },
    { read: "SUCCEED", askedAt: 3 }
  ],
  "a cancelled payment that succeeds": [
    { response: "NEW" },
    { callback: "CANCELLED" },
    { read: "CANCELLED", askedAt: 2 },
    { read: "SUCCEED", askedAt: 4 }
  ]
}

const orders = <A>(items: ReadonlyArray<A>): Array<ReadonlyArray<A>> =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, index) =>
        orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest])
      )
const told: ReadonlyArray<Vectors.HistoryInput> = Object.entries(stories).flatMap(
  ([about, events]) =>
    policies.flatMap((policy) => {
      const distinct = new Map(orders(events).map((each) => [JSON.stringify(each), each]))
      return [...distinct.values()].map((events) => ({ about, policy, toldBefore: null, events }))
    })
)
const toldBefore: ReadonlyArray<Vectors.HistoryInput> = statuses.flatMap((before) =>
  statuses.map((callback) => ({
    about: `a handler that was told ${before} before`,
    policy: "never",
    toldBefore: before,
    events: [{ callback }]
  }))
)
const untold: Vectors.HistoryInput = {
  about: "nothing counts any more under another policy",
  policy: "always",
  toldBefore: "PENDING",
  events: [{ callback: "PROCESSING" }]
}
const histories = [...told, ...toldBefore, untold]

export const committed: Vectors.Inputs = {
  callbacks,
  requests,
  urls,
  tokens,
  forwards,
  documents,
  requestDocuments,
  quarantines,
  joins,
  standings,
  histories
}
