/**
 * The command `pawl`: the commands of all packages in one.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { conform } from "@pawl/testkit/bin/ConformCommand"
import { sandbox } from "@pawl/testkit/bin/SandboxCommand"
import { trigger } from "@pawl/testkit/bin/TriggerCommand"
import { receiver } from "@pawl/webhook/bin/ReceiverCommand"
import { reconcile } from "@pawl/webhook/bin/ReconcileCommand"
import { explain, exported, replay } from "@pawl/webhook/bin/StoryCommands"
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

const pawl = Command.make("pawl").pipe(
  Command.withDescription(
    "Payments on your machine. pawl COMMAND --help shows the settings and variables of a command"
  ),
  Command.withSubcommands([
    sandbox,
    trigger,
    receiver,
    explain,
    replay,
    exported,
    reconcile,
    conform
  ])
)

/** Prints only the first error: the next one may contain the value of a misspelt flag, which can be a secret. */
const output = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(event.errors[0]?.message.replace(/\s+/gu, " "))
      : CliOutput.defaultPresenter.present(event)
})

Command.run(pawl, { version }).pipe(
  Effect.provide([NodeServices.layer, output]),
  Effect.provideService(Logger.LogToStderr, true),
  NodeRuntime.runMain({
    teardown: (exit, onExit) =>
      onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)
