/** The attacker knows its own secret and all public data. */
import * as Profile from "@pawl/core/Profile"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { MinimumLogLevel } from "effect/References"
import { SqlClient } from "effect/sql/SqlClient"
import { describe, expect, it, vi } from "vitest"
import { Journal } from "@pawl/webhook/Journal"
import { Ledger, layerMemory } from "@pawl/webhook/Ledger"
import { Merchants } from "../src/Merchants.ts"
import { callback, make, searchOf, type Shop } from "./merchantWorld.ts"
import { client, ledgerOf, type Place } from "@pawl/test-support/Places"
import { files, onPostgres } from "@pawl/test-support/Stores"
import { live } from "@pawl/test-support/Tests"

const quiet = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provideService(effect, MinimumLogLevel, "None"))

describe("the store of a merchant", async () => {
  const shop = (id: string, place: Place, changes?: Partial<Shop>): Shop => ({
    id,
    accounts: [id],
    ledger: ledgerOf(place),
    ...changes
  })

  /**
   * Starts the second merchant with the store of the first. `meanwhile` delays the statements that
   * ask for the merchant of this store.
   */
  const check = (places: readonly [Place, Place], meanwhile: Effect.Effect<unknown, unknown>) =>
    Effect.gen(function* () {
      const [first, second] = places
      const broken: Partial<Shop> = { handle: () => Effect.fail("broken") }
      const both = [shop("shop-a", first, broken), shop("shop-b", second, broken)]
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { calls, send } = yield* make(both)
          for (const each of both) expect(yield* send(each, "100001")).toBe(200)
          yield* Effect.suspend(() => Effect.succeed(calls.length)).pipe(
            Effect.delay("10 millis"),
            Effect.repeat({ until: (count) => count >= 2 })
          )
        })
      )
      const told: Array<string> = []
      // The calls of the handlers are due again after a second.
      yield* Effect.sleep("1200 millis")
      const start = (shops: ReadonlyArray<Shop>) => Effect.exit(Effect.scoped(make(shops)))
      const delay = yield* Effect.forkChild(meanwhile)
      yield* Effect.sleep("100 millis")
      const handle = () => Effect.sync(() => void told.push("shop-b"))
      const wrong = yield* start([shop("shop-b", first, { handle })])
      expect(String(wrong)).toContain("belongs to another merchant key")
      expect(told).toEqual([])
      yield* Fiber.await(delay)
      expect(Exit.isSuccess(yield* start(both))).toBe(true)
    }).pipe(quiet)

  const hold = (place: Place) =>
    Effect.flatMap(SqlClient, (sql) =>
      sql.withTransaction(Effect.andThen(sql`LOCK TABLE pawl_settings`, Effect.sleep("1 second")))
    ).pipe(Effect.provide(client(place)))

  const file = files()
  it("is not worked on for another one: SQLite", () => check([file(), file()], Effect.void))
  await onPostgres((one) => {
    it("is not worked on for another one: PostgreSQL", () => check([one, file()], hold(one)))
  })

  live.with(() => layerMemory)("is not shared", function* () {
    const ledger = Layer.succeed(Ledger, yield* Ledger)
    const error = yield* Effect.flip(
      make(["shop-a", "shop-b"].map((id) => ({ id, key: "one", ledger })))
    )
    expect(String(error)).toContain("has the ledger of another merchant")
  })
})

live("a genuine callback that is refused is an alarm of its merchant", function* () {
  const byAccount: Shop = { id: "shop-a", accounts: ["shop-a"] }
  const byName: Shop = { id: "shop-b" }
  const { built, receive } = yield* make([byAccount, byName])
  const reasons: Array<string> = []
  for (const [id, { services }] of Context.get(built, Merchants)) {
    Context.get(services, Journal).observe((event) => {
      if (event._tag === "Alarm") reasons.push(`${id}: ${event.reason}`)
    })
  }
  const fields = { accountId: "shop-a", transactionId: "100001" }
  const callbacks = [
    callback(byAccount, fields),
    callback(byName, fields, searchOf(byName, "shop-b", "shop-a"))
  ]
  for (const each of callbacks) {
    expect(yield* receive({ ...each, contentType: "text/plain" })).toBe(415)
  }
  const refusal = "a genuine callback is refused: the content type is not JSON"
  expect(reasons).toEqual([`shop-a: ${refusal}`, `shop-b: ${refusal}`])
})

live.with(() => Profile.layer({ callbackContentType: "any" }))(
  "callbacks of any content type reach their merchant if the profile says so",
  function* () {
    const shop: Shop = { id: "shop-a", accounts: ["shop-a"] }
    const { receive } = yield* make([shop])
    const fields = { accountId: "shop-a", transactionId: "100001" }
    const plain = { ...callback(shop, fields), contentType: "text/plain" }
    expect(yield* receive(plain)).toBe(200)
  }
)

describe("a forged callback", () => {
  const shops: ReadonlyArray<Shop> = ["shop-a", "shop-b"].map((id) => ({ id, accounts: [id] }))
  const outsider: Shop = { id: "outsider" }
  const own = { transactionId: "100001", description: "x".repeat(60_000) }
  const forged: ReadonlyArray<readonly [string, string, string | undefined]> = [
    ["the account of a merchant", "shop-b", undefined],
    ["an account of nobody", "shop-x", undefined],
    ["the name of a merchant", "shop-b", "shop-b"],
    ["the name of nobody", "shop-b", "shop-x"]
  ]

  live("is answered 401 after the same work, whether its merchant is known or not", function* () {
    const { receive } = yield* make(shops)
    const parse = vi.spyOn(JSON, "parse")
    yield* Effect.addFinalizer(() => Effect.sync(() => parse.mockRestore()))
    for (const [what, accountId, name] of forged) {
      const search = name === undefined ? undefined : searchOf(outsider, name, accountId)
      const incoming = callback(outsider, { accountId, ...own }, search)
      parse.mockClear()
      const status = yield* receive(incoming)
      const bodies = parse.mock.calls.filter(([text]) => text.length > 60_000)
      expect([what, status, bodies.length]).toEqual([what, 401, 1])
    }
  })
})
