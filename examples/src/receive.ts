/**
 * Shows a receiver on port 4020: verifies callbacks, confirms final statuses and logs each transition.
 *
 * Reads PAWL_BASE_URL, PAWL_MERCHANT_KEY, PAWL_MERCHANT_SECRET and RECEIVER_FILE (its SQLite file, default receiver.db)
 * from the environment. A callback that was answered with 200 is in the file, also after kill -9.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Pawl from "@pawl/http/Pawl"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"

const handler = Handler.layer(({ confirmed, from, to, transactionId }) =>
  Effect.log(`${transactionId}: ${from ?? "nothing"} → ${to}${confirmed ? ", confirmed" : ""}`)
)

const ledger = Layer.unwrap(
  Effect.map(Config.withDefault(Config.String("RECEIVER_FILE"), "receiver.db"), (filename) =>
    NodeSqlite.layerLedger({ filename })
  )
)

const receiver = Receiver.layer().pipe(
  Layer.provide([ledger, Verifier.layerConfig, handler, Pawl.layerConfig()]),
  Layer.provide(NodeHmac.layer)
)

HttpRouter.serve(Receiver.route("/callback"), { disableLogger: true }).pipe(
  Layer.provide(NodeHttpServer.layer(NodeReceiver.createServer, { host: "127.0.0.1", port: 4020 })),
  // Provided last, so the receiver starts before the server listens.
  Layer.provide(receiver),
  Layer.launch,
  NodeRuntime.runMain
)
