/**
 * A receiver whose handler writes rows of its own. Tests kill it.
 *
 * It accepts the callbacks of the given ids, and prints a line where a test may kill it: `h` when
 * the handler is called, `c` when its rows are written and not committed, `t` when the told mark is
 * committed. It ends when every row is told.
 */
import { StatusReader } from "@pawl/core/StatusReader"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import { writeSync } from "node:fs"
import * as Journal from "../src/Journal.ts"
import { Ledger } from "../src/Ledger.ts"
import * as LedgerSql from "../src/LedgerSql.ts"
import * as Receiver from "../src/Receiver.ts"
import * as Verifier from "../src/Verifier.ts"
import { ledgerOf, type Place } from "@pawl/test-support/Places"
import { card, secret, verified } from "@pawl/test-support/Service"

const [placeText = "", ids = ""] = process.argv.slice(2)
const place = JSON.parse(placeText) as Place

const mark = (letter: string) => Effect.sync(() => writeSync(1, `${letter}\n`))

const handler = LedgerSql.handler({
  handle: () => mark("h"),
  commit: Effect.fnUntraced(function* ({ to, transactionId }) {
    const sql = yield* SqlClient
    yield* sql`INSERT INTO orders (transaction_id, status) VALUES (${transactionId}, ${to})`
    yield* mark("c")
  })
})

const reader = Layer.succeed(StatusReader, {
  read: () => Effect.succeed({ kind: "card-payment", status: "SUCCEED" } as const)
})

const ledger = ledgerOf(place)
const receiver = Receiver.layer().pipe(
  Layer.provide([
    Layer.provide(Verifier.layer({ current: Redacted.make(secret) }), NodeHmac.layer),
    handler,
    reader
  ]),
  Layer.provideMerge(ledger)
)

const program = Effect.gen(function* () {
  const built = yield* Layer.build(receiver)
  const { accept } = Context.get(built, Ledger)
  const sql = Context.get(built, SqlClient)
  yield* Context.get(built, Journal.Journal).entries.pipe(
    Stream.runForEach(({ _tag }) => Effect.when(mark("t"), Effect.succeed(_tag === "Told"))),
    Effect.forkScoped({ startImmediately: true })
  )
  const at = yield* Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis)
  yield* Effect.forEach(
    ids.split(",").filter((id) => id !== ""),
    (transactionId) => accept(verified("card", card({ transactionId })), at),
    { concurrency: "unbounded" }
  )
  yield* Effect.repeat(
    Effect.delay(sql`SELECT 1 FROM pawl_transactions_view WHERE told IS NULL LIMIT 1`, "20 millis"),
    { until: ({ length }) => length === 0 }
  )
})

await Effect.runPromise(Effect.scoped(program))
process.exit(0)
