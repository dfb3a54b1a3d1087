/**
 * Opens the store of one merchant as another one, and changes rows in the database: no request goes
 * astray.
 *
 * A process of another service or merchant key opens the store, or a person changes the kind,
 * requestId or owner in the database. That process ends with one sentence, or parks the request;
 * nothing is sent.
 */
import type { Records as Engine } from "@pawl/webhook/internal/records/Engine"
import { Records } from "@pawl/webhook/internal/records/Records"
import * as Effect from "effect/Effect"
import * as LossyService from "./create/LossyService.ts"
import * as MerchantProcess from "./create/MerchantProcess.ts"
import { orderId, type Task } from "./create/Task.ts"
import { type DatabasePart, onDatabases, type Run } from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Stores from "./Stores.ts"
import * as Wait from "./Wait.ts"

const written = <A>(value: A) => ({ value, result: undefined })

const onStore = Effect.fnUntraced(function* (part: DatabasePart) {
  const { count: cycles, miss, progress, seed, store } = part
  const own = yield* LossyService.start({ random: SeededRandom.make(seed, "own"), miss })
  const other = yield* LossyService.start({ random: SeededRandom.make(seed, "other"), miss })
  const figures = { orders: 0, refused: 0, parked: 0, sent: 0 }
  const { requests, start } = yield* MerchantProcess.make(store, own.baseUrl, {
    miss: (sentence) => {
      if (!sentence.includes("The store belongs to")) miss(sentence)
    }
  })
  const runPromise = Effect.runPromiseWith(yield* Effect.context())
  const until = Wait.within(Wait.longest, miss, 5)
  const inStore = (use: (records: Engine) => Effect.Effect<unknown, unknown>) =>
    Effect.flatMap(Records, (records) => use(records.own[0])).pipe(
      Effect.provide(Stores.layerLedger(store), { local: true }),
      runPromise
    )
  const setBaseUrl = (baseUrl: string) =>
    inStore((records) =>
      records.change("settings", "owner", (owner) => written({ ...(owner as object), baseUrl }))
    )
  const stateOf = async (id: string) => (await requests()).find((row) => row.id === id)

  const refused = async (changed: Partial<Task>) => {
    const merchant = start()
    merchant.give(changed)
    await until("the end of a process on the store of another one", () => merchant.state.hasEnded)
    if (!merchant.errors().includes("The store belongs to")) miss("a process was not refused")
    await merchant.end()
    figures.refused++
  }
  const parks = async (id: string, changed: Partial<Task> = {}) => {
    const merchant = start()
    const sent = own.figures.requests
    merchant.give(changed)
    await until(
      `the parking of ${id}`,
      async () => (await stateOf(id).then((row) => row?.parked_at ?? null)) !== null
    )
    await merchant.end()
    if (own.figures.requests !== sent) miss(`${id} was sent although its row was changed`)
    figures.parked++
  }

  const sends = async (id: string) => {
    const merchant = start()
    merchant.give()
    await until(`the effect of ${id}`, () => own.effects.has(id))
    await until(`the outcome of ${id}`, async () => (await stateOf(id))?.outcome === "Answered")
    await merchant.end()
    figures.sent++
  }

  const attacks: Readonly<Record<string, (id: string) => Promise<void>>> = {
    service: async (id) => {
      await refused({ baseUrl: other.baseUrl })
      await sends(id)
    },
    "merchant key": async (id) => {
      await refused({ merchantKey: "another-key" })
      await sends(id)
    },
    kind: async (id) => {
      await inStore((records) =>
        records.change("requests", id, (row) =>
          written(row && { ...row, kind: "apm-payout" as const })
        )
      )
      await parks(id)
    },
    requestId: async (id) => {
      const moved = `${id}-moved`
      await inStore((records) =>
        Effect.flatMap(records.get("requests", id), (row) =>
          Effect.andThen(
            records.change("requests", id, () => written(undefined)),
            records.change("requests", moved, () => written(row && { ...row, requestId: moved }))
          )
        )
      )
      await parks(moved)
    },
    owner: async (id) => {
      await setBaseUrl(other.baseUrl)
      await parks(id, { baseUrl: other.baseUrl })
      await setBaseUrl(own.baseUrl)
    }
  }
  const names = Object.keys(attacks)

  const cycle = async (number: number): Promise<void> => {
    const order = 16 * number + 1
    const id = orderId(order)
    const merchant = start()
    merchant.give({ orders: [order], mark: "claimed" })
    await until(`the claim of ${id}`, () => merchant.state.hasEnded)
    await merchant.end()
    figures.orders++
    await runPromise(Stores.endLeases(store))
    const attack = names[number % names.length] ?? ""
    await attacks[attack]?.(id)
    if (other.figures.requests > 0) miss(`${attack}: the other service got a request`)
    progress(`${number + 1} of ${cycles} cycles, ${attack}`)
  }

  yield* Effect.promise(async () => {
    for (let number = 0; number < cycles; number++) await cycle(number)
  })
  return { ...figures, requests: own.figures.requests }
})

export const owner: Run = {
  summary:
    "the store of one merchant opened as another one, and rows changed in it: nothing is sent",
  unit: "cycles",
  count: { sqlite: 25, postgres: 25 },
  make: (options) => onDatabases(options, onStore)
}
