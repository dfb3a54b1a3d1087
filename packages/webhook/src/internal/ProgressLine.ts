/**
 * The progress of a long command on stderr, without colours: on a terminal one line, rewritten in
 * place; in a pipe or in CI (`CI` is set) a line a minute; with `--json` none.
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"

const isJson = (): boolean => process.argv.includes("--json")

const isTerminal = (): boolean => {
  const { CI } = process.env
  return process.stderr.isTTY && !CI && !isJson()
}

let shown = 0

/** Rewrites the line, cut to the width of the terminal. */
export const show = (text: string): void => {
  if (!isTerminal()) return
  // A terminal without a size states 0 columns.
  const line = text.slice(0, (process.stderr.columns || 80) - 1)
  process.stderr.write(`\r${line.padEnd(shown)}`)
  shown = line.length
}

/** Removes the line, before other output and at the end. */
export const clear = (): void => {
  if (shown === 0) return
  process.stderr.write(`\r${" ".repeat(shown)}\r`)
  shown = 0
}

const print = (text: string): void => {
  if (!isJson()) process.stderr.write(`${text.trim()}\n`)
}

const clearBeforeLogs = Effect.updateService(
  Logger.CurrentLoggers,
  (loggers) =>
    new Set(
      [...loggers].map((logger) =>
        Logger.make((entry: Logger.Options<unknown>) => {
          clear()
          return logger.log(entry)
        })
      )
    )
)

/** Shows a text while an effect runs: every second on a terminal, else every minute. */
export const during =
  (text: () => string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const isRewritten = isTerminal()
      const write = Effect.sync(() => (isRewritten ? show : print)(text()))
      return Effect.raceFirst(
        clearBeforeLogs(self),
        Effect.forever(Effect.delay(write, isRewritten ? "1 second" : "1 minute"))
      )
    }).pipe(Effect.ensuring(Effect.sync(clear)))
