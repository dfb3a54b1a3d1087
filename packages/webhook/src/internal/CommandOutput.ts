import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Exit from "effect/Exit"
import type * as Runtime from "effect/Runtime"

/**
 * Prints only the first error of an invocation, because a later one may contain a secret after a
 * misspelt flag. URLs lose their user and password.
 */
export const layer = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(printed(event.errors[0]?.message ?? ""))
      : CliOutput.defaultPresenter.present(event)
})

const printed = (message: string): string =>
  message.replace(/\s+/gu, " ").replace(/:\/\/[^\s/"]*@/gu, "://<redacted>@")

/** The words of a server's command that name work with an end. */
const works = ["migrate", "erase", "rename", "--move-rows"]

/** Ends the process: a signal ends a server with 0, and work without its result with 130. */
export const teardown =
  (isServer: boolean): Runtime.Teardown =>
  (exit, onExit) => {
    const isWork = process.argv.some((word) => works.includes(word))
    const interrupted = isServer && !isWork ? 0 : 130
    onExit(Exit.isSuccess(exit) ? 0 : Cause.hasInterruptsOnly(exit.cause) ? interrupted : 1)
  }

export const example =
  (words: string, description: string) =>
  <Name extends string, Input, ContextInput, E, R>(
    self: Command.Command<Name, Input, ContextInput, E, R>
  ): Command.Command<Name, Input, ContextInput, E, R> =>
    Command.withExamples(self, ({ commandPath }) => [
      { command: [...commandPath, words].join(" "), description }
    ])
