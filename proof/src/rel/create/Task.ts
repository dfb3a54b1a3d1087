/**
 * The task of a merchant's process in `rel create`, and its orders.
 */

/** The points at which a process ends itself, from the call of the merchant to the end of the handler. */
export const marks = [
  "before the write",
  "written",
  "in the transaction",
  "before the commit",
  "claimed",
  "begun",
  "before the first byte",
  "answered",
  "before the outcome",
  "settled",
  "before the release",
  "released",
  "before it is told",
  "told",
  "before the handler",
  "handled"
] as const

export type Mark = (typeof marks)[number]

/** With `mark` undefined the process ends when it is killed. Even orders are sent, odd ones are enqueued. */
export interface Task {
  readonly baseUrl: string
  readonly store: string
  readonly orders: ReadonlyArray<number>
  readonly mark: Mark | undefined
  readonly times: number
  /** The merchant key, if it is not that of the sandbox. */
  readonly merchantKey?: string
}

export const orderId = (order: number): string => `order-${order}`

/** The payment of an order. */
export const payment = (order: number) => ({
  requestId: orderId(order),
  accountId: "4711",
  amount: `${10 + (order % 90)}.00`,
  currency: "EUR",
  apmPayload: { paymentMethod: "EWALLET" as const },
  metadata: { order: String(order) }
})
