/** The callbacks of a run that makes the store of a receiver fail. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as FakeService from "./FakeService.ts"
import { makePost, repeat } from "./LocalHttp.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import type { Miss, RunOptions } from "./Run.ts"
import * as Stores from "./Stores.ts"
import * as ToldApplication from "./ToldApplication.ts"
import * as Wait from "./Wait.ts"

/**
 * Limits of a response, and from the end of a fault to the first 200, in milliseconds. Only tests
 * change these.
 */
export const usual = { response: 5000, recovery: 30_000 }

export type Options = RunOptions & typeof usual

const connections = 64

const startReceiver = Effect.fnUntraced(function* (storeUrl: string) {
  const { serve } = yield* ReceiverProcess.make(storeUrl)
  const application = yield* ToldApplication.start()
  return (yield* serve({ forward: application.url })).port
})

/**
 * Posts callbacks before the first fault to a port, or to a new receiver on a store. Returns what
 * posts them `during` a fault, as many as the run has, and `after` it.
 */
export const begin = Effect.fnUntraced(function* (
  { count, log, miss, recovery, response }: Options & { readonly miss: Miss },
  at: { readonly port: number } | { readonly store: string }
) {
  const port = "port" in at ? at.port : yield* startReceiver(at.store)
  const post = yield* makePost
  const figures = { answered200: 0, answered503: 0, slowestMs: 0, slowestRecoveryMs: 0, rows: 0 }
  const accepted: Array<string> = []
  let nextId = 100_001
  const postNext = async (): Promise<number | undefined> => {
    const id = String(nextId++)
    const sentAt = performance.now()
    const status = await post(port, FakeService.callback(id, "PENDING"))
    const duration = performance.now() - sentAt
    figures.slowestMs = Math.max(figures.slowestMs, Math.round(duration))
    if (duration > response) miss(`${id} was answered after more than ${response} ms`)
    if (status === 200) {
      figures.answered200++
      accepted.push(id)
    } else if (status === 503) figures.answered503++
    else miss(`${id} was answered ${String(status)}`)
    return status
  }
  const without = Effect.promise(() =>
    repeat(50, 10, async () => {
      if ((await postNext()) !== 200) miss("one was not answered 200 without a fault")
    })
  )
  yield* without
  return {
    /** With `isSure` false, some callbacks may still be stored. */
    during: (fault: string, { isSure = true, times = count } = {}) =>
      Effect.promise(() => {
        log(fault)
        return repeat(times, connections, async () => {
          if ((await postNext()) === 200 && isSure) miss(`one was answered 200 while ${fault}`)
        })
      }),
    after: Effect.andThen(
      Effect.promise(async () => {
        const isAnswered = async () => (await postNext()) === 200
        const duration = await Wait.within(recovery, miss)("the receiver recovers", isAnswered)
        figures.slowestRecoveryMs = Math.max(figures.slowestRecoveryMs, duration)
      }),
      without
    ),
    check: (store: Pick<Stores.Store, "url">) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const rows = yield* sql`SELECT transaction_id FROM pawl_transactions_view`
        const ids = new Set(rows.map((row) => row["transaction_id"]))
        figures.rows = rows.length
        for (const id of accepted) if (!ids.has(id)) miss(`${id} was answered 200 and has no row`)
        return figures
      }).pipe(Effect.provide(Layer.fresh(Stores.layerClient(store))))
  }
})
