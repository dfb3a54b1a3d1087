/**
 * Shows a run of payouts from a CSV file. It can be stopped and started at will, and pays every line once.
 *
 * `node examples/src/payoutRun.ts payouts.csv` writes the payouts to a database, and sends them, 16
 * at a time. After Ctrl-C, a crash or `kill -9`, start it again with the same file. The id of a
 * line is the requestId of its payout. The exit code is 0 if every payout was made. A receiver over
 * the same database reports their final statuses.
 *
 * Reads PAWL_BASE_URL, PAWL_MERCHANT_KEY, PAWL_MERCHANT_SECRET and PAYOUTS_FILE (the SQLite file, default payouts.db)
 * from the environment.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Pawl from "@pawl/http/Pawl"
import * as NodeRequests from "@pawl/webhook/NodeRequests"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFile } from "node:fs/promises"
import * as PayoutFile from "./payoutRun/PayoutFile.ts"
import * as PayoutRun from "./payoutRun/PayoutRun.ts"
import * as Progress from "./payoutRun/Progress.ts"

const program = Effect.gen(function* () {
  const [file = "payouts.csv"] = process.argv.slice(2)
  const text = yield* Effect.tryPromise(() => readFile(file, "utf8"))
  const payouts = yield* Effect.fromResult(PayoutFile.parse(text))
  const ends = yield* PayoutRun.run(payouts, Progress.draw(payouts.length)).pipe(
    Effect.onInterrupt(() => Console.error("\nStopped. To go on, start it again with this file."))
  )
  yield* Console.log(Progress.summary(ends))
  const isMade = Array.from(ends.values()).every((end) => end === "made")
  process.exitCode = isMade ? 0 : 1
})

const requests = Layer.unwrap(
  Effect.map(Config.withDefault(Config.String("PAYOUTS_FILE"), "payouts.db"), (filename) =>
    NodeRequests.layerConfig({ filename })
  )
)

program.pipe(Effect.provide(Layer.provide(requests, Pawl.layerConfig())), NodeRuntime.runMain)
