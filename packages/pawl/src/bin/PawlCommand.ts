/** The command `pawl`. Each of its commands is loaded only when it runs. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CommandOutput from "@pawl/webhook/internal/CommandOutput"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { createRequire } from "node:module"
import * as Missing from "../internal/Missing.ts"

const { version } = createRequire(import.meta.url)("../../package.json") as {
  readonly version: string
}

const texts = {
  sandbox: "The payments service, on a port of this machine",
  trigger: "Makes a transaction on a running sandbox and follows it to its end",
  receiver: "Receives callbacks, confirms them and reports each transition in order",
  explain: "Prints the story of a transaction, in sentences",
  replay: "Says whether the facts of a transaction lead to its row",
  export: "Prints the command that repeats a transaction on a sandbox",
  erase: "Deletes a person's data from transactions of a receiver",
  reconcile: "Compares a day's transactions with the service, and writes the differences",
  conform: "Checks the laws of a receiver at a URL, in any language",
  doctor: "Asks a real service about the points its specification leaves open",
  mcp: "Lets assistants find and explain the transactions of a receiver (MCP, on standard input and output)"
}

/** The modules of a command take up to a second to load, and its package may be missing. */
const loaders = {
  sandbox: () => import("@pawl/sandbox/bin/SandboxCommand").then((m) => m.sandbox),
  trigger: () => import("@pawl/sandbox/bin/TriggerCommand").then((m) => m.trigger),
  receiver: () => import("@pawl/receiver/bin/ReceiverCommand").then((m) => m.receiver),
  explain: () => import("@pawl/receiver/bin/StoryCommands").then((m) => m.explain),
  replay: () => import("@pawl/receiver/bin/StoryCommands").then((m) => m.replay),
  export: () => import("@pawl/receiver/bin/StoryCommands").then((m) => m.exported),
  erase: () => import("@pawl/receiver/bin/EraseCommand").then((m) => m.erase),
  reconcile: () => import("@pawl/receiver/bin/ReconcileCommand").then((m) => m.reconcile),
  conform: () => import("@pawl/sandbox/bin/ConformCommand").then((m) => m.conform),
  doctor: () => import("@pawl/sandbox/bin/DoctorCommand").then((m) => m.doctor),
  mcp: () => import("@pawl/receiver/bin/McpCommand").then((m) => m.mcp)
}

const missing = (name: keyof typeof texts) => (error: unknown) => {
  const sentence = Missing.sentence(error, `pawl ${name}`)
  if (sentence === undefined) throw error
  if (name === wanted) {
    console.error(sentence)
    process.exit(1)
  }
  return named(name)
}

const named = (name: keyof typeof texts) =>
  Command.make(name).pipe(Command.withDescription(texts[name]))

const words = process.argv.slice(2)
const wanted = words.find((word) => Object.hasOwn(texts, word))
const isWhole = words.includes("--completions") || words.includes("--wizard")

/**
 * The commands, of which only the wanted one is loaded: help needs only the names of the others.
 */
const subcommands = await Promise.all(
  Object.entries(loaders).map(([key, load]) => {
    const name = key as keyof typeof texts
    return isWhole || name === wanted ? load().catch(missing(name)) : Promise.resolve(named(name))
  })
)

const pawl = Command.make("pawl").pipe(
  Command.withDescription(
    "Payments on your machine. pawl COMMAND --help shows the settings and variables of a command"
  ),
  CommandOutput.example("sandbox --port 4010", "Starts the payments service on this machine"),
  Command.withSubcommands(subcommands)
)

Command.run(pawl, { version }).pipe(
  Effect.provide([NodeServices.layer, CommandOutput.layer]),
  Effect.provideService(Logger.LogToStderr, true),
  NodeRuntime.runMain({
    teardown: CommandOutput.teardown(["sandbox", "receiver", "mcp"].includes(wanted ?? ""))
  })
)
