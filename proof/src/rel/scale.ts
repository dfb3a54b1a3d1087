/**
 * Runs receivers on four databases within a read budget, with one database cut off for a time: no
 * callback is lost, the other shards do not notice, and no claim waits behind the watch.
 */
import * as Postgres from "@pawl/test-support/Postgres"
import * as PostgresProxy from "@pawl/test-support/PostgresProxy"
import type { Status } from "@pawl/core/Status"
import { Ledger } from "@pawl/webhook/Ledger"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import { lookahead, slack } from "@pawl/webhook/internal/rule/ReadBudget"
import type { PlannedPage } from "@pawl/webhook/internal/rule/RowPages"
import { shardOf } from "@pawl/webhook/internal/records/Engines"
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import { forEach, repeat } from "./LocalHttp.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { percentiles, report, type Run, type RunOptions } from "./Run.ts"
import * as ToldApplication from "./ToldApplication.ts"
import * as Wait from "./Wait.ts"

const shards = 4
const receivers = 3
const cutOff = 1
const readsPerSecond = 200
const pace = 80
const burst = 200
/** The difference of handler times that a busy machine makes, in milliseconds. */
const noise = 25
/** The milliseconds after which only reserved reads go before a waiting claim. */
const watchGrace = 1500
const reservedAhead = Math.floor((lookahead * readsPerSecond) / shards / (1000 + slack)) + 1

type Phase = "before" | "cut" | "after"

const placeOf = (transactionId: string) => shardOf({ method: "apm", transactionId }, shards)

const watchNow = (database: string) =>
  Effect.provide(
    Effect.flatMap(
      Ledger,
      Effect.fnUntraced(function* (ledger) {
        const page = { readSince: Infinity, dueAt: 1, rate: 1e9, limit: 1000 }
        let after: PlannedPage["after"]
        do after = yield* ledger.bringForward({ lane: "watch", after, ...page })
        while (after !== undefined)
      })
    ),
    NodePostgres.layerLedger({ ...Postgres.server, database, maxConnections: 2 }),
    { local: true }
  )

const mostInASecond = (times: ReadonlyArray<number>): number => {
  let first = 0
  return times.reduce((most, time, last) => {
    while (time - (times[first] ?? 0) >= 1000) first++
    return Math.max(most, last - first + 1)
  }, 0)
}

