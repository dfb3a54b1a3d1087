/**
 * A shop that sells on the hosted page: it takes an order, sends the customer there, and ships once the
 * service itself has confirmed the payment. That the customer came back confirms nothing.
 *
 * Orders, shipments and what the receiver knows are in one database, and `commit` runs in the very
 * transaction that marks a change as told: whenever the process dies, an order is shipped once.
 *
 * `examples/src/shop.ts` serves it, `examples/test/shop.test.ts` tests it in virtual time.
 */
import * as NodeHmac from "@pawl/core/NodeHmac"
import { PaymentIntents } from "@pawl/http/PaymentIntents"
import { CallbackUrl, layer as layerCallbackUrl } from "@pawl/webhook/CallbackUrl"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"

/** Places an order, and returns the page where it is paid. `shopUrl` is where the shop is found. */
export const place = Effect.fn("Shop.place")(function* (
  order: { readonly orderId: string; readonly amount: string },
  shopUrl: string
) {
  const { amount, orderId } = order
  const sql = yield* SqlClient
  yield* sql`INSERT INTO orders ${sql.insert({ id: orderId, amount })} ON CONFLICT (id) DO NOTHING`

  const request = { requestId: orderId, mid: "shop-1", amount, currency: "EUR" }
  const { make } = yield* CallbackUrl
  const intents = yield* PaymentIntents
  const { redirectUrl } = yield* intents.create({
    ...request,
    type: "PAYMENT",
    lang: "en",
    billingDetails: { email: "ada@shop.example" },
    order: { orderId },
    device: {},
    // The URL names the order, so that every callback does.
    callbackUrl: yield* make(`${shopUrl}/callback`, "payment", request),
    successRedirectUrl: `${shopUrl}/orders/${orderId}`,
    failureRedirectUrl: `${shopUrl}/orders/${orderId}`
  })
  return redirectUrl
})

/** Tells by which transaction an order was paid and shipped, if it was. */
export const shippedBy = Effect.fn("Shop.shippedBy")(function* (orderId: string) {
  const sql = yield* SqlClient
  const [shipment] = yield* sql<{ readonly transaction_id: string }>`
    SELECT transaction_id FROM shipments WHERE order_id = ${orderId}`
  return shipment?.transaction_id
})

const handler = LedgerSql.handler({
  handle: ({ requestId, to, transactionId }) =>
    Effect.log(`${requestId}: ${transactionId} is ${to}`),
  // An order may be paid at the second try, so it may have several transactions.
  commit: ({ requestId, to, transactionId }) =>
    to === "SUCCEED"
      ? Effect.flatMap(SqlClient, (sql) => {
          const shipment = { order_id: requestId, transaction_id: transactionId }
          return sql`INSERT INTO shipments ${sql.insert(shipment)} ON CONFLICT (order_id) DO NOTHING`
        })
      : Effect.void
})

const tables = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, amount TEXT NOT NULL)`
    yield* sql`CREATE TABLE IF NOT EXISTS shipments
      (order_id TEXT PRIMARY KEY REFERENCES orders (id), transaction_id TEXT NOT NULL)`
  })
)

/** Everything but the client, which is the one thing that a test swaps. */
export const layer = (filename: string, merchantSecret: Redacted.Redacted) =>
  Receiver.layer().pipe(
    Layer.provide([handler, Verifier.layer({ current: merchantSecret })]),
    Layer.provideMerge(layerCallbackUrl(merchantSecret)),
    Layer.provide([NodeHmac.layer, tables]),
    Layer.provideMerge(LedgerSql.layer),
    Layer.provideMerge(NodeSqlite.layer({ filename }))
  )
