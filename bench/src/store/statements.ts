/**
 * The statements and commits on SQLite of one callback until its handler was told, and the files of
 * the package that it passes.
 */
import * as Effect from "effect/Effect"
import * as Children from "./children.ts"
import { forBoth } from "./cpu.ts"
import * as Places from "./places.ts"
import type { Operations } from "./receiverProgram.ts"
import { type Both, figure, type Figure } from "./turns.ts"

const shortened = (line: string): string => (line.length > 100 ? `${line.slice(0, 99)}…` : line)

export const statements = Effect.fnUntraced(function* (trees: Both<string>) {
  const counts = yield* forBoth(
    Effect.fnUntraced(function* (side) {
      const { options } = yield* Places.make("sqlite")
      const call = yield* Children.start<Operations>("receiverProgram.ts", trees[side], options)
      const counts = yield* Effect.promise(() => call("count", undefined))
      console.error(
        [`statements of the ${side} commit:`, ...counts.lines.map(shortened)].join("\n  ")
      )
      const files = yield* Effect.promise(() => call("files", undefined))
      console.error([`files of the ${side} commit:`, ...files].join("\n  "))
      return { ...counts, files: files.length }
    })
  )
  const numbers = (of: "statements" | "commits" | "files") => ({
    old: [counts.old[of]],
    new: [counts.new[of]]
  })
  const name = "sqlite, a callback until its handler was told"
  const figures: ReadonlyArray<Figure> = [
    figure(name, "statements", numbers("statements"), { of: "new", atMost: 10 }),
    figure(name, "commits", numbers("commits"), { of: "new", atMost: 4 }),
    figure(name, "files", numbers("files"), { of: "new", atMost: 38 })
  ]
  return figures
}, Effect.scoped)
