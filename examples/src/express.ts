/**
 * Shows payments in an Express app with promises only. `express/payments.ts` wraps the client and the receiver.
 *
 * Reads PAWL_BASE_URL, PAWL_MERCHANT_KEY, PAWL_MERCHANT_SECRET, SHOP_FILE (the SQLite file of the requests, default shop.db)
 * and PORT (default 4040) from the environment.
 *
 * ```sh
 * curl http://127.0.0.1:4040/orders -H 'content-type: application/json' -d '{"orderId":"17","item":"tea"}'
 * curl http://127.0.0.1:4040/orders/17
 * ```
 */
import express, { type ErrorRequestHandler } from "express"
import type { AddressInfo } from "node:net"
import { open } from "./express/payments.ts"

const {
  PAWL_BASE_URL: baseUrl = "",
  PAWL_MERCHANT_KEY: merchantKey = "",
  PAWL_MERCHANT_SECRET: merchantSecret = "",
  PORT = "4040",
  SHOP_FILE: filename = "shop.db"
} = process.env

/** The prices of the shop. A price that comes with the order is the customer's. */
const prices = new Map([
  ["tea", "10.00"],
  ["teapot", "25.00"]
])

/** The status of each order, also REFUNDED and CHARGEBACK. A real shop has a table for it. */
const orders = new Map<string, string>()

const payments = await open({
  baseUrl,
  merchantKey,
  merchantSecret,
  filename,
  onChange: (orderId, status) => {
    orders.set(orderId, status)
  }
})

const app = express()

// Before any body parser: the checksum of a callback is verified on the raw bytes.
app.all("/callback", payments.callbacks)
app.use(express.json())

// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Express 5 handles rejected promises
app.post("/orders", async (request, response) => {
  const { item, orderId } = request.body as { readonly item: string; readonly orderId: string }
  const amount = prices.get(item)
  if (amount === undefined) {
    response.status(400).json({ message: "item: the shop does not have it" })
    return
  }
  const status = await payments.pay({ orderId, amount, callbackUrl: `${address()}/callback` })
  response.status(201).json({ orderId, status })
})

app.get("/orders/:orderId", ({ params: { orderId } }, response) => {
  const status = orders.get(orderId)
  response.status(status === undefined ? 404 : 200).json({ orderId, status })
})

const failed: ErrorRequestHandler = (
  error: { readonly _tag?: string; message: string },
  _,
  response,
  _next
) => {
  const isClientError = error._tag === "ValidationFailed"
  if (!isClientError) console.error(error)
  response.status(isClientError ? 400 : 502).json({ message: error.message })
}
app.use(failed)

const server = app.listen(Number(PORT), "127.0.0.1", () => console.log(`ready ${address()}`))
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

process.once("SIGTERM", () => server.close(() => void payments.close()))
