import { expect, it } from "@effect/vitest"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Merchant from "@pawl/testkit/Merchant"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { handle, Purchase, steps } from "../src/purchase.ts"

const merchant = Merchant.layer({ pace: "10 millis", handle })
const program = steps.pipe(
  Layer.provideMerge(merchant),
  Layer.provideMerge(WorkflowEngine.layerMemory)
)

it.live("pays an order once, however often its workflow is executed, and returns the status", () =>
  Effect.gen(function* () {
    const execute = Purchase.execute({ orderId: "order-1" })
    const presses = Effect.replicateEffect(execute, 3, { concurrency: "unbounded" })
    expect(yield* presses).toEqual(["SUCCEED", "SUCCEED", "SUCCEED"])
    expect(yield* execute).toBe("SUCCEED")
    expect(yield* Gateway.use(({ transactions }) => transactions)).toHaveLength(1)
  }).pipe(Effect.provide(program))
)
