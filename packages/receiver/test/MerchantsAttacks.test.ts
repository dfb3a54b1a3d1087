/** The attacker knows its own secret and all public data. */
import * as Profile from "@pawl/core/Profile"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { keepLog, pass } from "@pawl/test-support/World"
import { describe, expect, vi } from "vitest"
import { Journal } from "@pawl/webhook/Journal"
import { Ledger, layerMemory } from "@pawl/webhook/Ledger"
import { Merchants } from "../src/Merchants.ts"
import { callback, make, searchOf, type Shop } from "@pawl/test-support/MerchantWorld"
import { live, test } from "@pawl/test-support/Tests"

describe("the store of a merchant", () => {
  test("is not worked on for another one, however late the store says whose it is", function* () {
    const ledger = Context.get(yield* Layer.build(layerMemory), Ledger)
    const first: Shop = {
      id: "shop-a",
      accounts: ["shop-a"],
      ledger: Layer.succeed(Ledger, ledger),
      handle: () => Effect.fail("broken")
    }
    const scope = yield* Scope.make()
    const { calls, send } = yield* Scope.provide(make([first]), scope)
    expect(yield* send(first, "100001")).toBe(200)
    yield* pass("10 seconds")
    expect(calls.length).toBeGreaterThan(1)
    yield* Scope.close(scope, Exit.void)
    // The calls of the handler are due again.
    yield* pass("10 minutes")
    const told: Array<string> = []
    const takeOwner: typeof ledger.takeOwner = (account) =>
      Effect.delay(ledger.takeOwner(account), "1 minute")
    const handle = ({ transactionId }: { readonly transactionId: string }) =>
      Effect.sync(() => void told.push(transactionId))
    const late = Layer.succeed(Ledger, { ...ledger, takeOwner })
    const wrong = yield* Effect.forkChild(
      Effect.exit(make([{ id: "shop-b", ledger: late, handle }]))
    )
    yield* pass("2 minutes")
    expect(String(yield* Fiber.join(wrong))).toContain("belongs to another merchant key")
    expect(told).toEqual([])
    yield* make([{ ...first, handle }])
    yield* pass("1 minute")
    expect(told).toEqual(["100001"])
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

  live("is logged with the account or the name that belongs to no merchant", function* () {
    const { receive } = yield* make(shops)
    const { kept, lines } = keepLog("Warn", ({ message }) => [message].flat()[1])
    const fields = (accountId: string) => ({ accountId, transactionId: "100001" })
    yield* kept(receive(callback(outsider, fields("shop-x"))))
    yield* kept(
      receive(callback(outsider, fields("shop-b"), searchOf(outsider, "shop-z", "shop-b")))
    )
    expect(lines).toEqual([{ account: "shop-x" }, { account: "shop-b", merchant: "shop-z" }])
  })

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
