/**
 * The receiver as a process of its own, for applications in any language.
 *
 * The process prints `ready http://127.0.0.1:4020/callback` on stdout once it serves, and then each transition
 * as one line of JSON, unless transitions are forwarded. Logs go to stderr, one line of JSON each.
 *
 * On SIGTERM the process completes the requests in flight, releases its rows and exits with 0. A second
 * SIGTERM ends it at once.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Pawl from "@pawl/http/Pawl"
import * as Cause from "effect/Cause"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Runtime from "effect/Runtime"
import { createRequire } from "node:module"
import * as Admin from "../Admin.ts"
import * as Forwarder from "../Forwarder.ts"
import * as Ledger from "../Ledger.ts"
import type * as LedgerSql from "../LedgerSql.ts"
import * as NodeSqlite from "../NodeSqlite.ts"
import * as Receiver from "../Receiver.ts"
import * as Verifier from "../Verifier.ts"
import * as Worker from "../Worker.ts"
import * as Ports from "./Ports.ts"
import * as Settings from "./Settings.ts"

const { version } = createRequire(import.meta.url)("../../package.json") as {
  readonly version: string
}

/** Error that was already printed. It ends the process. */
class Reported extends Data.TaggedError("Reported") {
  override readonly [Runtime.errorReported] = false
}

/** Error raised when the store cannot be opened. The message is one sentence. */
class StoreUnusable extends Data.TaggedError("StoreUnusable")<{ readonly message: string }> {}

/** Opens a ledger. `messageOf` makes the message of an error of the database. The errors contain no password. */
const open = (
  layer: Layer.Layer<Ledger.Ledger, LedgerSql.StartError>,
  messageOf: (error: Error) => string
): Layer.Layer<Ledger.Ledger, StoreUnusable> =>
  Layer.effect(
    Ledger.Ledger,
    Layer.build(layer).pipe(
      Effect.map(Context.get(Ledger.Ledger)),
      Effect.mapError((error) => {
        const isOwnSentence = error._tag === "MigrationError" && error.kind === "BadState"
        return new StoreUnusable({ message: isOwnSentence ? error.message : messageOf(error) })
      })
    )
  )

/** Returns the message of the innermost cause. */
const innermost = (error: Error): string =>
  error.cause instanceof Error ? innermost(error.cause) : error.message

const layerLedger = (store: Settings.Store): Layer.Layer<Ledger.Ledger, StoreUnusable> => {
  if (store._tag === "memory") return Ledger.layerMemory
  if (store._tag === "sqlite") {
    return open(NodeSqlite.layerLedger(store), (error) =>
      error.message.startsWith("The SQLite file")
        ? error.message
        : `The SQLite file ${store.filename} cannot be used (${innermost(error)}): name another file`
    )
  }
  // The client of PostgreSQL is an optional peer dependency, so it is loaded only for this store.
  return Effect.tryPromise({
    try: () => import("../NodePostgres.ts"),
    catch: () =>
      new StoreUnusable({ message: "PostgreSQL needs @effect/sql-pg: npm install @effect/sql-pg" })
  }).pipe(
    Effect.map(({ layerLedger }) =>
      open(
        layerLedger({ url: store.url }),
        (error) =>
          `The PostgreSQL database cannot be used (${innermost(error)}): start it, or correct the address in --store or PAWL_STORE`
      )
    ),
    Layer.unwrap
  )
}

/** Prints transitions after `ready` was printed. If a line cannot be written, the call of the handler fails. */
const layerStdout = (ready: Latch.Latch) =>
  Handler.layer((transition) =>
    Effect.andThen(
      ready.await,
      Effect.callback<void, Error>((resume) => {
        process.stdout.write(`${Forwarder.bodyOf(transition)}\n`, (error) =>
          resume(error ? Effect.fail(error) : Effect.void)
        )
      })
    )
  )

const command = Command.make(
  "receiver",
  Settings.flags,
  Effect.fnUntraced(
    function* ({ confirm, host, path, port, ...flags }) {
      const settings = yield* Settings.make({ path, ...flags })
      const { admin, forward, forwardSecret, secrets, service, store } = settings
      const ready = yield* Latch.make()
      const handler =
        forward === undefined
          ? layerStdout(ready)
          : Forwarder.layer({ url: forward, secret: forwardSecret }).pipe(
              Layer.provide(NodeHttpClient.layerUndici)
            )
      const layer = Layer.merge(
        Receiver.layer({ policy: confirm }),
        Admin.layer({ policy: confirm, token: admin?.token, hosts: admin?.hosts })
      ).pipe(
        Layer.provide([handler, Pawl.layer(service), Verifier.layer(secrets)]),
        Layer.provideMerge(layerLedger(store)),
        Layer.provide(NodeHmac.layer)
      )
      if (store._tag === "memory") {
        yield* Effect.logWarning(
          "Callbacks are kept in memory, and lost when the process ends: --store sqlite:FILE keeps them"
        )
      }
      const context = yield* Layer.build(layer)
      const url = yield* Effect.provideContext(Ports.serve({ admin, host, path, port }), context)
      // The worker is drained while the ports still serve.
      yield* Effect.addFinalizer(() => Context.get(context, Worker.Worker).drain)
      yield* Console.log(`ready ${url}`)
      yield* ready.open
      return yield* Effect.never
    },
    Effect.scoped,
    Effect.catchTags({
      CannotListen: (error) => report(error.message),
      InvalidConfig: (error) => report(error.message),
      InvalidSecret: (error) => report(error.message),
      InvalidSettings: (error) => report(error.message),
      StoreUnusable: (error) => report(error.message)
    })
  )
).pipe(
  Command.withDescription("Receives callbacks, confirms them and reports each transition in order")
)

const report = (sentence: string) =>
  Effect.andThen(Console.error(sentence), Effect.fail(new Reported()))

/** Prints an invalid command line as one sentence, without the help. */
const output = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(event.errors[0]?.message.replace(/\s+/gu, " "))
      : CliOutput.defaultPresenter.present(event)
})

/** Logs to stderr, because stdout is for transitions. */
const logger = Logger.map(Logger.formatJson, (line) => {
  process.stderr.write(`${line}\n`)
})

let isEnding = false
const onSignal = () => {
  if (isEnding) process.exit(143)
  isEnding = true
  setTimeout(() => process.exit(1), 19_500).unref()
}
process.on("SIGTERM", onSignal).on("SIGINT", onSignal)
// If the reader of stdout is gone, the write fails, and so does the call of the handler.
process.stdout.on("error", () => {})

Command.run(command, { version }).pipe(
  Effect.provide([NodeServices.layer, output, Logger.layer([logger])]),
  NodeRuntime.runMain({
    teardown: (exit, onExit) =>
      onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)
