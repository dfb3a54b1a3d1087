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
import type { Transition } from "@pawl/core/Handler"
import type { Status } from "@pawl/core/Status"
import { readText, serve } from "@pawl/test-support/Listener"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { setTimeout as sleep } from "node:timers/promises"
import * as FakeService from "./FakeService.ts"
import { makePost, repeat } from "./LocalHttp.ts"
import { type Overview, shows } from "./OperatorPage.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { longOutage } from "./longOutage.ts"
import {
  collectMisses,
  inSequence,
  onDatabases,
  type Report,
  type Run,
  type RunOptions,
  type StoreName
} from "./Run.ts"
import * as SmallDisk from "./SmallDisk.ts"
import * as Stores from "./Stores.ts"

const newSecret = "rotated-secret"
const connections = 16

const makeService = Effect.gen(function* () {
  const statuses = new Map<string, Status>()
  const fault = { isDown: false }
  const port = yield* serve((request, response) => {
    request.resume()
    if (fault.isDown) return request.socket.destroy()
    response.setHeader("content-type", "application/json")
    if (request.url === "/api/v1/auth") return response.end('{"accessToken":"sandbox-token"}')
    const status = statuses.get(request.url?.split("/").at(-1) ?? "")
    return response.writeHead(status === undefined ? 404 : 200).end(JSON.stringify(status ?? {}))
  })
  return { statuses, fault, baseUrl: `http://127.0.0.1:${port}/api` }
})

const makeApplication = Effect.gen(function* () {
  const told = new Map<string, Status>()
  const broken = new Set<string>()
  const port = yield* serve((request, response) => {
    void readText(request).then((body) => {
      const { to, transactionId } = JSON.parse(body) as Transition
      if (broken.has(transactionId)) return response.writeHead(500).end()
      told.set(transactionId, to)
      return response.end()
    })
  })
  return { told, broken, url: `http://127.0.0.1:${port}/` }
})

type Start = (options?: {
  readonly store?: string
  readonly env?: Readonly<Record<string, string>>
}) => Promise<{
  readonly port: number
  readonly overview: () => Promise<Overview>
  readonly stop: () => Promise<number | null>
}>

interface Tools {
  readonly count: number
  readonly ids: ReadonlyArray<string>
  readonly disk: SmallDisk.SmallDisk | undefined
  readonly start: Start
  readonly service: Effect.Success<typeof makeService>
  readonly application: Effect.Success<typeof makeApplication>
  readonly post: (port: number, id: string, status: Status, key?: string) => Promise<number>
  readonly postAll: (port: number, status: Status, key?: string) => Promise<void>
  readonly until: (what: string, isReached: () => boolean | Promise<boolean>) => Promise<number>
  readonly expect: (sentence: string, holds: boolean) => void
}

type Incident = (tools: Tools) => Promise<Readonly<Record<string, number>>>

const isTold = ({ application, ids }: Tools, status: Status) =>
  ids.every((id) => application.told.get(id) === status)

const service: Incident = async (tools) => {
  const { count, expect, ids, postAll, service, start, until } = tools
  const { overview, port } = await start()
  await postAll(port, "PENDING")
  await until("every payment is open", () => isTold(tools, "PENDING"))
  service.fault.isDown = true
  await postAll(port, "SUCCEED")
  const seenMs = await until("the page says that the service does not answer", async () =>
    shows(await overview(), "silent")
  )
  // A row whose read failed is read again after 15 seconds.
  await sleep(Math.min(60_000, 12 * count))
  expect("no final status was told without a confirmation", !isTold(tools, "SUCCEED"))
  for (const id of ids) service.statuses.set(id, "SUCCEED")
  service.fault.isDown = false
  const mendedMs = await until("every payment is told", () => isTold(tools, "SUCCEED"))
  await until("nothing is due", async () => (await overview()).backlog?.due === 0)
  expect("no payment is a dead letter", (await overview()).backlog?.deadLetters === 0)
  return { seenMs, mendedMs }
}

const secret: Incident = async (tools) => {
  const { expect, ids, post, postAll, start, until } = tools
  const first = await start()
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
  const second = await start({ env })
  const restartMs = Math.round(performance.now() - began)
  // The service repeats the refused callbacks, some of them signed with the old secret.
  await postAll(second.port, "PENDING", newSecret)
  expect("the old secret is accepted too", (await post(second.port, id, "PENDING")) === 200)
  const mendedMs = await until("every payment is told", () => isTold(tools, "PENDING"))
  const { acceptedPrevious } = (await second.overview()).events
  expect("the page says that the old secret is in use", (acceptedPrevious?.count ?? 0) === 1)
  return { seenMs, restartMs, mendedMs }
}

