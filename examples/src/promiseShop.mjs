/**
 * Shows a shop on Express and SQLite: `curl 127.0.0.1:3000/orders/17 --json '{"email":"ada@shop.example","item":"tea"}'`.
 * An order is paid once, even after kill -9. Reads PAWL_BASE_URL, PAWL_MERCHANT_KEY, PAWL_MERCHANT_SECRET, SHOP_FILE, PORT.
 */
import express from "express"
import { DatabaseSync } from "node:sqlite"
import { open } from "pawl"

const prices = { __proto__: null, tea: "10.00", teapot: "25.00" }
const states = { SUCCEED: ["PAID", 10], REFUNDED: ["REFUNDED", 11], CHARGEBACK: ["DISPUTED", 12] }
const { PORT = "3000", SHOP_FILE = "promiseShop.db" } = process.env
const url = `http://127.0.0.1:${PORT}`
const db = new DatabaseSync(SHOP_FILE)
db.exec("CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, status TEXT, rank INT)")
const set = db.prepare("UPDATE orders SET status = ?, rank = ? WHERE id = ? AND rank < ?")
const find = db.prepare("SELECT id, status FROM orders WHERE id = ?")

const pawl = await open({
  store: `sqlite:${SHOP_FILE}.pawl`,
  publicUrl: url,
  onChange: ({ requestId, to }) =>
    void (to in states && set.run(...states[to], requestId, states[to][1]))
})

const app = express().use(pawl.express()).use(express.json())
const page = { mid: "shop-1", type: "PAYMENT", lang: "en", currency: "EUR", device: {} }
app.post("/orders/:id", async ({ body: { email, item }, params: { id } }, response) => {
  db.prepare("INSERT OR IGNORE INTO orders VALUES (?, 'PLACED', 0)").run(id)
  const order = { requestId: id, amount: prices[item] ?? "no price", order: { orderId: id } }
  const back = `${url}/orders/${id}`
  const payer = { billingDetails: { email }, successRedirectUrl: back, failureRedirectUrl: back }
  const { redirectUrl } = await pawl.paymentIntents.create({ ...page, ...order, ...payer })
  response.status(201).json({ ...find.get(id), page: redirectUrl })
})
app.get("/orders/:id", ({ params: { id } }, response) => response.json(find.get(id) ?? null))
app.use(({ code, message }, _request, response, _next) =>
  response.status(code === "ValidationFailed" ? 400 : 502).json({ code, message })
)
const server = app.listen(PORT, "127.0.0.1", () => console.log(`ready ${url}`))
process.once("SIGTERM", () => server.close(() => void pawl.close()))
