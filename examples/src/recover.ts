/**
 * Shows how to pay each order once, even when the process dies between the request and its response.
 *
 * The program stores the request with its requestId before it sends it. At the start it sends the request of
 * every order without an outcome again. If the service has processed the requestId already, it returns the
 * original response and does nothing.
 *
 * `node examples/src/recover.ts order-1` places an order and then settles all open orders. Reads
 * PAWL_BASE_URL, PAWL_MERCHANT_KEY, PAWL_MERCHANT_SECRET and ORDERS_FILE (the SQLite file of the orders) from
 * the environment.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import type { ApmPaymentInput } from "@pawl/core/ApmPayment"
import { ApmPayments } from "@pawl/http/ApmPayments"
import * as Pawl from "@pawl/http/Pawl"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

/** Stores an order with its payment request, unless the order exists. */
const place = Effect.fn("place")(function* (orderId: string) {
  const request: ApmPaymentInput = {
    requestId: `${orderId}-payment`,
    accountId: "4711",
    amount: "10.00",
    currency: "EUR",
    apmPayload: { paymentMethod: "WALLET" }
  }
  const sql = yield* SqlClient.SqlClient
  const row = { id: orderId, request: JSON.stringify(request) }
  yield* sql`INSERT INTO orders ${sql.insert(row)} ON CONFLICT (id) DO NOTHING`
})

/** Sends the request of every order without an outcome, and stores the outcome. */
const settle = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const payments = yield* ApmPayments
  const open = yield* sql<{ id: string; request: string }>`
    SELECT id, request FROM orders WHERE outcome IS NULL ORDER BY id`
  for (const { id, request } of open) {
    // An earlier run may have sent the request, so only a readable response settles the order.
    const outcome = yield* payments.create(JSON.parse(request), { inDoubt: true }).pipe(
      Effect.map(({ transactionId }) => `paid by ${transactionId}`),
      Effect.catchTag("Declined", ({ message }) => Effect.succeed(message)),
      // The order stays open. The next start sends its request again.
      Effect.catchTag("OutcomeUnknown", ({ message }) =>
        Effect.as(Effect.logWarning(message), null)
      )
    )
    yield* sql`UPDATE orders SET outcome = ${outcome} WHERE id = ${id}`
    yield* Effect.log(`${id}: ${outcome ?? "open"}`)
  }
})

const program = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, request TEXT NOT NULL, outcome TEXT)`
  yield* Effect.forEach(process.argv.slice(2), place)
  yield* settle
})

const orders = Layer.unwrap(
  Effect.map(Config.String("ORDERS_FILE"), (filename) => NodeSqlite.layer({ filename }))
)

program.pipe(Effect.provide([orders, Pawl.layerConfig]), NodeRuntime.runMain)
