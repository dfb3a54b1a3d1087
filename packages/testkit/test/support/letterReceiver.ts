/**
 * A receiver that follows the specification to the letter: it ranks by the example ranking, and
 * reads nothing from the service.
 */
import { createHmac } from "node:crypto"
import { names } from "./receiver.ts"

const ranks: Readonly<Record<string, number>> = {
  NEW: 1,
  PENDING: 2,
  PROCESSING: 3,
  CUSTOMER_VERIFICATION: 3,
  SUCCEED: 10,
  FAILED: 10,
  REFUNDED: 11,
  CHARGEBACK: 12
}

export const letterReceiver = (secret: string) => {
  const stored = new Map<string, string>()
  const seen = new Set<string>()
  const handle = (query: URLSearchParams, text: string, checksum: string | null): number => {
    const body = JSON.parse(text) as Readonly<Record<string, string>>
    const method = query.get("paymentMethod") === "card" ? "card" : "apm"
    const signed = names[method].map((name) => body[name]).join("|")
    if (createHmac("sha256", secret).update(signed).digest("base64") !== checksum) return 400
    const { transactionId = "", transactionStatus = "" } = body
    if (seen.has(`${transactionId} ${transactionStatus}`)) return 200
    seen.add(`${transactionId} ${transactionStatus}`)
    const key = `${method} ${transactionId}`
    if ((ranks[transactionStatus] ?? 0) > (ranks[stored.get(key) ?? ""] ?? 0)) {
      stored.set(key, transactionStatus)
    }
    return 200
  }
  return {
    send: async (request: Request) => {
      const { searchParams } = new URL(request.url)
      const status = handle(searchParams, await request.text(), request.headers.get("x-checksum"))
      return new Response(null, { status })
    },
    status: (method: "card" | "apm", id: string) => stored.get(`${method} ${id}`)
  }
}
