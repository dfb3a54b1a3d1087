import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"

/**
 * Prints the first error of an invocation alone, without the help: a later error may contain the
 * value of a misspelt flag, which can be a secret. URLs lose their user and password.
 */
export const layer = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(printed(event.errors[0]?.message ?? ""))
      : CliOutput.defaultPresenter.present(event)
})

const printed = (message: string): string =>
  message.replace(/\s+/gu, " ").replace(/:\/\/[^\s/"]*@/gu, "://<redacted>@")

/** Adds an invocation to the help of a command, under the name by which it was run. */
export const example =
  (words: string, description: string) =>
  <Name extends string, Input, ContextInput, E, R>(
    self: Command.Command<Name, Input, ContextInput, E, R>
  ): Command.Command<Name, Input, ContextInput, E, R> =>
    Command.withExamples(self, ({ commandPath }) => [
      { command: [...commandPath, words].join(" "), description }
    ])
