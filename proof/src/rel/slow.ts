/**
 * Lets the service or the application hang, and handles unrelated transactions meanwhile (R34). The
 * first call for an unrelated transaction comes within a second of its callback.
 *
 * - *polls*: many operations are due, and no read is answered.
 * - *claims*: many final statuses are claimed, and no read is answered.
 * - *application*: many transitions go to an application that never answers.
 */
import type { Transition } from "@pawl/core/Handler"
import { readText, serve } from "@pawl/test-support/Listener"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { setTimeout as sleep } from "node:timers/promises"
import * as FakeService from "./FakeService.ts"
import { makePost, repeat } from "./LocalHttp.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import {
  collectMisses,
  inSequence,
  onDatabases,
  percentiles,
  type Report,
  type Run,
  type RunOptions,
  type StoreName
} from "./Run.ts"
import * as Stores from "./Stores.ts"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import { Records } from "@pawl/webhook/internal/records/Records"
import { blank } from "@pawl/webhook/internal/rule/Row"
import { findOrMake } from "@pawl/webhook/internal/rule/StoredRow"

const maxWait = 1000
const unrelated = 20
const unrelatedGap = 250

const duePolls = (count: number) =>
  Effect.flatMap(Records, ({ own: [records] }) =>
    Effect.forEach(
      Array.from({ length: count }, (_, index) => String(700_001 + index)),
      (id) => {
        const row = { ...blank("apm-payment", id, 0), registered: true, pollAt: 0 }
        const made = findOrMake([], "apm-payment", id, 0, "registration")
        const value = [{ ...made, row, dueAt: 0 }]
        return records.change("transactions", `${id}\tapm`, () => ({ value, result: undefined }))
      },
      { concurrency: 64, discard: true }
    )
  )

interface SlowOptions {
  readonly parts: ReadonlyArray<"polls" | "claims" | "application">
  readonly isTimed: boolean
}

/** The application never answers calls for ids that begin with 8. */
const makeApplication = Effect.gen(function* () {
  const toldAt = new Map<string, number>()
  const port = yield* serve((request, response) => {
    void (async () => {
      const { transactionId } = JSON.parse(await readText(request)) as Transition
      if (!toldAt.has(transactionId)) toldAt.set(transactionId, performance.now())
      if (!transactionId.startsWith("8")) response.end()
    })()
  })
  return { toldAt, url: `http://127.0.0.1:${port}/` }
})

const onStore = (
  name: Exclude<StoreName, "memory">,
  { count, log }: RunOptions,
  { isTimed, parts }: SlowOptions
) =>
  Effect.gen(function* () {
    const { miss, misses } = collectMisses()
    const store = yield* Stores.makeSql(name)
    const service = yield* FakeService.startHanging
    const application = yield* makeApplication
    const start = yield* ReceiverProcess.make
    const post = yield* makePost(16)
    const receiver = start(service.baseUrl, ["--store", store.url, "--forward", application.url])
    const port = yield* ReceiverProcess.waitForPort(receiver)
    let nextId = 100_001

    const postAll = (first: number, many: number, status: "PENDING" | "SUCCEED") =>
      repeat(many, 16, async (index) => {
        const answer = await post(port, FakeService.callback(String(first + index), status))
        if (answer !== 200) miss(`${first + index} was answered ${String(answer)}`)
      })

    const until = async (isReached: () => boolean, timeout = 120_000) => {
      for (let waits = 0; waits < timeout / 20 && !isReached(); waits++) await sleep(20)
      if (!isReached()) miss("the fault did not build up")
    }

    const tell = async (part: string): Promise<Report> => {
      const waits: Array<number> = []
      for (let index = 0; index < unrelated; index++) {
        const id = String(nextId++)
        const postedAt = performance.now()
        await post(port, FakeService.callback(id, "PENDING"))
        while (!application.toldAt.has(id) && performance.now() < postedAt + 30_000) await sleep(5)
        waits.push((application.toldAt.get(id) ?? Infinity) - postedAt)
        await sleep(isTimed ? unrelatedGap : 0)
      }
      const latest = Math.max(...waits)
      if (latest === Infinity) miss(`${part}: a transaction was not told`)
      if (isTimed && latest > maxWait) miss(`${part}: a transaction was told after ${latest} ms`)
      const figures = { ...percentiles(waits), hangingReads: service.hanging() }
      log(`${name}: ${part}: ${JSON.stringify(figures)}`)
      return { figures, misses: [] }
    }

    const prepare = {
      polls: Effect.gen(function* () {
        yield* Effect.provide(
          duePolls(3 * count),
          Layer.provide(LedgerSql.layer, Stores.layerClient(store)),
          { local: true }
        )
        yield* Effect.promise(() => until(() => service.hanging() >= 8))
      }),
      claims: Effect.promise(async () => {
        await postAll(900_001, count, "SUCCEED")
        await until(() => service.hanging() >= 16)
      }),
      application: Effect.promise(async () => {
        const hanging = Math.ceil(0.3 * count)
        await postAll(800_001, hanging, "PENDING")
        await until(
          () => [...application.toldAt.keys()].filter((id) => id.startsWith("8")).length === hanging
        )
        await sleep(11_000)
      })
    }
    const report = yield* inSequence(
      parts.map(
        (part) =>
          [
            part,
            Effect.andThen(
              prepare[part],
              Effect.promise(() => tell(part))
            )
          ] as const
      )
    )
    return { figures: report.figures, misses: [...report.misses, ...misses()] }
  }).pipe(Effect.scoped)

export const slowWith = (options: RunOptions, slowOptions: SlowOptions) =>
  onDatabases(options, (name) => onStore(name, options, slowOptions))

export const slow: Run = {
  summary:
    "a service or an application that hangs: unrelated transactions are told within a second",
  unit: "claims",
  count: { sqlite: 1000, postgres: 1000 },
  stores: ["sqlite", "postgres"],
  make: (options) => slowWith(options, { parts: ["polls", "claims", "application"], isTimed: true })
}
