/** Callbacks like those of the service, about 600 bytes each, signed for pawl, Stripe and Svix. */
import { createHmac } from "node:crypto"

export const secret = "merchant-secret"
/** Secret for Svix, whose keys are base64. */
export const svixSecret = `whsec_${Buffer.from(secret).toString("base64")}`
export const search = "?paymentMethod=apm&apmType=EWALLET"

export interface Callback {
  readonly transactionId: string
  readonly text: string
  readonly bytes: Uint8Array
  readonly checksum: string
  readonly stripe: string
  readonly svix: Readonly<Record<"svix-id" | "svix-timestamp" | "svix-signature", string>>
}

const hmac = (text: string) => createHmac("sha256", secret).update(text)

/** With `numbers` the ids and amounts are JSON numbers. */
export const make = (id: number, numbers = false): Callback => {
  const write = (text: string): string | number => (numbers ? Number(text) : text)
  const transactionId = String(100_000_000 + id)
  const text = JSON.stringify({
    transactionId: write(transactionId),
    transactionStatus: "PENDING",
    accountId: write("1001"),
    amount: write("10.5"),
    currency: "EUR",
    apmType: "EWALLET",
    paymentType: "APM",
    requestId: `order-${transactionId}`,
    createdTime: "2030-01-01T00:00:00.000Z",
    metadata: { basket: "7f1c9a52", campaign: "spring", customer: "c-4711", shop: "north" },
    apmResponseData: {
      actionType: "REDIRECTION",
      providerTransactionId: `provider-${transactionId}`,
      redirectUrl: `https://payments.example/wallet/${transactionId}/continue`,
      paymentType: "APM",
      paymentMethod: "EWALLET"
    },
    order: { orderId: `order-${transactionId}`, title: "Tea, a pot and two cups" }
  })
  const at = Math.floor(Date.now() / 1000)
  const checksum = hmac(`1001|10.5|EUR|${transactionId}`).digest("base64")
  return {
    transactionId,
    text,
    bytes: Buffer.from(text),
    checksum,
    stripe: `t=${at},v1=${hmac(`${at}.${text}`).digest("hex")}`,
    svix: {
      "svix-id": transactionId,
      "svix-timestamp": String(at),
      "svix-signature": `v1,${hmac(`${transactionId}.${at}.${text}`).digest("base64")}`
    }
  }
}

export const forged = (callback: Callback): Callback => {
  const wrong = (text: string): string =>
    `${text.slice(0, -6)}${text.endsWith("AAAAA=") ? "B" : "A"}AAAA=`
  return {
    ...callback,
    checksum: wrong(callback.checksum),
    stripe: `${callback.stripe.slice(0, -6)}000000`,
    svix: { ...callback.svix, "svix-signature": wrong(callback.svix["svix-signature"]) }
  }
}
