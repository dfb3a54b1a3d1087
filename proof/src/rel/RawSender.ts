/** Sends prepared requests over raw sockets, also such that no HTTP client writes. */
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import type { Callback } from "./FakeService.ts"

const crlf = "\r\n"

const headOf = (search: string, lines: ReadonlyArray<string>): string =>
  [
    `POST /callback${search} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    ...lines,
    crlf
  ].join(crlf)

export const requestOf = ({ body, checksum, search }: Callback): Buffer =>
  Buffer.from(
    headOf(search, [`X-Checksum: ${checksum}`, `Content-Length: ${Buffer.byteLength(body)}`]) + body
  )

export const tinyChunks = (search: string, chunks: number): Buffer =>
  Buffer.from(
    headOf(search, ["Transfer-Encoding: chunked"]) +
      `1${crlf}x${crlf}`.repeat(chunks) +
      `0${crlf}${crlf}`
  )

/** Options of a sender, which ends after `count` requests or `seconds`. */
export interface Options {
  readonly port: number
  readonly connections: number
  readonly perSecond: number
  readonly count?: number
  readonly seconds?: number
  readonly requests: (n: number) => Buffer
}

/** Sends requests at a rate, one at a time on each connection. */
export const send = async ({
  connections,
  count = Infinity,
  perSecond,
  port,
  requests,
  seconds = Infinity
}: Options): Promise<{ readonly sent: number; readonly answers: Record<string, number> }> => {
  const answers: Record<string, number> = {}
  const free: Array<(bytes: Buffer) => boolean> = []
  const open = new Set<Socket>()
  const startedAt = performance.now()
  let isEnded = false
  let sent = 0
  const state = { unanswered: 0 }
  const add = (): void => {
    let isWaiting = false
    const answered = () => {
      if (isWaiting) state.unanswered--
      isWaiting = false
    }
    const socket = connect(port, "127.0.0.1", () => free.push(use))
    const use = (bytes: Buffer): boolean => {
      if (socket.destroyed) return false
      socket.write(bytes)
      isWaiting = true
      state.unanswered++
      return true
    }
    open.add(socket)
    socket.on("data", (data: Buffer) => {
      const status = data.toString("latin1", 9, 12)
      answers[status] = (answers[status] ?? 0) + 1
      answered()
      free.push(use)
    })
    socket.on("error", () => undefined)
    socket.on("close", () => {
      open.delete(socket)
      answered()
      if (!isEnded) setTimeout(add, 5)
    })
  }
  for (let index = 0; index < connections; index++) add()
  while (sent < count && performance.now() - startedAt < seconds * 1000) {
    const due = Math.min(count, ((performance.now() - startedAt) / 1000) * perSecond)
    while (sent < due) {
      const use = free.pop()
      if (use === undefined) break
      if (use(requests(sent))) sent++
    }
    await sleep(2)
  }
  for (let waits = 0; waits < 1000 && state.unanswered > 0; waits++) await sleep(10)
  isEnded = true
  for (const socket of open) socket.destroy()
  return { sent, answers }
}

export const holdIdle = async (port: number, connections: number, seconds: number) => {
  const sockets = Array.from({ length: connections }, () =>
    connect(port, "127.0.0.1").on("error", () => undefined)
  )
  await sleep(seconds * 1000)
  for (const socket of sockets) socket.destroy()
}
