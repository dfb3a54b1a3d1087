/**
 * Runs the command `receiver` as `pawl-receiver`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { createRequire } from "node:module"
import { receiver } from "./ReceiverCommand.ts"

const { version } = createRequire(import.meta.url)("../../package.json") as {
  readonly version: string
}

/** Prints an invalid command line as one sentence, without the help. */
const output = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(event.errors[0]?.message.replace(/\s+/gu, " "))
      : CliOutput.defaultPresenter.present(event)
})

Command.run(receiver, { version }).pipe(
  Effect.provide([NodeServices.layer, output]),
  NodeRuntime.runMain({
    teardown: (exit, onExit) =>
      onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)
