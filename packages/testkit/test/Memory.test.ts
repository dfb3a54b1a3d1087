import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, it } from "vitest"
import { Gateway } from "../src/Gateway.ts"
import { authenticate, payment, Receiver, run, send } from "./support/testGateway.ts"

setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")

/** The bytes of heap in use after a garbage collection. */
const inUse = Effect.sync(() => {
  if (typeof collect === "function") collect()
  return process.memoryUsage().heapUsed
})

const batch = Effect.fnUntraced(function* (count: number, name: string) {
  const token = yield* authenticate
  for (let at = 0; at < count; at++) {
    const { status } = yield* send("POST", "/payments/apm", {
      token,
      body: payment({ requestId: `${name}-${at}` })
    })
    assert.strictEqual(status, 200)
  }
  yield* TestClock.adjust("1 minute")
  // The received callbacks are not part of the measurement.
  ;(yield* Receiver).received.length = 0
})

it("X07: 100,000 terminal transactions fit in 500 MB, and a reset frees them", () =>
  run(
    Effect.gen(function* () {
      yield* batch(500, "warm")
      const before = yield* inUse
      const count = 1500
      yield* batch(count, "more")
      const each = ((yield* inUse) - before) / count
      assert.isBelow(each * 100_000, 500e6, `${Math.round(each)} bytes each`)
      yield* (yield* Gateway).reset
      assert.isBelow(yield* inUse, before + count * each * 0.1)
    })
  ))
