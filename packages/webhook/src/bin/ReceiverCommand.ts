/**
 * The receiver as a process of its own, for applications in any language.
 *
 * Prints one line on stdout once it serves, `ready http://127.0.0.1:4020/callback`, and then, unless it
 * forwards them, each transition as one line of JSON. Logs go to stderr, a line of JSON each.
 *
 * SIGTERM ends it with 0: what is in flight is answered, what is at work is handed back. A second one
 * ends it at once.
 *
 * @since 0.1.0
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { isLoopback } from "@pawl/core/Loopback"
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
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type { RequestListener } from "node:http"
import { createRequire } from "node:module"
import * as Admin from "../Admin.ts"
import * as Forwarder from "../Forwarder.ts"
import * as Ledger from "../Ledger.ts"
import type * as LedgerSql from "../LedgerSql.ts"
import * as NodeReceiver from "../NodeReceiver.ts"
import * as NodeSqlite from "../NodeSqlite.ts"
import * as Receiver from "../Receiver.ts"
import * as Verifier from "../Verifier.ts"
import * as Settings from "./Settings.ts"

const { version } = createRequire(import.meta.url)("../../package.json") as {
  readonly version: string
}

/** Fails a process whose user was told why already. */
class Reported extends Data.TaggedError("Reported") {
  override readonly [Runtime.errorReported] = false
}

/** Fails with one sentence. */
class StoreUnusable extends Data.TaggedError("StoreUnusable")<{ readonly message: string }> {}

/** Opens a ledger, or says in the words of whoever failed why not; they name no password. */
const open = (
  layer: Layer.Layer<Ledger.Ledger, LedgerSql.StartError>,
  say: (error: Error) => string
): Layer.Layer<Ledger.Ledger, StoreUnusable> =>
  Layer.effect(
    Ledger.Ledger,
    Layer.build(layer).pipe(
      Effect.map(Context.get(Ledger.Ledger)),
      Effect.mapError((error) => new StoreUnusable({ message: say(error) }))
    )
  )

const innermost = (error: Error): string =>
  error.cause instanceof Error ? innermost(error.cause) : error.message

const layerLedger = (store: Settings.Store): Layer.Layer<Ledger.Ledger, StoreUnusable> => {
  if (store._tag === "memory") return Ledger.layerMemory
  if (store._tag === "sqlite") return open(NodeSqlite.layerLedger(store), ({ message }) => message)
  // PostgreSQL's client is an optional peer, so it is loaded only by who needs it.
  return Effect.tryPromise({
    try: () => import("../NodePostgres.ts"),
    catch: () =>
      new StoreUnusable({ message: "PostgreSQL needs @effect/sql-pg: npm install @effect/sql-pg" })
  }).pipe(
    Effect.map(({ layerLedger }) =>
      open(
        layerLedger({ url: store.url }),
        (error) =>
          `The PostgreSQL database cannot be used (${innermost(error)}): start it, or mend the address in --store`
      )
    ),
    Layer.unwrap
  )
}

/** Prints transitions, once `ready` was printed. A line that cannot be written was not told. */
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

const pathOf = (url = ""): string =>
  url.replace(/^https?:\/\/[^/?#]*/iu, "").replace(/[?#].*$/u, "")

const adminListener = Effect.gen(function* () {
  const { answer } = yield* Admin.Admin
  const run = Effect.runForkWith(yield* Effect.context())
  const listener: RequestListener = ({ headers, method = "", url }, response) => {
    const fiber = run(answer({ method, path: pathOf(url), headers }))
    fiber.addObserver((exit) => {
      const { body, headers, status } = Exit.isSuccess(exit)
        ? exit.value
        : { status: 500, headers: {}, body: "" }
      response
        .writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) })
        .end(body)
    })
  }
  return listener
})

const serve = Effect.fnUntraced(function* (options: {
  readonly host: string
  readonly port: number
  readonly path: string
  readonly adminPort: Option.Option<number>
}) {
  const { host, path } = options
  const receive = yield* NodeReceiver.listener
  const administer = yield* adminListener
  const adminPort = Option.getOrUndefined(options.adminPort)
  const isAdministered = adminPort === undefined && isLoopback(host)
  const port = yield* NodeReceiver.listen((request, response) => {
    const asked = pathOf(request.url)
    if (asked === path) receive(request, response)
    else if (isAdministered || asked === "/healthz") administer(request, response)
    else response.writeHead(404, { "content-length": 0 }).end()
  }, options)
  if (adminPort !== undefined) {
    const bound = yield* NodeReceiver.listen(administer, { host: "127.0.0.1", port: adminPort })
    yield* Effect.logInfo(`The operator's side is at http://127.0.0.1:${bound}`)
  } else if (!isAdministered) {
    yield* Effect.logInfo("There is no operator's side beyond loopback: give --admin-port for one")
  }
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}${path}`
})

const command = Command.make(
  "receiver",
  Settings.flags,
  Effect.fnUntraced(
    function* ({ adminPort, confirm, host, path, port, ...given }) {
      const settings = yield* Settings.make({ path, ...given })
      const { forward, forwardSecret, secrets, service, store } = settings
      const ready = yield* Latch.make()
      const handler =
        forward === undefined
          ? layerStdout(ready)
          : Forwarder.layer({ url: forward, secret: forwardSecret }).pipe(
              Layer.provide(NodeHttpClient.layerUndici)
            )
      const layer = Layer.merge(
        Receiver.layer({ policy: confirm }),
        Admin.layer({ policy: confirm })
      ).pipe(
        Layer.provide([layerLedger(store), handler, Pawl.layer(service), Verifier.layer(secrets)]),
        Layer.provide(NodeHmac.layer)
      )
      if (store._tag === "memory") {
        yield* Effect.logWarning(
          "Callbacks are kept in memory and gone when this ends: --store sqlite:FILE keeps them"
        )
      }
      const context = yield* Layer.build(layer)
      const url = yield* Effect.provideContext(serve({ adminPort, host, path, port }), context)
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
).pipe(Command.withDescription("Takes callbacks in, and tells the truth in order"))

const report = (sentence: string) =>
  Effect.andThen(Console.error(sentence), Effect.fail(new Reported()))

/** One sentence about what is wrong first, and the help only for who asks for it. */
const output = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(event.errors[0]?.message.replace(/\s+/gu, " "))
      : CliOutput.defaultPresenter.present(event)
})

/** One line each, on stderr: stdout is for what was told. */
const logger = Logger.map(Logger.formatJson, (line) => {
  process.stderr.write(`${line}\n`)
})

let isEnding = false
const onSignal = () => {
  if (isEnding) process.exit(143)
  isEnding = true
  setTimeout(() => process.exit(1), 14_000).unref()
}
process.on("SIGTERM", onSignal).on("SIGINT", onSignal)
// Whoever read our stdout may be gone; the handler hears of it.
process.stdout.on("error", () => {})

Command.run(command, { version }).pipe(
  Effect.provide([NodeServices.layer, output, Logger.layer([logger])]),
  NodeRuntime.runMain({
    teardown: (exit, onExit) =>
      onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)
