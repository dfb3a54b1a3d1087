/**
 * Every callback is dropped, and everything is known all the same: at the instants of the ladder (R17),
 * and after the end by the reads that look for what came later (R18). In virtual time.
 */
import type { Switches } from "@pawl/core/Profile"
import { isTerminal, type Status } from "@pawl/core/Status"
import type { KnownKind } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import * as Chance from "./Chance.ts"
import { type Run, tally, type Wanted } from "./Run.ts"
import * as World from "./World.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** One operation: what it was when it was registered, and what became of it when. */
interface Life {
  readonly id: string
  readonly kind: KnownKind
  readonly at: number
  readonly first: Status
  readonly moves: ReadonlyArray<readonly [number, Status]>
}

const isPayment = ({ kind }: Life) => kind === "apm-payment" || kind === "card-payment"

const truthOf = ({ first, moves }: Life, at: number): Status =>
  moves.findLast(([moved]) => moved <= at)?.[1] ?? first

const live = (id: string, chance: Chance.Chance): Life => {
  const kind = chance.pick<KnownKind>([
    "apm-payment",
    "apm-payment",
    "card-payment",
    "apm-payout",
    "card-payout",
    "refund"
  ])
  // A few instants, so that many are due at once.
  const at = chance.below(60) * minute
  const end = at + 1 + chance.below(6 * hour)
  const moves: Array<readonly [number, Status]> = [
    [at + chance.below(end - at), "PROCESSING"],
    [end, chance.pick<Status>(["SUCCEED", "SUCCEED", "SUCCEED", "FAILED", "CANCELLED"])]
  ]
  const life = { id, kind, at, first: chance.pick<Status>(["NEW", "PENDING"]), moves }
  if (moves[1]?.[1] !== "SUCCEED" || !isPayment(life) || chance.is(0.4)) return life
  const refunded = end + 1 + chance.below(40 * day)
  if (chance.is(0.6)) moves.push([refunded, "REFUNDED"])
  if (chance.is(0.5)) moves.push([refunded + 1 + chance.below(20 * day), "CHARGEBACK"])
  return life
}

/** The rule in plain words: what is told of a life that is only ever read, and when. */
const expected = (life: Life): ReadonlyArray<string> => {
  const told = [`${life.first} at ${life.at}`]
  let status = life.first
  let at = life.at
  const read = (): boolean => {
    const found = truthOf(life, at)
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
  for (let gap = 12 * hour; gap <= 64 * day; gap *= 2) {
    if (
      status === "CHARGEBACK" ||
      (status !== "FAILED" && status !== "CANCELLED" && !isPayment(life))
    )
      break
    at += gap
    if (at > life.at + 180 * day) break
    // Another end starts the gaps anew.
    if (read()) gap = 6 * hour
    if (status === "FAILED" || status === "CANCELLED") break
  }
  return told
}

/** How many live in one world; a ledger in memory looks at all of them each time. */
const batch = 250

/** Follows operations with a switch that is not the default, or with all of them as they are. */
export const follow = (
  { count, say, seed }: Omit<Wanted, "stores">,
  profile: Partial<Switches> = {}
) =>
  Effect.gen(function* () {
    const { miss, misses } = tally()
    const figures = { reads: 0, told: 0, refundedFound: 0, chargebackFound: 0 }
    for (let from = 0; from < count; from += batch) {
      const lives = new Map(
        Array.from({ length: Math.min(batch, count - from) }, (_, index) => {
          const id = String(100_001 + from + index)
          return [id, live(id, Chance.make(seed, id))] as const
        })
      )
      const { calls, reads } = yield* World.inVirtualTime(
        Effect.gen(function* () {
          const world = yield* World.make({
            policy: "final",
            profile,
            truth: (id, at) => {
              const life = lives.get(id)
              return life && truthOf(life, at)
            }
          })
          for (const life of [...lives.values()].toSorted((one, two) => one.at - two.at)) {
            const { first: status, id: transactionId, kind } = life
            if (life.at > world.now()) yield* World.pass(life.at - world.now())
            yield* world.ledger.register({ kind, transactionId, status }, life.at)
          }
          yield* World.pass(200 * day)
          return world
        })
      )
      const told = Map.groupBy(calls, ({ transactionId }) => transactionId)
      for (const [id, life] of lives) {
        const heard = (told.get(id) ?? []).map(({ at, to }) => `${to} at ${at}`)
        const due = expected(life)
        if (heard.join() !== due.join())
          miss(`${life.kind} ${id} was told ${heard.join()}, not ${due.join()}`)
      }
      for (const { confirmed, to } of calls) {
        if (!confirmed) miss(`${to} was told without being confirmed`)
        if (to === "REFUNDED") figures.refundedFound++
        if (to === "CHARGEBACK") figures.chargebackFound++
      }
      figures.reads += reads()
      figures.told += calls.length
      if ((from / batch) % 8 === 7) say(`${from + batch} operations`)
    }
    // What a run never met, it does not show.
    if (figures.refundedFound === 0) miss("no REFUNDED was there to be found")
    if (figures.chargebackFound === 0) miss("no CHARGEBACK was there to be found")
    return { figures, misses: misses() }
  })

export const poll: Run = {
  what: "operations whose every callback is dropped are known at the instants of the ladder",
  unit: "operations",
  count: { memory: 10_000 },
  stores: ["memory"],
  make: (wanted) => follow(wanted)
}
