/**
 * A receiver that appends each step to a file before the next step, for traces of killed processes.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { Profile } from "@pawl/core/Profile"
import * as Pawl from "@pawl/http/Pawl"
import * as Journal from "@pawl/webhook/Journal"
import * as Ledger from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MinimumLogLevel } from "effect/References"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { parseArgs } from "node:util"
import * as Recorder from "../model/Recorder.ts"
import { bugs } from "../simulation/Bugs.ts"
import { secret } from "./FakeService.ts"
import * as NoteFile from "./NoteFile.ts"

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "" },
    notes: { type: "string", default: "" },
    number: { type: "string", default: "0" },
    bug: { type: "string", default: "" },
    port: { type: "string" },
    "admin-port": { type: "string" }
  }
})
const number = Number(values.number)
const bug = bugs[values.bug] ?? {}

const recorder = Recorder.make({
  by: number % 2 === 0 ? 0 : 1,
  write: NoteFile.open(values.notes),
  isOpen: () => true,
  now: Date.now
})

const maxCall = 60
let diesInCall = false
process.once("SIGUSR2", () => (diesInCall = true))

const handle = Effect.fnUntraced(function* (transition: Handler.Transition) {
  recorder.called(transition)
  if (bug.commitsApart === true) recorder.committed(transition)
  if (diesInCall) process.kill(process.pid, "SIGKILL")
  yield* Effect.sleep(Math.random() * maxCall)
  if (Math.random() < 0.1) return yield* Effect.fail("not now")
})

const committing = LedgerSql.handler({
  handle,
  commit: ({ sequence, to, transactionId }) =>
    Effect.flatMap(
      SqlClient,
      (sql) => sql`INSERT INTO recorded_effects (transaction_id, sequence, status, process)
        VALUES (${transactionId}, ${sequence}, ${to}, ${number})`
    )
})

const handler = Layer.effect(
  Handler.Handler,
  Effect.map(Handler.Handler, ({ commit, handle }) =>
    bug.commitsApart === true || commit === undefined
      ? { handle }
      : {
          handle,
          commit: (transition, markTold) =>
            Effect.tap(commit(transition, markTold), () =>
              Effect.sync(() => recorder.committed(transition))
            )
        }
  )
).pipe(Layer.provide(committing))

const recorded = Layer.effect(
  Ledger.Ledger,
  Effect.map(Ledger.Ledger, (ledger) => recorder.ledger({ ...ledger, ...bug.ledger?.(ledger) }))
)

const receiver = Receiver.layer({
  policy: bug.policy ?? "final",
  limits: { lease: NoteFile.lease, readsPerSecond: Infinity }
}).pipe(
  Layer.provide([
    handler,
    recorded,
    Pawl.layerConfig(),
    Verifier.layer({ current: Redacted.make(secret) })
  ]),
  Layer.provide(LedgerSql.layer),
  Layer.provide([NodeSqlite.layer({ filename: values.store }), NodeHmac.layer])
)

const program = Effect.gen(function* () {
  const context = yield* Layer.build(receiver)
  recorder.observe(Context.get(context, Journal.Journal))
  const { receive } = Context.get(context, Receiver.Receiver)
  const listener = yield* NodeReceiver.listener.pipe(
    Effect.provideService(Receiver.Receiver, { receive: bug.receive?.(receive, secret) ?? receive })
  )
  const port = yield* NodeReceiver.listen(listener, { host: "127.0.0.1", port: 0 })
  process.stdout.write(`ready http://127.0.0.1:${port}/callback\n`)
  return yield* Effect.never
})

program.pipe(
  Effect.scoped,
  Effect.provideService(MinimumLogLevel, "None"),
  Effect.updateService(Profile, (switches) => ({ ...switches, ...bug.profile })),
  NodeRuntime.runMain
)
