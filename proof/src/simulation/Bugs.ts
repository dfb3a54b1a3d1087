/** Planted bugs, each of which a simulation must find. */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Evidence from "@pawl/core/Evidence"
import type { Switches } from "@pawl/core/Profile"
import { isTerminal, type Status } from "@pawl/core/Status"
import type { Ledger } from "@pawl/webhook/Ledger"
import type { Receiver } from "@pawl/webhook/Receiver"
import type { Leased } from "@pawl/webhook/internal/rule/Row"
import { keyOf } from "@pawl/test-support/Leases"
import { checksum } from "@pawl/test-support/Service"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { readingAs } from "./CrashableStore.ts"
import { subjectOf } from "./Subject.ts"

type Store = Ledger["Service"]
type ChangeLedger = (ledger: Store) => Partial<Store>
type RowChange = Parameters<Store["write"]>[1]
type Receive = Receiver["Service"]["receive"]

/**
 * A bug in the merchant's code. `commitsApart`: the handler's effects commit before the told mark.
 */
export interface Bug {
  readonly policy?: Evidence.Policy
  readonly profile?: Partial<Switches>
  readonly ledger?: ChangeLedger
  readonly receive?: (receive: Receive, merchantSecret: string) => Receive
  readonly requestId?: (requestId: string, attempts: number) => string
  readonly repeatsChanges?: boolean
  readonly commitsApart?: boolean
  readonly releasesRunning?: boolean
}

/** Makes a bug of a ledger that writes other changes. */
export const writing =
  (changeOf: (change: RowChange, leased: Leased) => RowChange): ChangeLedger =>
  (ledger) => ({
    write: (leased, change) => ledger.write(leased, changeOf(change, leased))
  })

/** Plants a bug: the last claim is the status, whatever its rank. */
const lastWriteWins: ChangeLedger = (ledger) => {
  const last = new Map<string, Status>()
  const applied = new Map<string, Status>()
  const withLastClaim = (row: Leased): Leased => {
    const claim = last.get(row.transactionId)
    if (claim === undefined) return row
    const told = applied.get(row.transactionId) === claim ? claim : undefined
    return { ...row, evidence: Evidence.confirmed(claim), told }
  }
  const reading = readingAs(ledger, withLastClaim)
  return {
    ...reading,
    accept: (verified, at) =>
      Effect.tap(ledger.accept(verified, at), () =>
        Effect.sync(() => verified.claim && last.set(verified.transactionId, verified.claim))
      ),
    write: (leased, change) => {
      if (change.told !== undefined) applied.set(leased.transactionId, change.told)
      return reading.write(leased, change)
    }
  }
}

/** Plants a bug: a callback is a duplicate if an earlier one claimed the same status, confirmed or not. */
const deduplicatedTooEarly: ChangeLedger = (ledger) => {
  const claims = new Set<string>()
  return {
    accept: (verified, at) =>
      Effect.suspend(() => {
        const key = `${verified.transactionId} ${verified.claim}`
        if (claims.has(key)) return Effect.succeed({ isNew: false })
        claims.add(key)
        return ledger.accept(verified, at)
      })
  }
}

const givesUp = writing((change) =>
  (change.attempt ?? 0) > 2 ? { told: change.pendingStatus } : change
)

/** Plants a bug: no read follows a terminal status of these kinds that was told. */
const unwatched = (kinds: RegExp) =>
  writing((change, { kind, told }) =>
    change.release !== undefined && told !== undefined && isTerminal(told) && kinds.test(kind)
      ? { ...change, release: { dueAt: undefined } }
      : change
  )

const unlimitedGaps = writing((change) => {
  const { askedAt = 0, pollAt = 0 } = change
  const isLongest = pollAt - askedAt >= Duration.toMillis("13 days")
  return isLongest ? { ...change, pollAt: askedAt + Duration.toMillis("64 days") } : change
})

const notShifted: ChangeLedger = () => ({ shift: () => Effect.void })

const notBroughtForward: ChangeLedger = () => ({
  bringForward: () => Effect.undefined
})

