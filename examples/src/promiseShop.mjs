/**
 * Shows a shop on Express and SQLite in plain JavaScript, which sells on the hosted page. An order that was placed has one
 * page and is paid once, even if this process is killed before the service has answered.
 *
 * Reads PAWL_BASE_URL, PAWL_MERCHANT_KEY, PAWL_MERCHANT_SECRET, SHOP_FILE and PORT from the environment.
 */
import express from "express"
import { DatabaseSync } from "node:sqlite"
import { open } from "pawl"

const { PORT = "3000", SHOP_FILE = "shop.db" } = process.env
const url = `http://127.0.0.1:${PORT}`
const database = new DatabaseSync(SHOP_FILE)
database.exec("CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, status TEXT NOT NULL)")
const place = database.prepare("INSERT OR IGNORE INTO orders VALUES (?, 'PLACED')")
const pay = database.prepare("UPDATE orders SET status = 'PAID' WHERE id = ?")
const find = database.prepare("SELECT id, status FROM orders WHERE id = ?")

const pawl = await open({
  store: `sqlite:${SHOP_FILE}.pawl`,
  publicUrl: url,
  onChange: ({ requestId, to }) => (to === "SUCCEED" ? pay.run(requestId) : undefined)
})

const app = express().use(pawl.express()).use(express.json())
const page = { mid: "shop-1", type: "PAYMENT", lang: "en", currency: "EUR", device: {} }
app.post("/orders/:id", async ({ body: { amount, email }, params: { id } }, response) => {
  place.run(id)
  const order = { requestId: id, amount, order: { orderId: id }, billingDetails: { email } }
  const back = `${url}/orders/${id}`
  const urls = { successRedirectUrl: back, failureRedirectUrl: back }
  const { redirectUrl } = await pawl.paymentIntents.create({ ...page, ...order, ...urls })
  response.status(201).json({ ...find.get(id), page: redirectUrl })
})
app.get("/orders/:id", ({ params: { id } }, response) => response.json(find.get(id) ?? null))
app.use(({ code, message }, _request, response, _next) =>
  response.status(code === "ValidationFailed" ? 400 : 502).json({ code, message })
)
const server = app.listen(PORT, "127.0.0.1", () => console.log(`ready ${url}`))
process.once("SIGTERM", () => server.close(() => void pawl.close()))
