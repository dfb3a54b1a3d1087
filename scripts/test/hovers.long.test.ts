/**
 * TypeScript's language server shows the sentence of each option and member of these programs. It
 * shows none for a property of a mapped type such as `Partial`, so these types are interfaces.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: { readonly contents?: { readonly value: string } } | null
}

const server = spawn(join(root, "node_modules/.bin/tsc"), ["--lsp", "--stdio"], { cwd: root })
afterAll(() => server.kill())

const waiting = new Map<number | undefined, (message: Message) => void>()
let received = Buffer.alloc(0)
server.stdout.on("data", (bytes: Buffer) => {
  received = Buffer.concat([received, bytes])
  for (;;) {
    const [head, length] =
      /^Content-Length: (\d+)\r\n(?:.+\r\n)*\r\n/u.exec(received.toString("latin1")) ?? []
    const end = (head?.length ?? 0) + Number(length)
    if (head === undefined || received.length < end) return
    const message = JSON.parse(received.subarray(head.length, end).toString()) as Message
    received = received.subarray(end)
    // A request of the server gets no settings.
    if (message.method === undefined) waiting.get(message.id)?.(message)
    else if (message.id !== undefined) send({ id: message.id, result: [null] })
  }
})

const send = (message: object) => {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message })
  server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
}

let last = 0
const ask = (method: string, params: object) =>
  new Promise<Message>((resolve) => {
    waiting.set(++last, resolve)
    send({ id: last, method, params })
  })

const programs = {
  pawl: `import { open } from "pawl"
const pawl = await open({
  /**/store: "memory",
  /**/attemptTimeout: "2 seconds",
  /**/profile: { /**/requestChecksumSeparator: ":", /**/pollIntervals: ["5 minutes"] },
  /**/hooks: { /**/onRequest: () => 1, /**/onResponse: () => 1 },
  /**/onChange: ({ /**/requestId, /**/to }) => [requestId, to]
})
const input = { requestId: "1", accountId: "1", amount: "1", currency: "EUR", apmPayload: { paymentMethod: "W" } }
const payment = await pawl./**/apmPayments.create(input)
payment./**/transactionStatus
await pawl.apmPayments.create(input, { /**/signal: AbortSignal.timeout(1), /**/totalTimeout: 1, /**/maxAttempts: 1 })
await pawl./**/transactions./**/get("apm-payment", "1")
await pawl.transactions./**/deadLetters()
pawl.transactions./**/follow("apm-payment", "1")
pawl./**/express()`,
  webhook: `import * as Receiver from "@pawl/webhook/Receiver"
export const receiver = Receiver.layer({ /**/policy: "final", /**/limits: { /**/readsPerSecond: 1, /**/calls: 1 } })`
}

it.for(Object.entries(programs))("each marked name of %s has a sentence", async ([name, text]) => {
  const uri = pathToFileURL(join(root, `packages/${name}/test/hovered.ts`)).href
  if (last === 0) {
    await ask("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(root).href,
      capabilities: { textDocument: { hover: { contentFormat: ["markdown"] } } }
    })
    send({ method: "initialized", params: {} })
  }
  const textDocument = { uri, languageId: "typescript", version: 1, text }
  send({ method: "textDocument/didOpen", params: { textDocument } })
  const bare: Array<string> = []
  for (const [line, code] of text.split("\n").entries()) {
    for (const { 0: marked, index } of code.matchAll(/\/\*\*\/\w+/gu)) {
      const position = { line, character: index + 4 }
      const { result } = await ask("textDocument/hover", { textDocument: { uri }, position })
      // The type comes first, in a fence.
      const sentence = result?.contents?.value.split("```").at(-1) ?? ""
      if (!/\w/u.test(sentence)) bare.push(`${line + 1} ${marked}`)
    }
  }
  expect(bare).toEqual([])
})
