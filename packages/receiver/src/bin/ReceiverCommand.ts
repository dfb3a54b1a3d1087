/**
 * The receiver as a process of its own, for applications in any language.
 *
 * The process prints `ready http://127.0.0.1:4020/callback` on stdout once it serves, and then each
 * transition as one line of JSON, unless transitions are forwarded. Logs go to stderr.
 * `docs/decisions/0021-handler-calls.md` explains SIGTERM, which the close of the terminal equals; a second
 * one ends the process at once.
 */
import * as CommandOutput from "@pawl/webhook/internal/CommandOutput"
import * as Program from "@pawl/webhook/internal/Program"
import * as ProgressLine from "@pawl/webhook/internal/ProgressLine"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Number from "effect/Number"
import * as LogLine from "../internal/LogLine.ts"
import * as NodeAdminPage from "../internal/admin/NodeAdminPage.ts"
import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import * as Worker from "@pawl/webhook/internal/work/Worker"
import { erase } from "./EraseCommand.ts"
import * as Rename from "./RenameCommand.ts"
import * as Ports from "./Ports.ts"
import * as ReceiverLayers from "./ReceiverLayers.ts"
import * as Settings from "./Settings.ts"
import * as StoreFlag from "./StoreFlag.ts"

const migrate = Command.make(
  "migrate",
  {
    store: Settings.flags.store
  },
  Effect.fnUntraced(
    function* ({ store }) {
      const databases = yield* StoreFlag.databases(store)
      for (const [done, database] of databases.entries()) {
        const progress = `${done} of ${databases.length} databases are migrated`
        const version = yield* NodeStore.migrate(database).pipe(
          ProgressLine.during(() => progress),
          Effect.onInterrupt(() =>
            Console.error(`Interrupted: ${progress}, and the next one is as it was before.`)
          )
        )
        yield* Console.log(`The tables of the store have version ${version}`)
      }
    },
    Effect.catchTag(["InvalidSettings", "StoreUnusable"], ({ message }) =>
      CommandOutput.report(message)
    )
  )
).pipe(
  Command.withDescription(
    "Creates or migrates the tables of a database, and exits. The receiver also does so when it starts"
  ),
  CommandOutput.example("--store sqlite:callbacks.db", "Creates the tables of a file")
)

/** Makes the command, which takes over the signals of its process. */
export const make = (name: string) =>
  Command.make(
    name,
    { ...Settings.flags, program: Program.argument },
    Effect.fnUntraced(
      function* ({ confirm, host, moveRows, path, port, program, ...flags }) {
        const settings = yield* Settings.make({ path, port, ...flags })
        const { admin, merchants } = settings
        const isInMemory = merchants.some(({ stores }) => !stores.every(NodeStore.isDatabase))
        if (moveRows && isInMemory) return yield* CommandOutput.report(StoreFlag.inMemory)
        if (moveRows) {
          const moved = yield* Effect.forEach(merchants, ({ stores }) => NodeStore.move(stores))
          return yield* Console.log(`Moved ${CommandOutput.count(Number.sumAll(moved), "row")}`)
        }
        const ready = yield* Latch.make()
        const page = admin && (yield* NodeAdminPage.files)
        const options = { settings, policy: confirm, page, ready }
        if (isInMemory) {
          yield* Effect.logWarning(
            "Callbacks are kept in memory, and lost when the process ends: --store sqlite:FILE keeps them"
          )
        }
        const context = yield* Layer.build(ReceiverLayers.layer(options))
        const serve = Ports.serve({ admin, host, path, port })
        const url = yield* Effect.provideContext(serve, context)
        const ended = yield* Program.start(program, forwardSecretOf(merchants))
        // The worker is drained while the ports still serve and the program still runs.
        yield* Effect.addFinalizer(() => Context.get(context, Worker.Worker).drain)
        yield* Console.log(`ready ${url}`)
        yield* ready.open
        return yield* ended
      },
      Effect.scoped,
      Effect.catchTag(
        [
          "CannotListen",
          "InvalidConfig",
          "InvalidMerchant",
          "InvalidSecret",
          "InvalidSettings",
          "ProgramFailed",
          "StoreUnusable"
        ],
        ({ message }) => CommandOutput.report(message)
      )
    )
  ).pipe(
    Command.withDescription(
      "Receives callbacks, confirms them and reports each transition in order. Required: PAWL_MERCHANT_KEY, PAWL_MERCHANT_SECRET and PAWL_BASE_URL (or --base-url)"
    ),
    Command.withShortDescription(
      "Receives callbacks, confirms them and reports each transition in order"
    ),
    CommandOutput.examples(
      [
        "--store sqlite:callbacks.db --admin-port 4021 --forward http://127.0.0.1:3000/payments",
        "Keeps callbacks in a file and posts each transition to a program"
      ],
      [
        "--forward http://127.0.0.1:5000/transitions -- python3 app.py",
        "Runs that program too, with PAWL_FORWARD_SECRET set"
      ]
    ),
    Command.withSubcommands([migrate, erase, Rename.command]),
    Command.provideEffectDiscard(Effect.sync(() => takeSignals())),
    Command.provide(Layer.suspend(() => Logger.layer([logger])))
  )

const forwardSecretOf = ([merchant, ...others]: Settings.Settings["merchants"]) =>
  merchant === undefined || others.length > 0 ? {} : { PAWL_FORWARD_SECRET: merchant.forwardSecret }

export const receiver = make("receiver")

/** Logs to stderr, because stdout is for transitions. */
const logger = Logger.map(
  process.stderr.isTTY
    ? Logger.map(Logger.formatStructured, LogLine.make(process.stderr.hasColors()))
    : Logger.map(Logger.formatJson, LogLine.escaped),
  (line) => {
    process.stderr.write(`${line}\n`)
  }
)

const takeSignals = () => {
  let isEnding = false
  const onSignal = () => {
    if (isEnding) process.exit(143)
    isEnding = true
    setTimeout(() => process.exit(1), 19_500).unref()
  }
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal)
}
