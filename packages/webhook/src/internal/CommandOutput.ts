import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"

/**
 * Prints only the first error, because a later one may contain a secret after a misspelt flag. URLs
 * lose their user and password.
 */
const layerErrors = CliOutput.layerPresenter({
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const [error] = event.errors
    const isUnknown = error?._tag === "UnknownSubcommand" && error.suggestions.length === 0
    return Console.error(
      `${printed(error?.message ?? "")}${isUnknown ? ". --help lists the subcommands" : ""}`
    )
  }
})

/**
 * Continues a command whose output nobody reads any more, as after `| head`: its work may be half
 * done. Another failure of output, such as a full disk, ends it with 1.
 */
const layerUnread = Layer.effectDiscard(
  Effect.sync(() => {
    for (const output of [process.stdout, process.stderr]) {
      output.on("error", ({ code }: NodeJS.ErrnoException) => {
        if (code !== "EPIPE") process.exitCode = 1
      })
    }
  })
)

/**
 * Treats the close of the terminal, which may signal twice, as one SIGTERM, or as the signal with
 * which a supervisor sends it. The system may deliver that one later.
 */
const layerHangUp = Layer.effectDiscard(
  Effect.suspend(() => {
    let isEnding = false
    const note = () => {
      isEnding = true
    }
    process.once("SIGTERM", note).once("SIGINT", note)
    const hangUp = Effect.callback<void>((resume) => {
      process.on("SIGHUP", () => resume(Effect.void))
    })
    const end = Effect.sync(() => isEnding || process.kill(process.pid, "SIGTERM"))
    const ended = Effect.andThen(hangUp, Effect.delay(end, "100 millis"))
    return Effect.forkScoped(ended, { startImmediately: true })
  })
)

export const layer = Layer.mergeAll(layerErrors, layerUnread, layerHangUp)

const printed = (message: string): string =>
  message.replace(/\s+/gu, " ").replace(/:\/\/[^\s/"]*@/gu, "://<redacted>@")

/** The words of a server's command that name work with an end. */
const works = ["migrate", "erase", "rename", "trigger", "--move-rows", "--move-rows=true"]

/** Ends the process: a signal ends a server with 0, and work without its result with 130. */
export const teardown =
  (isServer: boolean): Runtime.Teardown =>
  (exit, onExit) => {
    // The words after -- are those of the server's program.
    const end = process.argv.indexOf("--")
    const words = end === -1 ? process.argv : process.argv.slice(0, end)
    const isWork = words.some((word) => works.includes(word))
    const interrupted = isServer && !isWork ? 0 : 130
    onExit(Exit.isSuccess(exit) ? 0 : Cause.hasInterruptsOnly(exit.cause) ? interrupted : 1)
  }

/** Error raised after the reason was printed, so that the process only exits with 1. */
export class Reported extends Data.TaggedError("Reported") {
  override readonly [Runtime.errorReported] = false
}

export const report = (sentence: string): Effect.Effect<never, Reported> =>
  Effect.andThen(Console.error(sentence), Effect.fail(new Reported()))

/** A second call replaces the examples. */
export const examples =
  (...all: ReadonlyArray<readonly [words: string, description: string]>) =>
  <Name extends string, Input, ContextInput, E, R>(
    self: Command.Command<Name, Input, ContextInput, E, R>
  ): Command.Command<Name, Input, ContextInput, E, R> =>
    Command.withExamples(self, ({ commandPath }) =>
      all.map(([words, description]) => ({
        command: [...commandPath, words].join(" "),
        description
      }))
    )

export const example = (words: string, description: string) => examples([words, description])

/** Returns a number with its noun, such as "1 law" and "2 laws". */
export const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? "" : "s"}`
