/** The payments of the benchmarks, and 64 callers that make them. */
import * as Effect from "effect/Effect"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import { createHmac, type KeyObject } from "node:crypto"

export const concurrency = 64

const fields = {
  accountId: "1001",
  apmPayload: { paymentType: "APM", paymentMethod: "EWALLET" },
  amount: "10.50",
  currency: "EUR"
}

export const details = {
  metadata: { basket: "7" },
  order: { orderId: "order-1", title: "Tea" },
  billingDetails: { firstName: "Ada", lastName: "Lovelace", email: "ada@shop.example" }
}

let count = 0

export const payment = <More extends object>(more: More) => ({
  requestId: `order-${++count}`,
  ...fields,
  ...more
})

export const signed = <Payment extends ReturnType<typeof payment<object>>>(
  plain: Payment,
  key: KeyObject | string
) => {
  const text = [plain.accountId, plain.requestId, plain.amount, plain.currency].join("|")
  return { ...plain, checksum: createHmac("sha256", key).update(text).digest("hex") }
}

export const callAll = async (times: number, call: () => Promise<unknown>): Promise<void> => {
  let left = times
  const loop = async (): Promise<void> => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: concurrency }, loop))
}

export const runAll = <R, E>(
  times: number,
  call: Effect.Effect<void, unknown, R>,
  runtime: ManagedRuntime.ManagedRuntime<R, E>
): Promise<void> =>
  runtime.runPromise(
    Effect.suspend(() => {
      let left = times
      const loop = Effect.whileLoop({
        while: () => left-- > 0,
        body: () => call,
        step: () => undefined
      })
      return Effect.all(
        Array.from({ length: concurrency }, () => loop),
        { concurrency: "unbounded", discard: true }
      )
    })
  )
