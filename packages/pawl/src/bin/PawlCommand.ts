/**
 * The command `pawl`: the commands of all packages in one. Each is loaded only when it runs.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import { createRequire } from "node:module"

const { version } = createRequire(import.meta.url)("../../package.json") as {
  readonly version: string
}

/** The commands, each with the text of its help and the import that loads it. */
const commands = {
  sandbox: [
    "The payments service, on a port of this machine",
    () => import("@pawl/testkit/bin/SandboxCommand").then(({ sandbox }) => sandbox)
  ],
  trigger: [
    "Makes a transaction on a running sandbox and follows it to its end",
    () => import("@pawl/testkit/bin/TriggerCommand").then(({ trigger }) => trigger)
  ],
  receiver: [
    "Receives callbacks, confirms them and reports each transition in order",
    () => import("@pawl/webhook/bin/ReceiverCommand").then(({ receiver }) => receiver)
  ],
  explain: [
    "Tells what happened to a transaction, in sentences",
    () => import("@pawl/webhook/bin/StoryCommands").then(({ explain }) => explain)
  ],
  replay: [
    "Says whether the facts of a transaction lead to its row",
    () => import("@pawl/webhook/bin/StoryCommands").then(({ replay }) => replay)
  ],
  export: [
    "Prints the command that repeats a transaction on a sandbox",
    () => import("@pawl/webhook/bin/StoryCommands").then(({ exported }) => exported)
  ],
  reconcile: [
    "Reads the transactions of a day again, and writes what differs",
    () => import("@pawl/webhook/bin/ReconcileCommand").then(({ reconcile }) => reconcile)
  ],
  conform: [
    "Checks the laws of a receiver at a URL, in any language",
    () => import("@pawl/testkit/bin/ConformCommand").then(({ conform }) => conform)
  ],
  doctor: [
    "Asks a real service about the points its specification leaves open",
    () => import("@pawl/testkit/bin/DoctorCommand").then(({ doctor }) => doctor)
  ],
  mcp: [
    "Serves assistants (MCP, on standard input and output): finds and explains transactions of a receiver",
    () => import("@pawl/webhook/bin/McpCommand").then(({ mcp }) => mcp)
  ]
} as const

const words = process.argv.slice(2)
const wanted = words.find((word) => Object.hasOwn(commands, word))
const isWhole = words.includes("--completions") || words.includes("--wizard")

/** Loads the command that is wanted, which may take a second. Help needs only the names of the others. */
const subcommands = await Promise.all(
  Object.entries(commands).map(([name, [text, load]]) =>
    isWhole || name === wanted
      ? load()
      : Promise.resolve(Command.make(name).pipe(Command.withDescription(text)))
  )
)

const pawl = Command.make("pawl").pipe(
  Command.withDescription(
    "Payments on your machine. pawl COMMAND --help shows the settings and variables of a command"
  ),
  Command.withSubcommands(subcommands)
)

/** Prints only the first error: the next one may contain the value of a misspelt flag, which can be a secret. */
const output = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(event.errors[0]?.message.replace(/\s+/gu, " "))
      : CliOutput.defaultPresenter.present(event)
})

/** A server ends when it is told to. An interrupted check has not come to its result. */
const interrupted = ["sandbox", "receiver"].includes(process.argv[2] ?? "") ? 0 : 130

Command.run(pawl, { version }).pipe(
  Effect.provide([NodeServices.layer, output]),
  Effect.provideService(Logger.LogToStderr, true),
  NodeRuntime.runMain({
    teardown: (exit, onExit) =>
      onExit(Exit.isSuccess(exit) ? 0 : Cause.hasInterruptsOnly(exit.cause) ? interrupted : 1)
  })
)
