/**
 * Shows a shop with a hosted payment page: it takes an order, sends the customer to the page, and ships after
 * the service has confirmed the payment. The return of the customer to the shop confirms nothing.
 *
 * All is in one database. An order and the request for its page are written in one transaction,
 * before anything is sent. `commit` of the handler runs in the transaction that marks the
 * transition as told, so an order is shipped once. Money that went back stops the shipment.
 *
 * `examples/src/shop.ts` serves it. `examples/test/shop.test.ts` tests it in virtual time.
 */
import * as NodeHmac from "@pawl/core/NodeHmac"
import type { RequestInput } from "@pawl/core/RequestSender"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Requests from "@pawl/webhook/Requests"
import * as Seal from "@pawl/webhook/Seal"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { SqlClient } from "effect/sql/SqlClient"

/** The prices of the shop. A price that comes with the order is the customer's. */
const prices = { tea: "10.00", teapot: "25.00" }

/** An article of the shop. */
export const Item = Schema.Literals(["tea", "teapot"])

/** A customer waits this long for the page. After it a request that was never sent is not sent. */
const orderTimeout = Duration.toMillis(Duration.minutes(5))

/**
 * Places an order and returns the address of its payment page. `shopUrl` is the address of the shop. An order that is
 * placed again gets the same page, and fails with `RequestConflict` if its price is another one.
 */
export const place = Effect.fn("Shop.place")(function* (
  { item, orderId }: { readonly orderId: string; readonly item: typeof Item.Type },
  shopUrl: string
) {
  const amount = prices[item]
  const intent: RequestInput<"payment-intent"> = {
    requestId: orderId,
    mid: "shop-1",
    amount,
    currency: "EUR",
    type: "PAYMENT",
    lang: "en",
    billingDetails: { email: "ada@shop.example" },
    order: { orderId },
    device: {},
    callbackUrl: `${shopUrl}/callback`,
    successRedirectUrl: `${shopUrl}/orders/${orderId}`,
    failureRedirectUrl: `${shopUrl}/orders/${orderId}`
  }
  const { enqueue, send } = yield* Requests.Requests
  const transactions = yield* LedgerSql.Transactions
  const expiresAt = (yield* Clock.currentTimeMillis) + orderTimeout
  yield* transactions.run(
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`INSERT INTO orders ${sql.insert({ id: orderId, amount })} ON CONFLICT (id) DO NOTHING`
      yield* enqueue("payment-intent", intent, { expiresAt })
    })
  )
  // Sends the request now, or waits for the worker that sends it.
  const { redirectUrl } = yield* send("payment-intent", intent)
  return redirectUrl
})

/** Returns the id of the transaction that paid a shipped order, or undefined. Money that went back pays nothing. */
export const shippedBy = Effect.fn("Shop.shippedBy")(function* (orderId: string) {
  const sql = yield* SqlClient
  const [shipment] = yield* sql<{ readonly transaction_id: string }>`
    SELECT transaction_id FROM shipments WHERE order_id = ${orderId} AND stopped_by IS NULL`
  return shipment?.transaction_id
})

const handler = LedgerSql.handler({
  handle: ({ requestId, to, transactionId }) =>
    Effect.log(`${requestId}: ${transactionId} is ${to}`),
  // An order has several transactions when its first payment fails and a second one succeeds.
  commit: ({ requestId, to, transactionId }) =>
    Effect.flatMap(SqlClient, (sql) => {
      if (to === "SUCCEED") {
        const shipment = { order_id: requestId, transaction_id: transactionId }
        return Effect.asVoid(
          sql`INSERT INTO shipments ${sql.insert(shipment)} ON CONFLICT (order_id) DO NOTHING`
        )
      }
      return to === "REFUNDED" || to === "CHARGEBACK"
        ? Effect.asVoid(
            sql`UPDATE shipments SET stopped_by = ${to} WHERE transaction_id = ${transactionId}`
          )
        : Effect.void
    })
})

const tables = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, amount TEXT NOT NULL)`
    yield* sql`CREATE TABLE IF NOT EXISTS shipments
      (order_id TEXT PRIMARY KEY REFERENCES orders (id), transaction_id TEXT NOT NULL, stopped_by TEXT)`
  })
)

/** Layer of the whole shop except the client, which a test replaces. */
export const layer = (filename: string, merchantSecret: Redacted.Redacted) => {
  const receiver = Receiver.layer().pipe(
    Layer.provide([handler, Verifier.layer({ current: merchantSecret })])
  )
  const requests = Requests.layer().pipe(
    Layer.provide([CallbackUrl.layer(merchantSecret), Seal.layer({ current: merchantSecret })])
  )
  return Layer.merge(receiver, requests).pipe(
    Layer.provide([NodeHmac.layer, tables]),
    Layer.provideMerge(LedgerSql.layer),
    Layer.provideMerge(NodeSqlite.layer({ filename }))
  )
}
