/**
 * Pays each order once, also when the process dies between the request and its answer.
 *
 * What is to be sent is stored before it is sent, its requestId among it. An order without an outcome
 * was not sent, or its answer was lost: either way the same request is sent, and under a requestId that
 * it knows the service answers with the original. So there is no other path for recovery.
 *
 * `node examples/src/recover.ts order-1` places an order, and settles it and all that are open. Takes
 * PAWL_BASE_URL, PAWL_MERCHANT_KEY and PAWL_MERCHANT_SECRET from the environment, and the file of the
 * orders from ORDERS_FILE.
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

/** Stores an order with the request that pays it; one that is there stays as it is. */
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

/** Sends the request of every order without an outcome, and stores what came of it. */
const settle = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const payments = yield* ApmPayments
  const open = yield* sql<{ id: string; request: string }>`
    SELECT id, request FROM orders WHERE outcome IS NULL ORDER BY id`
  for (const { id, request } of open) {
    const outcome = yield* payments.create(JSON.parse(request)).pipe(
      Effect.map(({ transactionId }) => `paid by ${transactionId}`),
      Effect.catchTag("Declined", ({ message }) => Effect.succeed(message)),
      // It stays open, and is sent again at the next start.
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
