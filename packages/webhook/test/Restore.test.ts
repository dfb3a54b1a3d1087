import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { rank, type Status } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { copyFileSync, readFileSync, rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { expect } from "vitest"
import * as NodeSqlite from "../src/NodeSqlite.ts"
import * as Receiver from "../src/Receiver.ts"
import * as Verifier from "../src/Verifier.ts"
import { card, incoming, secret } from "@pawl/test-support/Service"
import { files } from "@pawl/test-support/Stores"
import { live as test } from "@pawl/test-support/Tests"

const guide = (name: string) =>
  readFileSync(new URL(`../../../docs/guides/${name}.md`, import.meta.url), "utf8")
const [, update = ""] = /```sql\n([^`]*UPDATE orders[^`]*)```/u.exec(guide("receiving")) ?? []
const [, backup = ""] = /"(VACUUM INTO [^"]*)"/u.exec(guide("production")) ?? []

const file = files()
const ids = ["1", "2", "3"]

const makeApplication = () => {
  const database = new DatabaseSync(":memory:")
  database.exec(
    "CREATE TABLE orders (method TEXT, is_refund INT, transaction_id TEXT, status TEXT, rank INT, sequence INT)"
  )
  const insert = database.prepare("INSERT INTO orders VALUES (?, ?, ?, '', 0, 0)")
  for (const id of ids) insert.run("card", 0, id)
  insert.run("card", 1, "1")
  insert.run("apm", 0, "1")
  const change = database.prepare(update)
  const shipped: Array<string> = []
  return {
    shipped,
    handle: ({ kind, method, sequence, to, transactionId }: Handler.Transition) => {
      const isRefund = Number(kind === "refund")
      const values = { isRefund, method, rank: rank(to), sequence, to, transactionId }
      const { changes } = change.run(values)
      if (changes === 1 && to === "SUCCEED") shipped.push(transactionId)
    },
    statuses: () =>
      database
        .prepare("SELECT status FROM orders ORDER BY method DESC, is_refund, transaction_id")
        .all()
        .map(({ status }) => status)
  }
}

test("an application gets each later status after an older backup was restored, and ships nothing twice", function* () {
  const { filename } = file()
  const { handle, shipped, statuses } = makeApplication()
  let status: Status = "PROCESSING"
  const told = new Map<string, Status>()
  const running = <A, E>(
    work: (
      send: (status: Status, ids: ReadonlyArray<string>) => Effect.Effect<void>
    ) => Effect.Effect<A, E>
  ) =>
    Receiver.layer().pipe(
      Layer.provide([
        Handler.layer((transition) =>
          Effect.sync(() => {
            handle(transition)
            told.set(transition.transactionId, transition.to)
          })
        ),
        Layer.succeed(StatusReader, {
          read: () => Effect.sync(() => ({ kind: "card-payment" as const, status }))
        }),
        Verifier.layer({ current: Redacted.make(secret) }),
        NodeSqlite.layerLedger({ filename })
      ]),
      Layer.provide(NodeHmac.layer),
      Layer.build,
      Effect.flatMap((built) => {
        const { receive } = Context.get(built, Receiver.Receiver)
        return work(
          Effect.fnUntraced(function* (next, ids) {
            status = next
            for (const transactionId of ids) {
              const body = card({ transactionId, transactionStatus: next })
              expect(yield* receive(incoming("card", body))).toBe(200)
            }
            const isTold = Effect.sync(() => ids.every((id) => told.get(id) === next))
            yield* Effect.repeat(Effect.delay(isTold, "5 millis"), { until: (done) => done })
          })
        )
      }),
      Effect.scoped
    )

  yield* running((send) =>
    Effect.gen(function* () {
      yield* send("PROCESSING", ["1", "2"])
      const beside = new DatabaseSync(filename)
      beside.exec(backup.replace("backup.db", `${filename}.backup`))
      beside.close()
      yield* send("SUCCEED", ["1", "2"])
      yield* send("PENDING", ["3"])
      yield* send("SUCCEED", ["3"])
    })
  )
  for (const suffix of ["", "-wal", "-shm"]) rmSync(filename + suffix, { force: true })
  copyFileSync(`${filename}.backup`, filename)
  yield* running((send) =>
    Effect.gen(function* () {
      yield* send("PENDING", ["3"])
      yield* send("PROCESSING", ["3"])
      yield* send("SUCCEED", ["2", "3"])
      yield* send("REFUNDED", ["1"])
      yield* send("CHARGEBACK", ["3"])
    })
  )
  expect(shipped).toEqual(ids)
  expect(statuses()).toEqual(["REFUNDED", "SUCCEED", "CHARGEBACK", "", ""])
})
