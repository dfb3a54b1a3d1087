/**
 * Programs of the project `promises` of `tarballs.ts`: they install `pawl` alone, and import no
 * Effect.
 */
import { basename, join } from "node:path"
import { start } from "./programs.ts"

export const program = `import { Declined, open } from "pawl"

const pawl = await open({ store: "memory", onChange: ({ to }) => console.log(to) })
try {
  const payment = await pawl.apmPayments.create(
    {
      requestId: "order-1",
      accountId: "4711",
      amount: "10.00",
      currency: "EUR",
      apmPayload: { paymentMethod: "WALLET" }
    },
    { totalTimeout: "20 seconds", signal: AbortSignal.timeout(30_000) }
  )
  const id: string = payment.transactionId
  for await (const { status } of pawl.transactions.follow("apm-payment", id)) console.log(status)
} catch (error) {
  if (error instanceof Declined) console.log(error.code, error.declineCode)
}
`

export const jestTest = `import { expect, test } from "@jest/globals"
import { open } from "pawl/testing"

test("an order is paid", async () => {
  const pawl = await open()
  const order = { requestId: "17", accountId: "4711", amount: "10.00", currency: "EUR" }
  await pawl.apmPayments.create({ ...order, apmPayload: { paymentMethod: "WALLET" } })
  await pawl.clock.advance("62 minutes")
  expect(pawl.transitions.at(-1).to).toBe("SUCCEED")
  await pawl.close()
})
`

/** Runs the shop and the sandbox of an installed `pawl`, and pays an order. */
export const runShop = async (node: string, folder: string): Promise<void> => {
  const file = join(folder, `${basename(join(node, "../.."))}.db`)
  const sandbox = start(node, ["node_modules/.bin/pawl", "sandbox", "--port", "0"], folder)
  const env = {
    ...process.env,
    PAWL_BASE_URL: await sandbox.line,
    PAWL_MERCHANT_KEY: "sandbox-key",
    PAWL_MERCHANT_SECRET: "sandbox-secret",
    PORT: "4037",
    SHOP_FILE: file
  }
  const shop = start(node, ["shop.mjs"], folder, env)
  try {
    const order = `${await shop.line}/orders/17`
    const body = JSON.stringify({ item: "tea", email: "ada@shop.example" })
    const headers = { "content-type": "application/json" }
    const response = await fetch(order, { method: "POST", headers, body })
    if (response.status !== 201) throw new Error(`the order was answered with ${response.status}`)
    const { page } = (await response.json()) as { readonly page: string }
    const card = { number: "4242424242424242", expiry: "04/30", cvc: "737", name: "Ada Lovelace" }
    const form = new URLSearchParams({ act: "card", attempts: "0", ...card })
    await fetch(page, { method: "POST", body: form, redirect: "manual" })
    for (let attempt = 0; ; attempt++) {
      const text = await (await fetch(order)).text()
      if (text.includes("PAID")) break
      if (attempt === 100) throw new Error(`the order was not paid: ${text}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  } finally {
    shop.child.kill()
    sandbox.child.kill()
  }
}
