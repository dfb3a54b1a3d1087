/**
 * The child process that drives a ledger. It makes callbacks before they are measured, and reports
 * the CPU time and the elapsed time.
 */
import * as Evidence from "@pawl/core/Evidence"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { isTerminal, type Status } from "@pawl/core/Status"
import type { Event } from "@pawl/webhook/internal/rule/Fact"
import { Ledger } from "@pawl/webhook/Ledger"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import type { Change, Leased } from "@pawl/webhook/internal/rule/Row"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { make, search, secret } from "../callbacks.ts"
import { answer } from "./children.ts"

export type LedgerOptions =
  | NodeSqlite.Options
  | Extract<Parameters<typeof NodePostgres.layerLedger>[0], object>

const claimed = 64
const lease = 30_000
/** A released row is due again after any run. */
const untilWatch = 12 * 3_600_000

const options = JSON.parse(process.argv[2] ?? "{}") as LedgerOptions
const runtime = ManagedRuntime.make(
  Layer.merge(
    "filename" in options ? NodeSqlite.layerLedger(options) : NodePostgres.layerLedger(options),
    Layer.provide(Verifier.layer({ current: Redacted.make(secret) }), NodeHmac.layer)
  )
)
const use = <A>(work: (ledger: Ledger["Service"]) => Effect.Effect<A, unknown>): Promise<A> =>
  runtime.runPromise(Effect.flatMap(Ledger, work))

/** The garbage made before does not count. */
const measured = async (work: () => Promise<unknown>) => {
  globalThis.gc?.()
  const [start, cpuStart] = [performance.now(), process.cpuUsage()]
  await work()
  const { system, user } = process.cpuUsage(cpuStart)
  return { cpu: system + user, time: performance.now() - start }
}

/** Adds a fact to a change, by its name in both versions of the type. */
const withFact = (change: Change, fact: Event): Change => {
  const both = { ...change, fact, facts: [fact] }
  return both
}

/** The writes are those of a worker. */
const writes = (leased: Leased, to: Status, at: number): ReadonlyArray<Change> => {
  const sequence = leased.sequence + 1
  const { evidence } = leased
  const read = { status: to, askedAt: at }
  const asked = withFact(
    { evidence: Evidence.confirmed(to), read, askedAt: at, unconfirmedAt: undefined },
    { fact: "asked", at, result: to, kind: leased.kind }
  )
  const called = withFact(
    { pendingStatus: to, attempt: 1, failingSince: at, retryAt: at + 1000 },
    { fact: "called", at, sequence, to, evidence, read: isTerminal(to) ? to : undefined }
  )
  const told = withFact(
    {
      told: to,
      sequence,
      pendingStatus: undefined,
      attempt: 0,
      failingSince: undefined,
      deadLetter: undefined,
      release: { dueAt: at + untilWatch, lane: isTerminal(to) ? "watch" : "repeat" }
    },
    { fact: "told", at, sequence, to }
  )
  return isTerminal(to) ? [asked, called, told] : [called, told]
}

const workOn = (ledger: Ledger["Service"], first: Leased, to: Status) =>
  Effect.gen(function* () {
    let leased = first
    for (const change of writes(first, to, Date.now())) {
      const row = yield* ledger.write(leased, change)
      if (row === undefined) throw new Error(`the lease of ${first.transactionId} was lost`)
      leased = row
    }
  })

let prepared: ReadonlyArray<Verifier.Verified> = []

const operations = {
  prepare: async (of: {
    readonly from: number
    readonly count: number
    readonly statuses: ReadonlyArray<Status>
  }) => {
    const { verify } = await runtime.runPromise(Verifier.Verifier)
    const incoming = of.statuses.flatMap((status) =>
      Array.from({ length: of.count }, (_, index) => {
        const { checksum, text } = make(of.from + index)
        const body = Buffer.from(text.replace('"PENDING"', JSON.stringify(status)))
        const contentType = "application/json"
        return { method: "POST", search, contentType, contentEncoding: undefined, checksum, body }
      })
    )
    prepared = await Effect.runPromise(
      Effect.forEach(incoming, (each) => Effect.fromResult(verify(each)))
    )
  },

  /** Without `times` each callback is accepted once, and none may fail. */
  accept: async ({
    callers,
    offset = 0,
    times
  }: {
    readonly callers: number
    readonly offset?: number
    readonly times?: number
  }) => {
    let [failed, slowest] = [0, 0]
    const acceptTimed = (ledger: Ledger["Service"], verified: Verifier.Verified) =>
      Effect.suspend(() => {
        const start = performance.now()
        const end = () => void (slowest = Math.max(slowest, performance.now() - start))
        const accepted = Effect.tap(ledger.accept(verified, Date.now()), Effect.sync(end))
        return times === undefined
          ? accepted
          : Effect.catch(accepted, () => Effect.sync(() => failed++))
      })
    const all = Array.from(
      { length: times ?? prepared.length },
      // 37 has no factor in common with the numbers of callbacks.
      (_, index) => prepared[times === undefined ? index : (offset + index * 37) % prepared.length]!
    )
    const cost = await measured(() =>
      use((ledger) =>
        Effect.forEach(all, (verified) => acceptTimed(ledger, verified), {
          concurrency: callers,
          discard: true
        })
      )
    )
    return { ...cost, failed, slowest }
  },

  work: ({ count, to }: { readonly count: number; readonly to: Status }) =>
    measured(() =>
      use((ledger) =>
        Effect.gen(function* () {
          for (let done = 0; done < count;) {
            const at = Date.now()
            const { rows } = yield* ledger.claim({ at, until: at + lease, limit: claimed })
            if (rows.length === 0) throw new Error(`${done} of ${count} rows were due`)
            yield* Effect.forEach(rows, (row) => workOn(ledger, row, to), {
              concurrency: "unbounded",
              discard: true
            })
            done += rows.length
          }
        })
      )
    ),

  /** The leases end at once. */
  claim: ({ times }: { readonly times: number }) =>
    measured(() =>
      use((ledger) =>
        Effect.gen(function* () {
          for (let time = 0; time < times; time++) {
            const at = Date.now()
            const { rows } = yield* ledger.claim({ at, until: at, limit: claimed })
            if (rows.length !== claimed) throw new Error(`${rows.length} rows were claimed`)
          }
        })
      )
    ),

  counted: async ({ count, from }: { readonly from: number; readonly count: number }) => {
    const rows = await use((ledger) =>
      Effect.forEach(Array.from({ length: count }), (_, index) =>
        ledger.get("apm", make(from + index).transactionId)
      )
    )
    return rows.reduce((sum, row) => sum + (row?.callbacks ?? 0), 0)
  },

  deleteBodies: () =>
    use((ledger) =>
      Effect.repeat(ledger.deleteBodies({ before: Date.now() + lease, limit: 1000 }), {
        until: (deleted) => deleted === 0
      })
    )
}

export type Operations = typeof operations

answer(operations)
