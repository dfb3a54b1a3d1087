/**
 * TypeScript's language server shows the sentence of each option and member of these programs. It
 * shows none for a property of a mapped type such as `Partial`, so these types are interfaces.
 */
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as LanguageServer from "../../test-support/src/LanguageServer.ts"

const programs = {
  pawl: `import { open } from "pawl"
import * as testing from "pawl/testing"
const pawl = await open({
  /**/store: "memory",
  /**/attemptTimeout: "2 seconds",
  /**/profile: { /**/requestChecksumSeparator: ":", /**/pollIntervals: ["5 minutes"] },
  /**/hooks: { /**/onRequest: () => 1, /**/onResponse: () => 1 },
  /**/onChange: ({ /**/requestId, /**/to }) => [requestId, to]
})
const input = { requestId: "1", accountId: "1", amount: "1", currency: "EUR", apmPayload: { paymentMethod: "W" } }
const payment = await pawl./**/apmPayments./**/create(input)
payment./**/transactionStatus
await pawl.apmPayments.create(input, { /**/signal: AbortSignal.timeout(1), /**/totalTimeout: 1, /**/maxAttempts: 1 })
await pawl./**/transactions./**/get("apm-payment", "1")
await pawl.transactions./**/deadLetters()
pawl.transactions./**/follow("apm-payment", "1")
await pawl.refunds./**/info("1")
await pawl.subscriptions./**/pause("1")
await pawl.requests./**/redrive("1")
const fake = await testing.open({ /**/store: "memory", /**/onChange: () => 1, fake: { /**/seed: 1 } })
await fake.clock./**/advance(1)
await fake.service./**/move("1", "SUCCEED")
await testing.sandbox({ /**/pace: 1, /**/readings: {} })
pawl./**/express()`,
  webhook: `import * as Receiver from "@pawl/webhook/Receiver"
export const receiver = Receiver.layer({ /**/policy: "final", /**/limits: { /**/readsPerSecond: 1, /**/calls: 1 } })`
}

it.for(Object.entries(programs))("each marked name of %s has a sentence", async ([name, text]) => {
  const path = join(LanguageServer.root, `packages/${name}/test/hovered.ts`)
  const { hover, stop } = await LanguageServer.start(path, text)
  onTestFinished(stop)
  const bare: Array<string> = []
  for (const { 0: marked, index } of text.matchAll(/\/\*\*\/\w+/gu)) {
    // The type comes first, in a fence.
    const sentence = (await hover(index + 4)).split("```").at(-1) ?? ""
    if (!/\w/u.test(sentence)) bare.push(marked)
  }
  expect(bare).toEqual([])
})
