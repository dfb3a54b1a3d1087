import { forAll } from "@pawl/test-support/Properties"
import { isKnown, type Kind, type KnownKind, kindsOf, type Method, methodOf } from "@pawl/core/Kind"
import { apm, card, incoming } from "@pawl/test-support/Service"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as KindHints from "../src/internal/rule/KindHints.ts"

const known = [...kindsOf.apm, ...kindsOf.card]
const methods = fc.constantFrom<Method>("apm", "card")
const hints = fc.record({ namesPayout: fc.boolean(), namesRefund: fc.boolean() })
const none = { namesPayout: false, namesRefund: false }
const ages = fc.oneof(fc.nat({ max: 59_999 }), fc.integer({ min: 60_000, max: 2 ** 40 }))

it("a read asks for the known kind, else for those that callbacks name, then for payments for 60 seconds, and later for all", () =>
  forAll([fc.constantFrom<Kind>("apm", "card", ...known), hints, ages], (kind, hints, age) => {
    const named = (method: Method) => {
      const [payment, payout, ...refund] = kindsOf[method]
      return [
        ...(hints.namesPayout ? [payout] : []),
        ...(hints.namesRefund ? refund : []),
        age < 60_000 ? payment : method
      ]
    }
    const asked = KindHints.asked({ kind, ...hints }, age)
    expect(asked).toEqual(isKnown(kind) ? [kind] : named(kind))
  }))

describe("a callback", () => {
  const of = (method: Method, body: object, path?: string) =>
    KindHints.ofCallback({ method, body: { ...body }, path, transactionId: "7" })
  const payout = { ...none, namesPayout: true }
  const refund = { ...none, namesRefund: true }

  it.each([
    "PAYOUT",
    "payouts",
    "APM_PAYOUT",
    "card-payout",
    "/payouts",
    "/a/payout/callback",
    "/CardPayout"
  ])("names a payout with %s as its type or in its path", (word) => {
    for (const method of ["apm", "card"] as const) {
      expect(of(method, { type: word })).toEqual(payout)
      expect(of(method, { transactionType: word, refundId: "8" })).toEqual(payout)
      expect(of(method, { type: 1 }, word)).toEqual(payout)
    }
  })

  it.each(["REFUND", "refunds", "CARD_REFUND", "/refunds", "/callback/card-refund/"])(
    "names a refund with %s as its type or in its path, unless it is by another method or has the id of its payment",
    (word) => {
      for (const refundId of [undefined, null, "7", 7]) {
        expect(of("card", { type: word, refundId })).toEqual(refund)
        expect(of("card", { refundId }, word)).toEqual(refund)
      }
      for (const refundId of ["8", 8, {}]) {
        expect(of("card", { type: word, refundId }, word)).toEqual(none)
      }
      expect(of("apm", { type: word, refundId: "7" }, word)).toEqual(none)
    }
  )

  it.each(["", "/", "/callback", "PAYMENT", "/payoutservice", "/my-refunds", "/payout.example/"])(
    "names nothing with %s",
    (word) => {
      expect(of("card", { type: word, transactionType: word }, word)).toEqual(none)
      expect(of("card", {}, undefined)).toEqual(none)
    }
  )

  it("names a refund by its own id", () => {
    expect(of("card", { refundId: "7" }, "/payouts")).toEqual({ ...payout, namesRefund: true })
  })
})

/** Milliseconds after which each endpoint knows the id. */
const knownFrom = fc.record(
  Object.fromEntries(known.map((kind) => [kind, fc.constantFrom(0, 3000, Infinity)])) as Record<
    KnownKind,
    fc.Arbitrary<number>
  >
)
const paths = fc.constantFrom("/callback", "/callback/payouts", "/callback/refunds")

it("within 60 seconds of its first callback a row of unknown kind is told as the first of the named kinds and payments that the service knows, and as fast as a payment", () =>
  test.forAll([methods, paths, knownFrom], { numRuns: 60 }, function* (method, path, knownFrom) {
    const { receiveRequest, ...world } = yield* World.started({
      limits: { readsPerSecond: Infinity },
      read: ({ at, kind }) =>
        at >= knownFrom[kind as KnownKind] ? Effect.succeed("SUCCEED") : World.notFound
    })
    const body = method === "card" ? card() : apm()
    yield* receiveRequest(incoming(method, body, { path }))
    yield* World.pass("59 seconds")
    const named = known.filter(
      (kind) =>
        methodOf(kind) === method &&
        (kind.endsWith("payment") || path.endsWith(kind.replace(/^\w+-/u, "") + "s"))
    )
    const at = Math.min(...named.map((kind) => knownFrom[kind]))
    const isFirst = (kind: KnownKind) => !kind.endsWith("payment")
    const first = named
      .filter((kind) => knownFrom[kind] === at)
      .toSorted((one, two) => Number(isFirst(two)) - Number(isFirst(one)))
    const told = world.calls.map(({ at, kind }) => [kind, at])
    expect(told).toEqual(at === Infinity ? [] : [[first[0], at]])
  }))
