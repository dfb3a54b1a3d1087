import { spawn } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

export const root = join(import.meta.dirname, "../..")

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly items?: ReadonlyArray<unknown> }
  readonly result?: unknown
}

export type LanguageServer = Awaited<ReturnType<typeof start>>

/** The path need not exist. */
export const start = async (path: string, text: string) => {
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  const child = spawn(process.execPath, [tsc, "--lsp", "--stdio"], {
    cwd: root,
    stdio: ["pipe", "pipe", "ignore"]
  })
  const waiting = new Map<number, (result: unknown) => void>()
  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message })
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  const receive = ({ id, method, params, result }: Message) => {
    if (id === undefined) return
    if (method === undefined) waiting.get(id)?.(result)
    else send({ id, result: params?.items?.map(() => null) ?? null })
  }
  let received = Buffer.alloc(0)
  child.stdout.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    for (;;) {
      const [header, length] = /^Content-Length: (\d+)\r\n(?:.+\r\n)*\r\n/u.exec(
        received.toString("latin1")
      ) ?? [undefined, 0]
      const end = (header?.length ?? 0) + Number(length)
      if (header === undefined || received.length < end) return
      receive(JSON.parse(received.toString("utf8", header.length, end)) as Message)
      received = received.subarray(end)
    }
  })
  let last = 0
  const ask = (method: string, params: object): Promise<unknown> =>
    new Promise((resolve) => {
      last++
      waiting.set(last, resolve)
      send({ id: last, method, params })
    })
  const uri = pathToFileURL(path).href
  const at = (offset: number) => {
    const before = text.slice(0, offset).split("\n")
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
    return { textDocument: { uri }, position }
  }
  await ask("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(root).href,
    capabilities: { textDocument: { hover: { contentFormat: ["markdown"] } } }
  })
  send({ method: "initialized", params: {} })
  send({
    method: "textDocument/didOpen",
    params: { textDocument: { uri, languageId: "typescript", version: 1, text } }
  })
  return {
    hover: async (offset: number): Promise<string> => {
      const result = await ask("textDocument/hover", at(offset))
      const { contents } = (result ?? {}) as { readonly contents?: { readonly value: string } }
      return contents?.value ?? ""
    },
    completions: async (offset: number): Promise<ReadonlyArray<string>> => {
      const result = (await ask("textDocument/completion", at(offset))) as {
        readonly items?: ReadonlyArray<{ readonly label: string }>
      } | null
      return result?.items?.map(({ label }) => label) ?? []
    },
    stop: (): void => void child.kill()
  }
}
