import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"

/** Error that was already printed. It ends the process. */
export class Reported extends Data.TaggedError("Reported") {
  override readonly [Runtime.errorReported] = false
}

export const report = (sentence: string): Effect.Effect<never, Reported> =>
  Effect.andThen(Console.error(sentence), Effect.fail(new Reported()))
