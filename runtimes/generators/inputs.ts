import { createHmac } from "node:crypto"

const [, , origin = "", token = "", subscriptionId = ""] = process.argv

export { origin, subscriptionId, token }

export const paymentOf = (requestId: string) => {
  const fields = { accountId: "77", requestId, amount: "10.50", currency: "EUR" }
  const checksum = createHmac("sha256", "sandbox-secret")
    .update(Object.values(fields).join("|"))
    .digest("hex")
  return { ...fields, apmPayload: { paymentMethod: "WALLET" }, ...urls, checksum }
}

export const urls = {
  callbackUrl: "http://127.0.0.1:9/callback",
  successRedirectUrl: "https://shop.example/thanks",
  failureRedirectUrl: "https://shop.example/sorry"
}

export const card = {
  number: "4242424242424242",
  expMonth: "04",
  expYear: "2030",
  cvv: "737",
  cardHolderName: "Ada Lind"
}

/** Tells an editor's list of values from any text. */
export type IsListed<Value extends string> = string extends Value ? false : true
