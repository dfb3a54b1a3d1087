/**
 * The merchant's application behind all receivers of a run. A call is repeated only after a crash
 * of the process that made it first.
 */
import type { Transition } from "@pawl/core/Handler"
import { finalRank, rank } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import type { Miss } from "./Run.ts"
import { serveTransitions } from "./ToldApplication.ts"

export interface Call extends Transition {
  readonly process: number
}

export const start = (miss: Miss, responseDelay: () => number = () => 0) =>
  Effect.gen(function* () {
    const callsOf = new Map<string, Array<Call>>()
    const inFlight = new Map<string, number>()
    const killed = new Set<number>()
    const repeated = new Map<number, number>()
    let calls = 0
    const record = (call: Call): void => {
      const { confirmed, from, id, to, transactionId } = call
      const earlier = callsOf.get(transactionId) ?? []
      const last = earlier.at(-1)
      calls++
      callsOf.set(transactionId, [...earlier, call])
      if (rank(to) >= finalRank && !confirmed) miss(`${id} is terminal and not confirmed`)
      if (last?.id === id) {
        if (!killed.has(last.process)) miss(`${id} was repeated without a crash`)
        repeated.set(last.process, (repeated.get(last.process) ?? 0) + 1)
        return
      }
      // A crash may come after a call and before its mark.
      const isMarkedTold = last === undefined || !killed.has(last.process)
      if (last !== undefined && rank(to) < rank(last.to) + (isMarkedTold ? 1 : 0)) {
        miss(`${id} came after ${last.id}`)
      }
      const possibleFrom = isMarkedTold
        ? [last?.to ?? null]
        : [null, ...earlier.map(({ to }) => to)]
      if (!possibleFrom.includes(from))
        miss(`${id} is from ${String(from)}, which was not the last status told`)
    }
    const url = yield* serveTransitions(async (transition, path) => {
      const process = Number(path.slice(1))
      const { id, transactionId } = transition
      const other = inFlight.get(transactionId)
      if (other !== undefined && !killed.has(other))
        miss(`${id} came while another call was in flight`)
      inFlight.set(transactionId, process)
      record({ ...transition, process })
      await sleep(responseDelay())
      if (inFlight.get(transactionId) === process) inFlight.delete(transactionId)
      return 200
    })
    return {
      callsOf,
      repeated,
      calls: () => calls,
      allowRepeats: (process: number) => killed.add(process),
      url: (process: number) => `${url}${process}`
    }
  })
