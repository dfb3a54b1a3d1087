/**
 * The reads of a worker that wait for the budget of its ledger (`ReadBudget`).
 *
 * One fiber reserves reads for all, and lets the most important go first. The request and the
 * response of a reservation bound the time of a read on the monotonic clock.
 *
 * Without a limit nothing is reserved, until the service answers with 429.
 */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type { Ledger } from "../../Ledger.ts"
import { type ReadLane, readLanes } from "../rule/Row.ts"
import * as ReadBudget from "../rule/ReadBudget.ts"
import * as Progress from "./Progress.ts"

const minWait = 25
const maxWait = 1000

type Waiting = Record<ReadLane, Set<Deferred.Deferred<void>>>

/** Makes the reads of a worker; `use` notes the rate of each reservation. */
export const make = Effect.fnUntraced(function* (
  ledger: Ledger["Service"],
  limit: number,
  clock: Clock.Clock,
  use: ReturnType<typeof ReadBudget.make>
) {
  const waiting: Waiting = { ask: new Set(), repeat: new Set(), watch: new Set() }
  const arrived = yield* Latch.make()
  const elapsed = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  let isLimited = limit !== Infinity

  const next = () =>
    readLanes.flatMap((lane) => [...waiting[lane]].map((read) => ({ lane, read })))[0]

  const letGo = Effect.fnUntraced(function* (before: number, reserved: ReadBudget.Reservation) {
    const after = elapsed()
    for (const time of reserved.times) {
      const wait = time - reserved.at
      yield* Effect.sleep(Math.max(0, Math.ceil(after + wait - elapsed())))
      if (elapsed() > before + wait + ReadBudget.slack) continue
      const first = next()
      if (first === undefined) return
      waiting[first.lane].delete(first.read)
      yield* Deferred.succeed(first.read, undefined)
    }
  })

  const round = Effect.gen(function* () {
    if (next() === undefined) arrived.closeUnsafe()
    yield* arrived.await
    const before = elapsed()
    const reads = {
      ask: waiting.ask.size,
      repeat: waiting.repeat.size,
      watch: waiting.watch.size
    }
    const reserved = yield* ledger.reserveReads({ limit, reads }, ledger.time(clock))
    use.reserve(reserved.rate, reserved.at)
    isLimited = reserved.rate !== Infinity
    yield* letGo(before, reserved)
    if (reserved.retryAt === undefined) return
    const wait = reserved.retryAt - reserved.at - (elapsed() - before)
    yield* Effect.sleep(Math.min(Math.max(Math.ceil(wait), minWait), maxWait))
  })

  yield* Effect.forkScoped(Progress.forever(round, "No reads could be reserved"))

  /** Returns false if no read may be sent within `timeout`. */
  const take = Effect.fnUntraced(function* (lane: ReadLane, timeout: Duration.Duration) {
    if (!isLimited) return true
    const read = yield* Deferred.make<void>()
    waiting[lane].add(read)
    yield* arrived.open
    return yield* Deferred.await(read).pipe(
      Effect.timeoutOption(timeout),
      Effect.map(Option.isSome),
      Effect.ensuring(Effect.sync(() => waiting[lane].delete(read)))
    )
  })

  /** Lowers the rate after a 429; `retryAfter` is in milliseconds. */
  const lower = (retryAfter: number | undefined) =>
    Effect.suspend(() => ledger.lowerReads({ limit, retryAfter }, ledger.time(clock))).pipe(
      Progress.untilDone,
      Effect.tap(() => Effect.sync(() => (isLimited = true)))
    )

  return { isLimited: () => isLimited, take, lower }
})
