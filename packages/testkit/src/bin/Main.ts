/**
 * Runs a command as a process.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { createRequire } from "node:module"

const { version } = createRequire(import.meta.url)("../../package.json") as {
  readonly version: string
}

/**
 * Prints only the first error of an invalid invocation, without the help: a later error may contain the value
 * of a misspelt flag, which can be a secret.
 */
const output = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(event.errors[0]?.message.replace(/\s+/gu, " "))
      : CliOutput.defaultPresenter.present(event)
})

/** Runs a command with the arguments of the process. */
export const run = <Name extends string, Input, E>(
  command: Command.Command<Name, Input, unknown, E, NodeServices.NodeServices>
): void =>
  Command.run(command, { version }).pipe(
    Effect.provide([NodeServices.layer, output]),
    Effect.provideService(Logger.LogToStderr, true),
    NodeRuntime.runMain
  )
