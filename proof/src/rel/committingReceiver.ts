/**
 * A receiver whose handler calls the application and writes a row in the transaction that marks the
 * status as told.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Pawl from "@pawl/http/Pawl"
import * as Forwarder from "@pawl/receiver/Forwarder"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Worker from "@pawl/webhook/internal/work/Worker"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { parseArgs } from "node:util"
import { insert } from "./Effects.ts"
import { secret } from "./FakeService.ts"
import * as Stores from "./Stores.ts"

const connections = 10

const {
  values: { forward = "", store = "" }
} = parseArgs({
  options: {
    store: { type: "string" },
    forward: { type: "string" },
    port: { type: "string" },
    "admin-port": { type: "string" }
  }
})

const forwarder = Forwarder.layer({ url: forward, secret: Redacted.make(secret) }).pipe(
  Layer.provide(NodeHttpClient.layerUndici)
)

const handler = LedgerSql.handler({
  handle: (transition) => Effect.flatMap(Handler.Handler, ({ handle }) => handle(transition)),
  commit: (transition) => Effect.flatMap(SqlClient, (sql) => insert(sql, transition))
}).pipe(Layer.provide(forwarder))

const receiver = Receiver.layer({ limits: { readsPerSecond: Infinity } }).pipe(
  Layer.provide([handler, Pawl.layerConfig(), Verifier.layer({ current: Redacted.make(secret) })]),
  Layer.provide(LedgerSql.layer),
  Layer.provide([Stores.layerClient({ url: store }, connections), NodeHmac.layer])
)

const program = Effect.gen(function* () {
  const context = yield* Layer.build(receiver)
  const listener = yield* Effect.provideContext(NodeReceiver.listener, context)
  const port = yield* NodeReceiver.listen(listener, { host: "127.0.0.1", port: 0 })
  // The worker is drained while the port still serves.
  yield* Effect.addFinalizer(() => Context.get(context, Worker.Worker).drain)
  process.stdout.write(`ready http://127.0.0.1:${port}/callback\n`)
  return yield* Effect.never
})

const logger = Logger.map(Logger.formatJson, (line) => {
  process.stderr.write(`${line}\n`)
})

program.pipe(Effect.scoped, Effect.provide(Logger.layer([logger])), NodeRuntime.runMain)
