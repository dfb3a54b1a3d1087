/**
 * The output of the commands, for every program that runs one.
 */
import * as CliOutput from "effect/cli/CliOutput"
import * as Console from "effect/Console"

/**
 * Prints only the first error of an invalid invocation, without the help: a later error may contain the value
 * of a misspelt flag, which can be a secret. A URL is printed without its user and password.
 */
export const layer = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(printed(event.errors[0]?.message ?? ""))
      : CliOutput.defaultPresenter.present(event)
})

const printed = (message: string): string =>
  message.replace(/\s+/gu, " ").replace(/:\/\/[^\s/"]*@/gu, "://<redacted>@")
