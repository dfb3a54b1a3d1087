/**
 * Shows a shop on Express and SQLite in plain JavaScript. An order that was placed is paid once, even if this process
 * is killed before the service has answered.
 *
 * Reads PAWL_BASE_URL, PAWL_MERCHANT_KEY, PAWL_MERCHANT_SECRET, SHOP_FILE and PORT from the environment.
 */
import express from "express"
import { DatabaseSync } from "node:sqlite"
import { Declined, open } from "pawl"

const { PORT = "3000", SHOP_FILE = "shop.db" } = process.env
const database = new DatabaseSync(SHOP_FILE)
database.exec("CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, status TEXT NOT NULL)")
const place = database.prepare("INSERT OR IGNORE INTO orders VALUES (?, 'PLACED')")
const change = database.prepare("UPDATE orders SET status = ? WHERE id = ?")
const find = database.prepare("SELECT id, status FROM orders WHERE id = ?")

const pawl = await open({
  store: `sqlite:${SHOP_FILE}.pawl`,
  publicUrl: `http://127.0.0.1:${PORT}`,
  onChange: ({ requestId, to }) => change.run(to, requestId)
})

const app = express().use(pawl.express()).use(express.json())
app.post("/orders/:id", async ({ body: { amount }, params: { id } }, response) => {
  place.run(id)
  const payment = { requestId: id, accountId: "4711", amount, currency: "EUR" }
  await pawl.apmPayments.create({ ...payment, apmPayload: { paymentMethod: "WALLET" } })
  response.status(201).json(find.get(id))
})
app.get("/orders/:id", ({ params: { id } }, response) => response.json(find.get(id) ?? null))
app.use((error, _request, response, _next) =>
  response.status(error instanceof Declined ? 402 : 502).json({ message: error.message })
)
const server = app.listen(PORT, "127.0.0.1", () => console.log(`ready http://127.0.0.1:${PORT}`))
process.once("SIGTERM", () => server.close(() => void pawl.close()))
