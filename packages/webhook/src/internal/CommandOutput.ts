import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"

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

export const example =
  (words: string, description: string) =>
  <Name extends string, Input, ContextInput, E, R>(
    self: Command.Command<Name, Input, ContextInput, E, R>
  ): Command.Command<Name, Input, ContextInput, E, R> =>
    Command.withExamples(self, ({ commandPath }) => [
      { command: [...commandPath, words].join(" "), description }
    ])
