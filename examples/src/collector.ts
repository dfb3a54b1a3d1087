/**
 * Shows what a program with `otlp.ts` sends: a collector on port 4318 that prints each span, metric and log line.
 *
 * ```sh
 * node examples/src/collector.ts
 * ```
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as Console from "effect/Console"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Collector from "./otlp/Collector.ts"

const port = Number(process.env["PORT"] ?? 4318)

HttpRouter.serve(
  Collector.route(({ attributes, name, signal, unit = "", value }) =>
    Console.log(
      signal,
      name,
      signal === "log" ? "" : `${value} ${unit}`,
      JSON.stringify(attributes)
    )
  ),
  { disableLogger: true }
).pipe(
  Layer.provide(NodeHttpServer.layer(NodeReceiver.createServer, { host: "127.0.0.1", port })),
  Layer.launch,
  NodeRuntime.runMain
)