const handler: Incident = async (tools) => {
  const { application, expect, ids, postAll, start, until } = tools
  const [broken = ""] = ids
  application.broken.add(broken)
  const { overview, port } = await start()
  await postAll(port, "PENDING")
  const seenMs = await until("the page names the transaction", async () => {
    const now = await overview()
    return shows(now, "handler") && now.failing.map((one) => one.transactionId).join() === broken
  })
  await until("the others are told", () => application.told.size === ids.length - 1)
  application.broken.clear()
  const mendedMs = await until("the transaction is told", () => isTold(tools, "PENDING"))
  await until("the page names no transaction", async () => (await overview()).failing.length === 0)
  expect("nothing is a dead letter", (await overview()).backlog?.deadLetters === 0)
  return { seenMs, mendedMs }
}

const disk: Incident = async (tools) => {
  const { disk, expect, ids, post, postAll, start, until } = tools
  if (disk === undefined) return { notRun: 1 }
  const { overview, port, stop } = await start({ store: disk.url })
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
    const mendedMs = await until("every payment is told", () => isTold(tools, "PENDING"))
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

const play = (
  incident: Incident,
  storeName: Exclude<StoreName, "memory">,
  { count, log }: RunOptions,
  name: string
) =>
  Effect.gen(function* (): Effect.fn.Return<Report, unknown, Scope.Scope> {
    const { miss, misses } = collectMisses()
    const fakeService = yield* makeService
    const application = yield* makeApplication
    const store = yield* Stores.makeSql(storeName)
    const smallDisk = incident === disk ? yield* SmallDisk.make(store) : undefined
    const startProcess = yield* ReceiverProcess.make
    const send = yield* makePost(connections)
    const runPromise = Effect.runPromiseWith(yield* Effect.context())
    const ids = Array.from({ length: count }, (_, index) => String(100_001 + index))
    const start: Start = async ({ env, store: other = store.url } = {}) => {
      const args = ["--store", other, "--forward", application.url]
      const receiver = startProcess(fakeService.baseUrl, args, "forwarding", env)
      const port = await runPromise(ReceiverProcess.waitForPort(receiver))
      const admin = await receiver.admin
      return {
        port,
        stop: receiver.stop,
        overview: async () => (await (await fetch(`${admin}/overview`)).json()) as Overview
      }
    }
    const post: Tools["post"] = async (port, id, status, key = FakeService.secret) => {
      const checksum = FakeService.sign(["4711", "10.00", "EUR", id], key)
      return (await send(port, { ...FakeService.callback(id, status), checksum })) ?? 0
    }
    const tools: Tools = {
      count,
      ids,
      disk: smallDisk,
      start,
      service: fakeService,
      application,
      post,
      postAll: (port, status, key) =>
        repeat(count, connections, async (index) => {
          const answer = await post(port, ids[index] ?? "", status, key)
          if (answer !== 200) miss(`${ids[index]} was answered ${answer}`)
        }),
      until: async (what, isReached) => {
        const began = performance.now()
        while (!(await isReached())) {
          if (performance.now() - began > 300_000) {
            miss(`it did not come to this: ${what}`)
            break
          }
          await sleep(50)
        }
        return Math.round(performance.now() - began)
      },
      expect: (sentence, holds) => {
        if (!holds) miss(`not so: ${sentence}`)
      }
    }
    const figures = yield* Effect.promise(() => incident(tools))
    log(`${storeName} ${name}: ${JSON.stringify(figures)}`)
    return { figures, misses: misses() }
  }).pipe(Effect.scoped)

export const nightWith = (
  options: RunOptions,
  names: ReadonlyArray<string> = [...Object.keys(incidents), "sixHours"]
) =>
  onDatabases(options, (store) =>
    inSequence(
      names.map((name) => {
        const incident = incidents[name]
        return [
          name,
          incident === undefined ? longOutage(store, options) : play(incident, store, options, name)
        ]
      })
    )
  )

export const night: Run = {
  summary:
    "a night on call: service down, wrong secret, full disk, broken handler; seen and mended",
  unit: "open payments",
  count: { sqlite: 5000, postgres: 5000 },
  stores: ["sqlite", "postgres"],
  make: nightWith
}
