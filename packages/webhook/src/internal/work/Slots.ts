/**
 * The slots of a worker: the most rows at work at a time in each lane.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Lane, PerLane } from "../rule/Row.ts"
import type { WorkLimits } from "../rule/WorkLimits.ts"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** Divides the calls and reads among the lanes. Each lane has a slot. */
const countsOf = ({ calls, reads }: WorkLimits): PerLane => {
  const quarterOf = (all: number) => Math.max(1, Math.floor(all / 4))
  return {
    tell: Math.max(1, calls - quarterOf(calls)),
    ask: Math.max(1, reads - 2 * quarterOf(reads)),
    retry: quarterOf(calls),
    repeat: quarterOf(reads),
    watch: quarterOf(reads)
  }
}

/** Makes the slots of a worker. All of them are free. */
export const make = Effect.fnUntraced(function* (limits: WorkLimits) {
  const free: Record<Lane, number> = { ...countsOf(limits) }
  const freed = yield* Latch.make()
  let isNewestNext = true
  return {
    /** Returns the number of free slots in each lane. */
    free: (): PerLane => ({ ...free }),
    /** Returns how many of the free slots for first reads take the newest rows: half, in turns if the number is odd. */
    newest: (): number => {
      const isOdd = free.ask % 2 === 1
      const count = Math.floor(free.ask / 2) + (isOdd && isNewestNext ? 1 : 0)
      if (isOdd) isNewestNext = !isNewestNext
      return count
    },
    /** Takes a slot; returns false when none is free. */
    take: (lane: Lane): boolean => {
      if (free[lane] === 0) return false
      free[lane]--
      return true
    },
    giveBack: (lane: Lane): void => {
      if (free[lane]++ === 0) freed.openUnsafe()
    },
    /** Completes when a lane that had no free slot has one again, since it last completed. */
    awaitFreed: Effect.andThen(freed.await, Effect.asVoid(freed.close))
  }
})

/** The shortest time; zero by default, so that the ledger decides. */
export const PollGap: Context.Reference<Duration.Duration> = /* @__PURE__ */ Context.Reference(
  "@pawl/webhook/internal/work/Slots/PollGap",
  { defaultValue: () => Duration.zero }
)
