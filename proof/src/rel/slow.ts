/**
 * Lets the service or the application hang, and handles unrelated transactions meanwhile (R34). The
 * first call for an unrelated transaction comes within a second of its callback.
 *
 * - *polls*: many operations are due, and no read is answered.
 * - *claims*: many final statuses are claimed, and no read is answered.
 * - *application*: many transitions go to an application that never answers.
 */
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import { repeat } from "./LocalHttp.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import * as Run from "./Run.ts"
import * as Stores from "./Stores.ts"
import * as ToldApplication from "./ToldApplication.ts"
import * as Wait from "./Wait.ts"
import { Records } from "@pawl/webhook/internal/records/Records"
import { blank } from "@pawl/webhook/internal/rule/Row"
import { findOrMake } from "@pawl/webhook/internal/rule/StoredRow"

const maxWait = 1000
const unrelated = 20
const unrelatedGap = 250
const tellTimeout = 30_000

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

const allParts = ["polls", "claims", "application"] as const
/** Only tests change these. */
const usual = { parts: allParts as ReadonlyArray<(typeof allParts)[number]>, isTimed: true }

const onStore = Effect.fnUntraced(function* (part: Run.DatabasePart<typeof usual>) {
  const { count, isTimed, log, miss, parts, store } = part
  const service = yield* ReceiverProcess.make(store.url)
  service.fault.hangs = true
  const isUnanswered = (id: string) => id.startsWith("8")
  const application = yield* ToldApplication.start(({ transactionId }) =>
    isUnanswered(transactionId) ? undefined : 200
  )
  const told = application.told("PENDING")
  const { port } = yield* service.serve({ forward: application.url })
  let nextId = 100_001

  const postAll = (first: number, many: number, status: "PENDING" | "SUCCEED") =>
    repeat(many, 16, async (index) => {
      const answer = await service.post(port, String(first + index), status)
      if (answer !== 200) miss(`${first + index} was answered ${String(answer)}`)
    })

  const until = (isReached: () => boolean) =>
    Wait.within(Wait.longest, miss, 20)("the fault builds up", isReached)

  const tell = async (part: string) => {
    const waits: Array<number> = []
    for (let index = 0; index < unrelated; index++) {
      const id = String(nextId++)
      const postedAt = performance.now()
      await service.post(port, id, "PENDING")
      await Wait.until(() => told.has(id), tellTimeout)
      waits.push((told.get(id)?.at ?? Infinity) - postedAt)
      await sleep(isTimed ? unrelatedGap : 0)
    }
    const latest = Math.max(...waits)
    if (latest === Infinity) miss(`${part}: a transaction was not told`)
    if (isTimed && latest > maxWait) miss(`${part}: a transaction was told after ${latest} ms`)
    const figures = { ...Run.percentiles(waits), hangingReads: service.hanging() }
    log(`${part}: ${JSON.stringify(figures)}`)
    return figures
  }

  const prepare = {
    polls: Effect.gen(function* () {
      yield* Effect.provide(duePolls(3 * count), Stores.layerLedger(store), { local: true })
      yield* Effect.promise(() => until(() => service.hanging() >= 8))
    }),
    claims: Effect.promise(async () => {
      await postAll(900_001, count, "SUCCEED")
      await until(() => service.hanging() >= 16)
    }),
    application: Effect.promise(async () => {
      const hanging = Math.ceil(0.3 * count)
      await postAll(800_001, hanging, "PENDING")
      await until(() => [...told.keys()].filter(isUnanswered).length === hanging)
      await sleep(11_000)
    })
  }
  const { figures } = yield* Run.inSequence(
    parts.map((name) => [
      name,
      Run.report(function* () {
        yield* prepare[name]
        return yield* Effect.promise(() => tell(name))
      })
    ])
  )
  return figures
})

export const slow = {
  summary:
    "a service or an application that hangs: unrelated transactions are told within a second",
  unit: "claims",
  count: { sqlite: 1000, postgres: 1000 },
  make: (options: Run.Changed<typeof usual>) => Run.onDatabases({ ...usual, ...options }, onStore)
} satisfies Run.Run
