/**
 * The child process with a whole receiver on SQLite. It counts the statements and commits of a
 * callback, and lists the files of the package that run meanwhile.
 */
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { StatusReader } from "@pawl/core/StatusReader"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as WebReceiver from "@pawl/webhook/WebReceiver"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Session } from "node:inspector/promises"
import { DatabaseSync, StatementSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { make, search, secret } from "../callbacks.ts"
import { answer } from "./children.ts"

let executed: Array<string> = []

for (const name of ["all", "get", "run"] as const) {
  const original = StatementSync.prototype[name] as (...parameters: Array<never>) => unknown
  Object.assign(StatementSync.prototype, {
    [name](this: StatementSync, ...parameters: Array<never>) {
      executed.push(this.sourceSQL)
      return original.apply(this, parameters)
    }
  })
}
const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (text) {
  executed.push(text)
  return exec.call(this, text)
}

const told = new Set<string>()
const receiver = WebReceiver.toHandler(
  Receiver.layer({ limits: { readsPerSecond: Infinity } }).pipe(
    Layer.provide([
      Handler.layer(({ transactionId }) => Effect.sync(() => void told.add(transactionId))),
      NodeSqlite.layerLedger(JSON.parse(process.argv[2] ?? "{}") as NodeSqlite.Options),
      Layer.succeed(StatusReader, {
        read: () => Effect.succeed({ kind: "apm-payment", status: "SUCCEED" })
      }),
      Verifier.layer({ current: Redacted.make(secret) })
    ]),
    Layer.provide(NodeHmac.layer)
  )
)

/** The work on a callback has ended after so many milliseconds without a statement. */
const quiet = 100

const commitsIn = (lines: ReadonlyArray<string>): ReadonlyArray<number> => {
  let isOpen = false
  return lines.flatMap((line, at) => {
    if (line.startsWith("BEGIN")) isOpen = true
    const isCommit = line === "COMMIT" || (!isOpen && /\b(?:INSERT|UPDATE|DELETE)\b/u.test(line))
    if (/^(?:COMMIT|ROLLBACK$)/u.test(line)) isOpen = false
    return isCommit ? [at] : []
  })
}

const take = async (id: number) => {
  const { checksum, text, transactionId } = make(id)
  const request = new Request(`https://shop.example/callback${search}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-checksum": checksum },
    body: text.replace('"PENDING"', '"SUCCEED"')
  })
  executed = []
  const { status } = await receiver.handler(request)
  if (status !== 200) throw new Error(`the status was ${status}`)
  for (let count = -1; count !== executed.length || !told.has(transactionId); await sleep(quiet)) {
    count = executed.length
  }
}

const operations = {
  count: async () => {
    await take(0)
    await take(1)
    const all = executed.map((text) => text.replaceAll(/\s+/gu, " ").trim())
    const commits = commitsIn(all)
    // The last commit releases the row.
    const lines = all.slice(0, (commits.at(-1) ?? 0) + 1)
    const isControl = (line: string) => /^(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/u.test(line)
    const statements = lines.filter((line) => !isControl(line)).length
    return { statements, commits: commits.length, lines }
  },
  files: async () => {
    const session = new Session()
    session.connect()
    await session.post("Profiler.enable")
    await session.post("Profiler.startPreciseCoverage", { callCount: true })
    await take(2)
    await session.post("Profiler.takePreciseCoverage")
    await take(3)
    const { result } = await session.post("Profiler.takePreciseCoverage")
    session.disconnect()
    return result
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      .flatMap(({ url }) => url.split("/packages/webhook/src/")[1] ?? [])
      .toSorted()
  }
}

export type Operations = typeof operations

answer(operations)
