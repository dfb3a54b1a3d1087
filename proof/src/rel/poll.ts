/**
 * Drops every callback, in virtual time: reads find each status at the expected time (R17), and the watch finds
 * refunds and chargebacks (R18).
 */
import { Profile, type Switches } from "@pawl/core/Profile"
import { isTerminal, type Status } from "@pawl/core/Status"
import type { KnownKind } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import * as SeededRandom from "./SeededRandom.ts"
import { report, type Run, type RunOptions } from "./Run.ts"
import * as World from "@pawl/test-support/World"

const { day, hour, minute } = World

interface History {
  readonly id: string
  readonly kind: KnownKind
  readonly at: number
  readonly first: Status
  readonly moves: ReadonlyArray<readonly [number, Status]>
}

const isWatched = ({ kind }: History) => kind !== "refund"

const statusAt = ({ first, moves }: History, at: number): Status =>
  moves.findLast(([moved]) => moved <= at)?.[1] ?? first

const drawHistory = (id: string, random: SeededRandom.SeededRandom): History => {
  const kind = random.pick<KnownKind>([
    "apm-payment",
    "apm-payment",
    "card-payment",
    "apm-payout",
    "card-payout",
    "refund"
  ])
  const at = random.below(60) * minute
  const end = at + 1 + random.below(6 * hour)
  const moves: Array<readonly [number, Status]> = [
    [at + random.below(end - at), "PROCESSING"],
    [end, random.pick<Status>(["SUCCEED", "SUCCEED", "SUCCEED", "FAILED", "CANCELLED"])]
  ]
  const history = { id, kind, at, first: random.pick<Status>(["NEW", "PENDING"]), moves }
  if (moves[1]?.[1] !== "SUCCEED" || !isWatched(history) || random.isTrue(0.4)) return history
  const refunded = end + 1 + random.below(40 * day)
  if (random.isTrue(0.6)) moves.push([refunded, "REFUNDED"])
  if (random.isTrue(0.5)) moves.push([refunded + 1 + random.below(20 * day), "CHARGEBACK"])
  return history
}

/** The poll ladder in plain code. */
const expectedCalls = (history: History): ReadonlyArray<string> => {
  const told = [`${history.first} at ${history.at}`]
  let status = history.first
  let at = history.at
  const read = (): boolean => {
    const found = statusAt(history, at)
    if (found === status) return false
    status = found
    told.push(`${found} at ${at}`)
    return true
  }
  for (const gap of [5, 5, 10, 30, ...Array.from({ length: 100 }, () => 60)]) {
    at += gap * minute
    read()
    if (isTerminal(status)) break
  }
  for (let gap = 12 * hour; ; gap = Math.min(gap * 2, 14 * day)) {
    if (
      status === "CHARGEBACK" ||
      (status !== "FAILED" && status !== "CANCELLED" && !isWatched(history))
    )
      break
    at += gap
    if (at > history.at + 180 * day) break
    if (read()) gap = 6 * hour
    if (status === "FAILED" || status === "CANCELLED") break
  }
  return told
}

/** A ledger in memory scans all operations for each claim. */
const batchSize = 250

export const follow = (
  { count, progress, seed }: Omit<RunOptions, "stores">,
  profile: Partial<Switches> = {}
) =>
  report(function* (miss) {
    const figures = { reads: 0, told: 0, refundedFound: 0, chargebackFound: 0 }
    for (let from = 0; from < count; from += batchSize) {
      const histories = new Map(
        Array.from({ length: Math.min(batchSize, count - from) }, (_, index) => {
          const id = String(100_001 + from + index)
          return [id, drawHistory(id, SeededRandom.make(seed, id))] as const
        })
      )
      const { calls, reads } = yield* World.inVirtualTime(
        Effect.gen(function* () {
          const world = yield* World.started({
            // The times of reads are judged, so none waits for another.
            limits: { readsPerSecond: Infinity },
            read: ({ at, id }) => {
              const history = histories.get(id)
              return history ? Effect.succeed(statusAt(history, at)) : World.notFound
            }
          })
          for (const history of [...histories.values()].toSorted((one, two) => one.at - two.at)) {
            const { first: status, id: transactionId, kind } = history
            if (history.at > world.now()) yield* World.pass(history.at - world.now())
            yield* world.ledger.register({ kind, transactionId, status }, history.at)
          }
          yield* World.pass(200 * day)
          return world
        }).pipe(Effect.updateService(Profile, (switches) => ({ ...switches, ...profile })))
      )
      const told = Map.groupBy(calls, ({ transactionId }) => transactionId)
      for (const [id, history] of histories) {
        const actual = (told.get(id) ?? []).map(({ at, to }) => `${to} at ${at}`)
        const expected = expectedCalls(history)
        if (actual.join() !== expected.join())
          miss(`${history.kind} ${id} was told ${actual.join()}, not ${expected.join()}`)
      }
      for (const { confirmed, to } of calls) {
        if (!confirmed) miss(`${to} was told without being confirmed`)
        if (to === "REFUNDED") figures.refundedFound++
        if (to === "CHARGEBACK") figures.chargebackFound++
      }
      figures.reads += reads.length
      figures.told += calls.length
      if ((from / batchSize) % 8 === 7) progress(`${from + batchSize} of ${count} operations`)
    }
    if (figures.refundedFound === 0) miss("no operation became REFUNDED")
    if (figures.chargebackFound === 0) miss("no operation became CHARGEBACK")
    return figures
  })

export const poll: Run = {
  summary:
    "operations without any callback: reads find each status at the times of the poll ladder",
  unit: "operations",
  count: { memory: 10_000 },
  make: (options) => follow(options)
}
