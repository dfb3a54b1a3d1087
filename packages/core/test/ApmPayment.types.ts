/**
 * The input is closed where the specification names the fields, and open where the method or the
 * merchant defines them.
 */
import type { ApmPaymentInput } from "@pawl/core/ApmPayment"

const required = {
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  apmPayload: { paymentMethod: "WALLET" }
}

export const least: ApmPaymentInput = required

export const most: ApmPaymentInput = {
  ...required,
  requestId: "order-1",
  callbackUrl: "https://shop.example/callback",
  successRedirectUrl: "https://shop.example/thanks",
  failureRedirectUrl: "https://shop.example/sorry",
  apmPayload: { paymentMethod: "WALLET", wallet: { phone: "+49 1" } },
  metadata: { cart: "7", "sandbox.scenario": "succeed" },
  order: { orderId: "7" },
  billingDetails: { email: "a@b.example" },
  device: { ip: "192.0.2.1" }
}

// @ts-expect-error: callbackUrl is misspelt
export const callbackURL: ApmPaymentInput = { ...required, callbackURL: "https://shop.example" }

// @ts-expect-error: orderId is misspelt
export const orderID: ApmPaymentInput = { ...required, order: { orderID: "7" } }

// @ts-expect-error: email is misspelt
export const mail: ApmPaymentInput = { ...required, billingDetails: { mail: "a@b.example" } }

// @ts-expect-error: ip is misspelt
export const IP: ApmPaymentInput = { ...required, device: { IP: "192.0.2.1" } }

// @ts-expect-error: the client computes it
export const checksum: ApmPaymentInput = { ...required, checksum: "00" }

// @ts-expect-error: an amount is text, because a number may lose digits
export const number: ApmPaymentInput = { ...required, amount: 10.0 }

// @ts-expect-error: metadata maps text to text
export const metadata: ApmPaymentInput = { ...required, metadata: { cart: 7 } }

const { apmPayload: _, ...forgotten } = required

// @ts-expect-error: apmPayload is required
export const without: ApmPaymentInput = forgotten
