/**
 * Runs the command `receiver` as `pawl-receiver`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { createRequire } from "node:module"
import * as CommandOutput from "@pawl/webhook/internal/CommandOutput"
import { make } from "./ReceiverCommand.ts"

const { version } = createRequire(import.meta.url)("../../package.json") as {
  readonly version: string
}

Command.run(make("pawl-receiver"), { version }).pipe(
  Effect.provide([NodeServices.layer, CommandOutput.layer]),
  NodeRuntime.runMain({ teardown: CommandOutput.teardown(true) })
)
