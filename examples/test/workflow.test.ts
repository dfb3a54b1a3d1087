import * as Handler from "@pawl/core/Handler"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { expect, it } from "vitest"
import { handler, Shop, steps } from "../src/workflow.ts"
import { transition } from "./transition.ts"

it("ships a confirmed payment once, however often it is told, and asks for a review two weeks later", () => {
  const done: Array<string> = []
  const note = (what: string) => (orderId: string) =>
    Effect.sync(() => void done.push(`${what} ${orderId}`))
  const shop = Layer.succeed(Shop, { ship: note("ship"), askForReview: note("ask about") })
  return Effect.gen(function* () {
    const { handle } = yield* Handler.Handler
    for (const sequence of [1, 2, 3, 4, 4, 5]) yield* handle(transition("100001", sequence))
    yield* handle({ ...transition("100002", 4), confirmed: false })
    yield* handle({ ...transition("100003", 4), kind: "refund" })
    yield* TestClock.adjust("1 minute")
    expect(done).toEqual(["ship order-100001"])
    yield* handle(transition("100001", 4, 2))
    yield* TestClock.adjust("13 days")
    expect(done).toEqual(["ship order-100001"])
    yield* TestClock.adjust("1 day")
    expect(done).toEqual(["ship order-100001", "ask about order-100001"])
    yield* handle({ ...transition("100001", 4), kind: "apm-payment", requestId: "order-2" })
    yield* TestClock.adjust("1 minute")
    expect(done.at(-1)).toBe("ship order-2")
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        Layer.mergeAll(handler, Layer.provide(steps, shop)),
        Layer.provideMerge(WorkflowEngine.layerMemory, TestClock.layer())
      )
    ),
    Effect.scoped,
    Effect.runPromise
  )
})
