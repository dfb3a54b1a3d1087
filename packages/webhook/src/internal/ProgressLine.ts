/**
 * The progress of a long command: one line on stderr, rewritten in place, without colours.
 *
 * Only a terminal shows it: a pipe, a job of CI (`CI` is set) and `--json` get nothing.
 */
import * as Effect from "effect/Effect"

const isShown = (): boolean => {
  const { CI } = process.env
  return process.stderr.isTTY && !CI && !process.argv.includes("--json")
}

/** The characters of the line that the terminal shows now. */
let shown = 0

/** Rewrites the line, cut to the width of the terminal. */
export const show = (text: string): void => {
  if (!isShown()) return
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

/** Shows a text every second while an effect runs, and removes it at the end. */
export const during =
  (text: () => string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.raceFirst(
      self,
      Effect.forever(
        Effect.delay(
          Effect.sync(() => show(text())),
          "1 second"
        )
      )
    ).pipe(Effect.ensuring(Effect.sync(clear)))
