/**
 * A night on call: incidents with real receivers, each shown on the page of the admin API and
 * mended by the one step that `docs/guides/on-call.md` names.
 *
 * - *service*: the service is down for a minute while every open payment ends.
 * - *sixHours*: the same for six hours, in virtual time (`longOutage`).
 * - *secret*: the service signs with a new secret; the receiver is restarted with both.
 * - *disk*: the store's file system or tablespace is full, and gets room.
 * - *handler*: the application fails for one transaction, and is corrected.
 *
 * `seenMs` is the time until the overview shows the incident, `mendedMs` that from the step until
 * all are handled and the overview is clean. No callback is lost.
 */
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as FakeService from "./FakeService.ts"
import { forEach } from "./LocalHttp.ts"
import { type Overview, shows } from "./OperatorPage.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { longOutage } from "./longOutage.ts"
import { type DatabasePart, type Run, type RunOptions, eachOnDatabases } from "./Run.ts"
import * as SmallDisk from "./SmallDisk.ts"
import * as ToldApplication from "./ToldApplication.ts"
import * as Wait from "./Wait.ts"

const newSecret = "rotated-secret"
const connections = 16

const makeTools = Effect.fnUntraced(function* (
  { count, miss, store }: DatabasePart,
  hasDisk: boolean
) {
  const disk = hasDisk ? yield* SmallDisk.make(store) : undefined
  const service = yield* ReceiverProcess.make(store.url)
  const runPromise = Effect.runPromiseWith(yield* Effect.context())
  const broken = new Set<string>()
  const { told, url } = yield* ToldApplication.start(({ transactionId }) =>
    broken.has(transactionId) ? 500 : 200
  )
  const ids = Array.from({ length: count }, (_, index) => String(100_001 + index))
  const post = async (port: number, id: string, status: Status, key = FakeService.secret) =>
    (await service.post(port, id, status, { key })) ?? 0
  return {
    count,
    ids,
    disk,
    service,
    broken,
    post,
    postAll: (port: number, status: Status, key?: string) =>
      forEach(ids, connections, async (id) => {
        const answer = await post(port, id, status, key)
        if (answer !== 200) miss(`${id} was answered ${answer}`)
      }),
    told: (status: Status) => told(status).size,
    until: Wait.within(Wait.longest, miss),
    expect: (sentence: string, holds: boolean) => {
      if (!holds) miss(`not so: ${sentence}`)
    },
    serve: async (settings: Parameters<typeof service.start>[0] = {}) => {
      const receiver = service.start({ forward: url, ...settings })
      const port = await runPromise(ReceiverProcess.waitForPort(receiver))
      const overview = async () => (await (await receiver.get("/overview")).json()) as Overview
      return { port, overview, stop: receiver.stop }
    }
  }
})

type Incident = (
  tools: Effect.Success<ReturnType<typeof makeTools>>
) => Promise<Readonly<Record<string, number>>>

const service: Incident = async (tools) => {
  const { count, expect, ids, postAll, serve, service, told, until } = tools
  const { overview, port } = await serve()
  await postAll(port, "PENDING")
  await until("every payment is open", () => told("PENDING") === count)
  service.fault.isDown = true
  await postAll(port, "SUCCEED")
  const seenMs = await until("the page says that the service does not answer", async () =>
    shows(await overview(), "silent")
  )
  // A row whose read failed is read again after 15 seconds.
  await sleep(Math.min(60_000, 12 * count))
  expect("no final status was told without a confirmation", told("SUCCEED") === 0)
  for (const id of ids) service.statuses.set(id, "SUCCEED")
  service.fault.isDown = false
  const mendedMs = await until("every payment is told", () => told("SUCCEED") === count)
  await until("nothing is due", async () => (await overview()).backlog?.due === 0)
  expect("no payment is a dead letter", (await overview()).backlog?.deadLetters === 0)
  return { seenMs, mendedMs }
}

