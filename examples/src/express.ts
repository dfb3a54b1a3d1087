/**
 * A plain Express app that takes payments, without a word of Effect: `express/payments.ts` makes
 * promises of it.
 *
 * Takes PAWL_BASE_URL, PAWL_MERCHANT_KEY and PAWL_MERCHANT_SECRET from the environment, and PORT, which
 * is 4040 otherwise.
 *
 * ```sh
 * curl http://127.0.0.1:4040/orders -H 'content-type: application/json' -d '{"orderId":"17","amount":"10.00"}'
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
  PORT = "4040"
} = process.env

/** Where each order stands; in a real shop, a table. */
const orders = new Map<string, string>()

const payments = await open({
  baseUrl,
  merchantKey,
  merchantSecret,
  onChange: (orderId, status) => {
    orders.set(orderId, status)
  }
})

const app = express()

// Before whatever parses bodies: a callback is verified by the bytes as they came.
app.all("/callback", payments.callbacks)
app.use(express.json())

// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Express 5 takes on what rejects
app.post("/orders", async (request, response) => {
  const { amount, orderId } = request.body as { readonly amount: string; readonly orderId: string }
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
  const isTheirs = error._tag === "ValidationFailed"
  response.status(isTheirs ? 400 : 502).json({ message: error.message })
}
app.use(failed)

const server = app.listen(Number(PORT), "127.0.0.1", () => console.log(`ready ${address()}`))
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

process.once("SIGTERM", () => server.close(() => void payments.close()))
