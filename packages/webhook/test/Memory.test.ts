/**
 * The ledger in memory changes its rows where they lie: nobody else may see that.
 */
import * as Evidence from "@pawl/core/Evidence"
import * as Effect from "effect/Effect"
import { expect, it } from "@effect/vitest"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import type { Row } from "../src/Row.ts"
import { apm, verified } from "./service.ts"

it.effect("a row that was handed out stays as it was, whatever comes then", () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const [id, at] = ["100001", 1000]
    const come = (transactionStatus: string) =>
      ledger.accept(verified("apm", apm({ transactionId: id, transactionStatus })), at)
    yield* come("NEW")
    const got = yield* ledger.get("apm", id)
    const early = structuredClone(got)
    yield* come("NEW")
    expect(got).toEqual(early)
    const [leased] = (yield* ledger.claim({ at, until: 2 * at, limit: 1 })).rows
    if (got === undefined || leased === undefined) return expect.unreachable("there is a row")
    const deadLetter = { reason: "handler-failed", at, to: undefined } as const
    const written = yield* ledger.write(leased, { deadLetter, told: "NEW" })
    const handedOut: ReadonlyArray<Row | undefined> = [
      got,
      leased,
      written,
      ...(yield* ledger.deadLetters)
    ]
    expect(handedOut.map((row) => row?.told)).toEqual([undefined, undefined, "NEW", "NEW"])
    const before = structuredClone(handedOut)

    yield* come("PENDING")
    yield* come("PENDING")
    yield* ledger.register({ kind: "apm-payment", transactionId: id, amount: "1.00" }, 2 * at)
    yield* ledger.write(leased, { evidence: Evidence.confirmed("SUCCEED"), attempt: 7 })
    yield* ledger.redrive({ method: "apm", transactionId: id }, 3 * at)
    yield* ledger.forget({ before: 4 * at, limit: 9 })
    expect(handedOut).toEqual(before)
    expect(yield* ledger.get("apm", id)).toMatchObject({
      callbacks: 4,
      attempt: 7,
      newestCallbacks: {}
    })
  }).pipe(Effect.provide(layerMemory))
)
