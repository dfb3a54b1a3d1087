/**
 * Runs a command as a process. A signal ends a server with 0, and another command with 130.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CommandOutput from "@pawl/webhook/internal/CommandOutput"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { createRequire } from "node:module"

const { version } = createRequire(import.meta.url)("../../package.json") as {
  readonly version: string
}

export const run = <Name extends string, Input, E>(
  command: Command.Command<Name, Input, unknown, E, NodeServices.NodeServices>,
  { isServer }: { readonly isServer: boolean }
): void =>
  Command.run(command, { version }).pipe(
    Effect.provide([NodeServices.layer, CommandOutput.layer]),
    Effect.provideService(Logger.LogToStderr, true),
    NodeRuntime.runMain({ teardown: CommandOutput.teardown(isServer) })
  )
