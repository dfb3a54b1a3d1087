/**
 * The merchant's application with slow calls, which judges turns: a call may overlap the one before
 * it only when the lease of that one has run out.
 *
 * Two consumers apply the transitions, one as a call begins and one as it ends; both drop a
 * transition whose sequence is not higher than the last one.
 */
import type { Transition } from "@pawl/core/Handler"
import { rank, type Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import type { Miss } from "./Run.ts"
import { serveTransitions } from "./ToldApplication.ts"
import * as Wait from "./Wait.ts"

/** The least milliseconds from the begin of a call to the end of its lease. */
const leaseTime = 20_000

interface Applied {
  readonly sequence: number
  readonly to: Status
}

export const start = (miss: Miss, workTime: () => number) =>
  Effect.gen(function* () {
    const running = new Map<string, number>()
    const atBegin = new Map<string, Applied>()
    const atEnd = new Map<string, Applied>()
    const figures = { calls: 0, repeated: 0, late: 0 }
    const ids = new Set<string>()
    let leasesEndedAt = -Infinity

    const apply = (applied: Map<string, Applied>, { sequence, to, transactionId }: Transition) => {
      const last = applied.get(transactionId)
      if (last !== undefined && sequence <= last.sequence) {
        figures.late++
        return
      }
      if (last !== undefined && rank(to) < rank(last.to))
        miss(`${transactionId} went from ${last.to} to ${to} by sequence`)
      applied.set(transactionId, { sequence, to })
    }

    const url = yield* serveTransitions(async (transition) => {
      const { id, transactionId } = transition
      const begunAt = performance.now()
      const other = running.get(transactionId)
      if (other !== undefined && begunAt < other + leaseTime && other > leasesEndedAt)
        miss(`${id} began ${Math.round(begunAt - other)} ms after another call that is at work`)
      running.set(transactionId, begunAt)
      figures.calls++
      if (ids.has(id)) figures.repeated++
      ids.add(id)
      apply(atBegin, transition)
      await sleep(workTime())
      apply(atEnd, transition)
      if (running.get(transactionId) === begunAt) running.delete(transactionId)
      return 200
    })

    const settle = async (histories: ReadonlyMap<string, ReadonlyArray<Status>>) => {
      const isTold = () =>
        [...histories].every(([id, history]) => atEnd.get(id)?.to === history.at(-1))
      await Wait.until(isTold, Wait.longest, 20)
      for (const [id, history] of histories) {
        for (const applied of [atBegin, atEnd]) {
          const last = applied.get(id)?.to
          if (last !== history.at(-1))
            miss(`${id} ended ${String(history.at(-1))}, and a consumer has ${String(last)}`)
        }
      }
    }

    return {
      figures,
      settle,
      /** Notes that the leases of calls that begin within some milliseconds may run out early. */
      endLeases: (within: number) => {
        leasesEndedAt = performance.now() + within
      },
      url
    }
  })