const secret: Incident = async ({ count, expect, ids, post, postAll, serve, told, until }) => {
  const first = await serve()
  const [id = ""] = ids
  expect(
    "a callback with an unknown secret is refused",
    (await post(first.port, id, "PENDING", newSecret)) === 401
  )
  const seenMs = await until("the page says that callbacks are refused", async () =>
    shows(await first.overview(), "refused")
  )
  const began = performance.now()
  expect("the receiver ends with 0", (await first.stop()) === 0)
  const env = { PAWL_MERCHANT_SECRET: newSecret, PAWL_MERCHANT_SECRET_PREVIOUS: FakeService.secret }
  const second = await serve({ env })
  const restartMs = Math.round(performance.now() - began)
  // The service repeats the refused callbacks, some of them signed with the old secret.
  await postAll(second.port, "PENDING", newSecret)
  expect("the old secret is accepted too", (await post(second.port, id, "PENDING")) === 200)
  const mendedMs = await until("every payment is told", () => told("PENDING") === count)
  const { acceptedPrevious } = (await second.overview()).events
  expect("the page says that the old secret is in use", (acceptedPrevious?.count ?? 0) === 1)
  return { seenMs, restartMs, mendedMs }
}

const handler: Incident = async ({ broken, count, expect, ids, postAll, serve, told, until }) => {
  const [id = ""] = ids
  broken.add(id)
  const { overview, port } = await serve()
  await postAll(port, "PENDING")
  const seenMs = await until("the page names the transaction", async () => {
    const now = await overview()
    return shows(now, "handler") && now.failing.map((one) => one.transactionId).join() === id
  })
  await until("the others are told", () => told("PENDING") === count - 1)
  broken.clear()
  const mendedMs = await until("the transaction is told", () => told("PENDING") === count)
  await until("the page names no transaction", async () => (await overview()).failing.length === 0)
  expect("nothing is a dead letter", (await overview()).backlog?.deadLetters === 0)
  return { seenMs, mendedMs }
}

const disk: Incident = async (tools) => {
  const { count, disk, expect, ids, post, postAll, serve, told, until } = tools
  if (disk === undefined) return { notRun: 1 }
  const { overview, port, stop } = await serve({ stores: [disk.url] })
  try {
    disk.fill()
    const answers = new Map<number, number>()
    const fill = async () => {
      for (const id of ids.slice(0, 50)) {
        const answer = await post(port, id, "PENDING")
        answers.set(answer, (answers.get(answer) ?? 0) + 1)
      }
    }
    const seenMs = await until("the page says that the store cannot be written", async () => {
      await fill()
      return shows(await overview(), "store", "not-stored")
    })
    expect("callbacks are answered 503", (answers.get(503) ?? 0) > 0)
    disk.free()
    const writableMs = await until(
      "the store can be written",
      async () => (await post(port, ids[0] ?? "", "PENDING")) === 200
    )
    await postAll(port, "PENDING")
    const mendedMs = await until("every payment is told", () => told("PENDING") === count)
    await until(
      "the page shows no problem",
      async () => !shows(await overview(), "store", "not-stored")
    )
    return { seenMs, writableMs, mendedMs }
  } finally {
    await stop()
  }
}

const incidents: Readonly<Record<string, Incident>> = { service, secret, disk, handler }

const play = Effect.fnUntraced(function* (name: string, part: DatabasePart) {
  const incident = incidents[name]
  if (incident === undefined) return yield* longOutage(part)
  const tools = yield* makeTools(part, incident === disk)
  const figures = yield* Effect.promise(() => incident(tools))
  part.log(`${name}: ${JSON.stringify(figures)}`)
  return figures
})

export const night = {
  summary:
    "a night on call: service down, wrong secret, full disk, broken handler; seen and mended",
  unit: "open payments",
  count: { sqlite: 5000, postgres: 5000 },
  make: (options: RunOptions, names = [...Object.keys(incidents), "sixHours"]) =>
    eachOnDatabases(options, names, play)
} satisfies Run