const scaleWith = ({ count, log }: RunOptions) =>
  report(function* (miss) {
    const databases = yield* Effect.forEach(Array.from({ length: shards }), () => Postgres.database)
    const proxy = yield* PostgresProxy.open
    const urls = databases.map((database, position) =>
      Postgres.urlOf(database, position === cutOff ? proxy.port : undefined)
    )
    const { post, reads, serve, statuses } = yield* ReceiverProcess.make(...urls)
    const { told, url } = yield* ToldApplication.start()
    const succeeded = told("SUCCEED")
    const env = { PAWL_READS_PER_SECOND: String(readsPerSecond) }
    const ports = yield* Effect.forEach(Array.from({ length: receivers }), () =>
      Effect.map(serve({ forward: url, env }), ({ port }) => port)
    )
    let posts = 0
    const send = (id: string, status: Status) => post(ports[posts++ % receivers] ?? 0, id, status)

    const endedAt = new Map<string, number>()
    const phaseOf = new Map<string, Phase>()
    const unanswered: Array<readonly [id: string, status: Status]> = []
    const figures = { answered200: 0, answered503: 0 }

    const sendOnce = async (id: string, status: Status, phase: Phase) => {
      const answer = await send(id, status)
      if (answer === 200) {
        figures.answered200++
        if (status === "SUCCEED") endedAt.set(id, performance.now())
        if (phase === "cut" && placeOf(id) === cutOff)
          miss(`${id} was answered 200 without its database`)
        return
      }
      if (answer === 503) figures.answered503++
      if (phase !== "cut" || placeOf(id) !== cutOff)
        miss(`${id} was answered ${String(answer)} (${phase})`)
      unanswered.push([id, status])
    }
    let nextId = 100_001
    const transaction = async (phase: Phase) => {
      const id = String(nextId++)
      phaseOf.set(id, phase)
      statuses.set(id, "PENDING")
      await sendOnce(id, "PENDING", phase)
      statuses.set(id, "SUCCEED")
      await sendOnce(id, "SUCCEED", phase)
    }
    const begin = async (phase: Phase, transactions: number) => {
      log(`postgres: ${transactions} transactions, ${phase}`)
      const startedAt = performance.now()
      const running: Array<Promise<void>> = []
      for (let n = 0; n < transactions; n++) {
        await sleep(Math.max(0, startedAt + (n * 1000) / pace - performance.now()))
        running.push(transaction(phase))
      }
      await Promise.all(running)
    }
    const settled = async (name: string) => {
      const isSettled = () => succeeded.size >= phaseOf.size
      if (!(await Wait.whileMoving(isSettled, () => succeeded.size, Wait.longest)))
        miss(`${phaseOf.size - succeeded.size} were not told (${name})`)
    }
    const third = Math.ceil(count / 2 / 3)

    yield* Effect.promise(async () => {
      await begin("before", third)
      proxy.cut()
      await begin("cut", third)
      proxy.restore()
      await sleep(2000)
      await begin("after", third)
      log(`postgres: ${unanswered.length} callbacks are sent again`)
      await forEach(unanswered, 16, async ([id, status]) => {
        if ((await send(id, status)) !== 200) miss(`${id} was not answered 200 after the cut`)
        else if (status === "SUCCEED") endedAt.set(id, performance.now())
      })
      await settled("first")
    })
    const watched = new Set(succeeded.keys())
    const pacedReads = reads.length
    log(`postgres: the watch of ${watched.size} transactions, and a burst of ${burst}`)
    yield* Effect.forEach(databases, (database) => watchNow(database))
    const burstAt = performance.now()
    yield* Effect.promise(async () => {
      await repeat(burst, 32, () => transaction("after"))
      await settled("burst")
    })

    const timesOf = (phase: Phase) =>
      [...phaseOf].flatMap(([id, each]) =>
        each === phase && placeOf(id) !== cutOff && (endedAt.get(id) ?? Infinity) < burstAt
          ? [(succeeded.get(id)?.at ?? Infinity) - (endedAt.get(id) ?? 0)]
          : []
      )
    const [before, cut] = [percentiles(timesOf("before")), percentiles(timesOf("cut"))]
    if (cut.p50Ms > before.p50Ms * 1.1 + noise)
      miss(`the other shards' handler times rose from ${before.p50Ms} to ${cut.p50Ms} ms`)
    const mostReads = mostInASecond(reads.map(({ at }) => at))
    if (mostReads > readsPerSecond) miss(`${mostReads} reads were sent in a second`)
    const burstReads = reads.slice(pacedReads).filter(({ at }) => at >= burstAt)
    let behindWatch = 0
    for (const [id, at] of endedAt) {
      const end = burstReads.find((read) => read.id === id)?.at ?? 0
      const isBefore = (read: (typeof reads)[number]) =>
        read.at > at + watchGrace && read.at < end && placeOf(read.id) === placeOf(id)
      const ahead = burstReads.filter((read) => watched.has(read.id) && isBefore(read)).length
      if (!watched.has(id)) behindWatch = Math.max(behindWatch, ahead)
    }
    if (behindWatch > reservedAhead) miss(`a claim waited behind ${behindWatch} reads of the watch`)
    return {
      ...figures,
      transactions: phaseOf.size,
      told: succeeded.size,
      repeated: [...succeeded.values()].filter(({ calls }) => calls > 1).length,
      handlerP50Before: before.p50Ms,
      handlerP50Cut: cut.p50Ms,
      handlerP99Before: before.p99Ms,
      handlerP99Cut: cut.p99Ms,
      burstP50: percentiles(
        [...endedAt].flatMap(([id, at]) =>
          watched.has(id) ? [] : [(succeeded.get(id)?.at ?? Infinity) - at]
        )
      ).p50Ms,
      reads: reads.length,
      mostReadsInASecond: mostReads,
      burstReads: burstReads.length,
      watchReadsInBurst: burstReads.filter(({ id }) => watched.has(id)).length,
      claimsBehindWatch: behindWatch
    }
  })

export const scale: Run = {
  summary:
    "four databases, three receivers, one database cut off: none lost, the other shards do not notice, reads within their budget",
  unit: "callbacks",
  count: { postgres: 100_000 },
  make: scaleWith
}
