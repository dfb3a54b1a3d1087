/**
 * Shows a callback handler with common mistakes, and what `conform` reports about it. It verifies the checksum,
 * ranks the statuses and answers when it has stored, but believes forged statuses, loses writes and accepts malformed
 * callbacks.
 *
 * Reads PAWL_MERCHANT_SECRET and PORT from the environment. `/transactions/{method}/{transactionId}` returns
 * the status that it stored.
 */
import { createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

const { PAWL_MERCHANT_SECRET: secret = "", PORT: port = "4020" } = process.env

const ranks: Readonly<Record<string, number>> = {
  NEW: 1,
  PENDING: 2,
  PROCESSING: 3,
  CUSTOMER_VERIFICATION: 3,
  SUCCEED: 10,
  FAILED: 10,
  CANCELLED: 10,
  REFUNDED: 11,
  CHARGEBACK: 12
}

/** A database whose reads and writes take 2 ms. */
const rows = new Map<string, string>()
const load = async (id: string) => {
  await sleep(2)
  return rows.get(id)
}
const save = async (id: string, status: string) => {
  await sleep(2)
  rows.set(id, status)
}

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
  const [, resource, , id = ""] = pathname.split("/")
  if (resource === "transactions") {
    const status = rows.get(id)
    response.writeHead(status === undefined ? 404 : 200).end(JSON.stringify({ status }))
    return
  }

  const body = (await json(request).catch(() => ({}))) as Readonly<Record<string, string>>
  const signed =
    searchParams.get("paymentMethod") === "card"
      ? [body["mid"], body["orderAmount"], body["orderCurrency"], body["transactionId"]]
      : [body["accountId"], body["amount"], body["currency"], body["transactionId"]]
  const checksum = createHmac("sha256", secret).update(signed.join("|")).digest("base64")
  if (checksum !== request.headers["x-checksum"]) {
    response.writeHead(400).end()
    return
  }

  const { transactionId = "", transactionStatus = "" } = body
  const stored = await load(transactionId)
  if ((ranks[transactionStatus] ?? 0) > (ranks[stored ?? ""] ?? 0)) {
    await save(transactionId, transactionStatus)
  }
  response.end()
}

const server = createServer((request, response) => void handle(request, response))

server.listen(Number(port), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  console.log(`ready http://127.0.0.1:${port}/callback`)
})
