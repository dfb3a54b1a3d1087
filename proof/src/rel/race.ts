/**
 * Posts the same callbacks at once to eight processes on one store: one handler call for each (R15, R24).
 */
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as Application from "./Application.ts"
import { deliver, repeat } from "./LocalHttp.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { type Changed, type DatabasePart, onDatabases, type Run } from "./Run.ts"
import * as Wait from "./Wait.ts"

const keysAtOnce = 16
const postsOfOneCallback = 100

/** Only tests change it. */
const usual = { processes: 8 }

const onStore = Effect.fnUntraced(function* (part: DatabasePart<typeof usual>) {
  const { count, miss, processes, progress, seed, store } = part
  const { post, start, statuses } = yield* ReceiverProcess.make(store.url)
  const application = yield* Application.start(miss)
  // All start at once, so their migrations do too.
  const receivers = Array.from({ length: processes }, (_, index) =>
    start({ forward: application.url(index) })
  )
  const ports = (yield* Effect.promise(() =>
    Promise.all(receivers.map(({ ready }) => ready))
  )).filter((port) => port !== undefined)
  for (const { errors } of receivers.slice(ports.length)) {
    miss(`one of ${processes} did not start: ${errors()}`)
  }
  progress(`${ports.length} processes serve`)

  let resent = 0
  const idOf = (key: number) => String(100_001 + key + (seed >>> 0) * count)
  yield* Effect.promise(() =>
    repeat(count, keysAtOnce, async (key) => {
      const id = idOf(key)
      statuses.set(id, "SUCCEED")
      await Promise.all(
        ports.map(async (port) => {
          const deliverOnce = () => post(port, id, "SUCCEED")
          const status = await deliver(deliverOnce, postsOfOneCallback, 50, () => resent++)
          if (status !== 200) miss(`${id} was not accepted`)
        })
      )
      progress(`${key + 1} of ${count} keys`)
    })
  )
  const [first] = receivers
  yield* Effect.promise(async () => {
    await Wait.until(() => application.callsOf.size >= count, Wait.longest, 100)
    // A wrong second call would come soon.
    await sleep(1000)
    await repeat(count, keysAtOnce, async (key) => {
      const id = idOf(key)
      const row = first && (await ReceiverProcess.showTransaction(first, id))
      const { callbacks = 0 } = row ?? {}
      // A callback whose response was late was stored too.
      if (callbacks < ports.length) miss(`${id} has ${callbacks} callbacks`)
      if (row?.told !== "SUCCEED") miss(`${id} is told ${String(row?.told)}`)
      const calls = application.callsOf.get(id)?.length ?? 0
      if (calls !== 1) miss(`${id} had ${calls} effects`)
    })
  })
  return {
    processes: ports.length,
    keys: count,
    accepts: count * ports.length,
    effects: application.calls(),
    resent
  }
})

export const race = {
  summary: "8 processes, the same keys at once: one effect each",
  unit: "keys",
  count: { sqlite: 1000, postgres: 1000 },
  make: (options: Changed<typeof usual>) => onDatabases({ ...usual, ...options }, onStore)
} satisfies Run
