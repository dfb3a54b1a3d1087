/**
 * The one application behind every receiver of a run: what it was told, and what it may never see.
 *
 * **Details**
 *
 * Each process forwards to a path of its own, so that a call that is made again can be held against the
 * crash that made it necessary.
 */
import { finalRank, rank, type Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { serve } from "./Sockets.ts"

/** One call, as it came. */
export interface Told {
  readonly id: string
  readonly transactionId: string
  readonly from: Status | null
  readonly to: Status
  readonly confirmed: boolean
  /** The number of the process that called. */
  readonly process: number
}

/** Serves the application; a call takes it up to `leisure` ms, as `chance` has it. */
export const start = (miss: (sentence: string) => void, leisure: () => number = () => 0) =>
  Effect.gen(function* () {
    const told = new Map<string, Array<Told>>()
    const atWork = new Map<string, number>()
    const dead = new Set<number>()
    /** By process: the calls of it that were made again by a later one. */
    const again = new Map<number, number>()
    let calls = 0
    const hear = (call: Told): void => {
      const { confirmed, from, id, to, transactionId } = call
      const earlier = told.get(transactionId) ?? []
      const last = earlier.at(-1)
      calls++
      told.set(transactionId, [...earlier, call])
      if (rank(to) >= finalRank && !confirmed) miss(`${id} is final and not confirmed`)
      if (last?.id === id) {
        if (!dead.has(last.process)) miss(`${id} was told again, though nobody had died`)
        again.set(last.process, (again.get(last.process) ?? 0) + 1)
        return
      }
      // A call that a crash cut short was heard, and may not be remembered.
      const isSure = last === undefined || !dead.has(last.process)
      if (last !== undefined && rank(to) < rank(last.to) + (isSure ? 1 : 0)) {
        miss(`${id} came after ${last.id}`)
      }
      const remembered = isSure ? [last?.to ?? null] : [null, ...earlier.map(({ to }) => to)]
      if (!remembered.includes(from)) miss(`${id} is from ${String(from)}, which was not told last`)
    }
    const port = yield* serve((request, response) => {
      void (async () => {
        const number = Number(request.url?.slice(1))
        const body = await text(request).catch(() => undefined)
        // Who was killed in the middle of a call told nothing.
        if (body === undefined) return
        const call: Told = { ...(JSON.parse(body) as Omit<Told, "process">), process: number }
        const { id, transactionId } = call
        const other = atWork.get(transactionId)
        if (other !== undefined && !dead.has(other)) miss(`${id} came while another was at work`)
        atWork.set(transactionId, number)
        hear(call)
        await sleep(leisure())
        if (atWork.get(transactionId) === number) atWork.delete(transactionId)
        response.end()
      })()
    })
    return {
      told,
      again,
      calls: () => calls,
      /** Says that a process is about to be killed: what it called may be called again. */
      bury: (process: number) => dead.add(process),
      url: (process: number) => `http://127.0.0.1:${port}/${process}`
    }
  })