const inBatches: ChangeLedger = (ledger) => {
  const batch = new Map<string, number>()
  return {
    claim: (options) =>
      Effect.suspend(() => {
        for (const [key, until] of batch) if (until <= options.at) batch.delete(key)
        if (batch.size > 0) return Effect.succeed({ rows: [], dueAt: Math.min(...batch.values()) })
        return Effect.tap(ledger.claim(options), ({ rows }) =>
          Effect.sync(() => {
            for (const row of rows) batch.set(keyOf(row), options.until)
          })
        )
      }),
    write: (leased, change) => {
      if (change.until !== undefined) batch.set(keyOf(leased), change.until)
      if (change.release !== undefined) batch.delete(keyOf(leased))
      return ledger.write(leased, change)
    }
  }
}

const backoffCutShort: ChangeLedger = (ledger) => {
  const cut = new Set<string>()
  return {
    accept: (verified, at) =>
      Effect.tap(ledger.accept(verified, at), () =>
        Effect.sync(() => cut.add(verified.transactionId))
      ),
    claim: (options) =>
      Effect.map(ledger.claim(options), ({ dueAt, rows }) => ({
        dueAt,
        rows: rows.map((row) =>
          cut.delete(row.transactionId)
            ? { ...row, retryAt: Math.min(row.retryAt, options.at) }
            : row
        )
      }))
  }
}

const batchFails: ChangeLedger = (ledger) => ({
  claim: (options) =>
    Effect.filterOrFail(
      ledger.claim(options),
      ({ rows }) => rows.every(({ unreadable }) => unreadable === undefined),
      () => new StoreUnavailable({})
    )
})

/** Plants a bug: leases end after this time and are not renewed. */
const leasesOf =
  (time: Duration.Input): ChangeLedger =>
  (ledger) => ({
    claim: (options) => ledger.claim({ ...options, until: options.at + Duration.toMillis(time) }),
    write: (leased, change) => ledger.write(leased, Struct.omit(change, ["until"]))
  })

const withoutToldFact = writing(({ facts, ...change }) => ({
  ...change,
  ...(facts && { facts: facts.filter(({ fact }) => fact !== "told") })
}))

/** Plants a bug: every callback gets the right checksum before it is verified. */
const unchecked =
  (receive: Receive, merchantSecret: string): Receive =>
  (incoming) => {
    const body = JSON.parse(new TextDecoder().decode(incoming.body))
    const { method } = subjectOf(incoming)
    return receive({ ...incoming, checksum: checksum(method, body, merchantSecret) })
  }

export const bugs: Readonly<Record<string, Bug>> = {
  "the last callback holds, without a rank check": { ledger: lastWriteWins },
  "a claim is told without confirmation": { policy: "never" },
  "no transaction is polled": { profile: { pollIntervals: [Duration.days(400)] } },
  "no reads follow a terminal status": { ledger: unwatched(/^/u) },
  "the handler is called only twice": { ledger: givesUp },
  "callbacks are deduplicated before they are confirmed": { ledger: deduplicatedTooEarly },
  "the handler's effects and the told mark commit apart": { commitsApart: true },
  "a receiver that stops releases rows whose handler runs": { releasesRunning: true },
  "the lease of a dead process never ends": { ledger: leasesOf("1000 days") },
  "a lease ends while its handler runs": { ledger: leasesOf("5 seconds") },
  "the checksum is not checked": { receive: unchecked },
  "a clock that was set back delays what is due": { ledger: notShifted },
  "a batch of rows waits for the slowest row of the one before it": { ledger: inBatches },
  "no reads follow the terminal status of a payout": { ledger: unwatched(/payout$/u) },
  "the gaps between the last reads grow to 64 days": { ledger: unlimitedGaps },
  "an outage of all receivers changes no plan of reads": { ledger: notBroughtForward },
  "a callback cuts the backoff of a failed call short": { ledger: backoffCutShort },
  "a row that cannot be read stops its batch": { ledger: batchFails },
  "a call that succeeded leaves no fact": { ledger: withoutToldFact },
  "every call of the handler is its first attempt": {
    ledger: (ledger) => readingAs(ledger, (row) => ({ ...row, attempt: 0 }))
  },
  "the receiver answers 200 before it stores": {
    receive: (receive) => (incoming) =>
      Effect.as(Effect.forkDetach(receive(incoming), { startImmediately: false }), 200)
  },
  "every call has a new requestId": {
    requestId: (requestId, attempts) => (attempts === 0 ? requestId : `${requestId}-${attempts}`)
  },
  "a change is sent until it succeeds": { repeatsChanges: true }
}
