/**
 * Floods a receiver, and posts genuine callbacks meanwhile (A26, A29, A30, A31, A39).
 *
 * - *tiny*: 40 connections send 64 KiB in chunks of one byte, without a checksum.
 * - *idle*: 2,100 connections send nothing.
 * - *forged*: callbacks with a wrong checksum, as fast as they are answered.
 * - *alternating*: one captured callback, with another status each time.
 * - *fat*: captured callbacks of 63 KB and nine statuses.
 * - *captured*: 1,000 captured callbacks.
 *
 * The receiver stays within 512 MiB. Each genuine callback is answered 200 within a second, and
 * told within two seconds of the service's status.
 */
import { type Status, statuses } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as FakeService from "./FakeService.ts"
import * as RawSender from "./RawSender.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import * as Run from "./Run.ts"
import * as ToldApplication from "./ToldApplication.ts"
import * as Wait from "./Wait.ts"

const maxMemoryMiB = 512
const maxAnswerMs = 1000
const maxToldMs = 2000
const genuineGap = 50

const statusOf = (n: number): Status => statuses[n % statuses.length] ?? "NEW"

interface Attack {
  readonly name: string
  readonly run: (port: number) => Promise<Readonly<Record<string, number>>>
}

const attacksOf = (count: number): ReadonlyArray<Attack> => {
  const seconds = Math.min(10, Math.max(0.5, count / 10_000))
  const send = async (options: Omit<RawSender.Options, "port">, port: number) => {
    const { answers, sent } = await RawSender.send({ ...options, port })
    const byStatus = Object.entries(answers).map(([status, times]) => [`answered${status}`, times])
    return { sent, ...Object.fromEntries(byStatus) }
  }
  const attack = (name: string, options: Omit<RawSender.Options, "port">): Attack => ({
    name,
    run: (port) => send(options, port)
  })
  const captured = (id: string, status: Status, metadata?: string) => {
    const { body, ...others } = FakeService.callback(id, status)
    return RawSender.requestOf({
      ...others,
      body: metadata === undefined ? body : JSON.stringify({ ...JSON.parse(body), metadata })
    })
  }
  const alternating = statuses.map((status) => captured("900001", status))
  const many = Array.from({ length: 1000 }, (_, n) => captured(String(910_001 + n), "SUCCEED"))
  const fat = Array.from({ length: 90 }, (_, n) =>
    captured(String(920_001 + Math.floor(n / 9)), statusOf(n), "x".repeat(63_000))
  )
  const forged = RawSender.requestOf({
    ...FakeService.callback("930001", "SUCCEED"),
    checksum: "x"
  })
  const tiny = RawSender.tinyChunks("?paymentMethod=card", 65_536)
  const take = (list: ReadonlyArray<Buffer>) => (n: number) => list[n % list.length] ?? forged
  return [
    attack("tiny", { connections: 40, perSecond: 10, seconds, requests: () => tiny }),
    {
      name: "idle",
      run: (port) => RawSender.holdIdle(port, 2100, seconds).then(() => ({ connections: 2100 }))
    },
    attack("forged", { connections: 64, perSecond: Infinity, count, requests: () => forged }),
    attack("alternating", {
      connections: 64,
      perSecond: 3000,
      seconds,
      requests: take(alternating)
    }),
    attack("fat", { connections: 16, perSecond: 90, seconds, requests: take(fat) }),
    // Last, because the reads of its rows go on.
    attack("captured", { connections: 16, perSecond: 400, seconds, requests: take(many) })
  ]
}

/** Only tests change it. */
const usual = { isTimed: true }

const onStore = Effect.fnUntraced(function* (part: Run.StorePart<typeof usual>) {
  const { count, isTimed, log, miss, store } = part
  const { post, serve, statuses: known } = yield* ReceiverProcess.make(store.url)
  const application = yield* ToldApplication.start()
  const told = application.told("SUCCEED")
  const receiver = yield* serve({ forward: application.url })
  let nextId = 100_001

  /** Returns the milliseconds until the callback was answered and told. */
  const postGenuine = async () => {
    const id = String(nextId++)
    const postedAt = performance.now()
    known.set(id, "SUCCEED")
    const status = await post(receiver.port, id, "SUCCEED")
    const answered = performance.now() - postedAt
    if (status !== 200) miss(`${id} was answered ${String(status)}`)
    return { id, postedAt, answered }
  }

  const allTold = (genuine: ReadonlyArray<{ readonly id: string }>) =>
    Wait.until(() => genuine.every(({ id }) => told.has(id)), Wait.longest, 50)

  // The first callbacks of a process are slower even without an attack.
  yield* Effect.promise(async () => {
    for (let warm = 0; warm < 20; warm++) await allTold([await postGenuine()])
  })

  const withAttack = async ({ name: attack, run }: Attack) => {
    const posts: Array<ReturnType<typeof postGenuine>> = []
    let memory = 0
    const state = { isOver: false }
    const attacked = run(receiver.port).finally(() => {
      state.isOver = true
    })
    while (!state.isOver) {
      posts.push(postGenuine())
      memory = Math.max(memory, receiver.memory())
      await sleep(genuineGap)
    }
    const figures = await attacked
    const genuine = await Promise.all(posts)
    await allTold(genuine)
    const answers = genuine.map(({ answered }) => answered)
    const tells = genuine.map(({ id, postedAt }) => (told.get(id)?.at ?? Infinity) - postedAt)
    const slowest = Math.max(...answers)
    const latest = Math.max(...tells)
    if (latest === Infinity) miss(`${attack}: a callback was not told`)
    if (isTimed && slowest > maxAnswerMs)
      miss(`${attack}: a callback was answered after ${slowest} ms`)
    if (isTimed && latest > maxToldMs) miss(`${attack}: a callback was told after ${latest} ms`)
    if (memory > maxMemoryMiB) miss(`${attack}: the receiver took ${memory} MiB`)
    const all = {
      ...figures,
      genuine: genuine.length,
      answeredP99Ms: Run.percentiles(answers).p99Ms,
      answeredMaxMs: Run.percentiles(answers).maxMs,
      toldP99Ms: Run.percentiles(tells).p99Ms,
      toldMaxMs: Run.percentiles(tells).maxMs,
      memoryMiB: memory
    }
    log(`${attack}: ${JSON.stringify(all)}`)
    return all
  }

  const { figures } = yield* Run.inSequence(
    attacksOf(count).map((attack) => [
      attack.name,
      Run.report(function* () {
        return yield* Effect.promise(() => withAttack(attack))
      })
    ])
  )
  return figures
})

export const flood = {
  summary:
    "tiny chunks, idle sockets, forgeries, captured and fat callbacks: genuine ones are not delayed",
  unit: "forgeries",
  count: { memory: 100_000, sqlite: 100_000, postgres: 100_000 },
  make: (options: Run.Changed<typeof usual>) => Run.onStores({ ...usual, ...options }, onStore)
} satisfies Run.Run
