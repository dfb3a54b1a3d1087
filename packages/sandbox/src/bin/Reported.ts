import * as Data from "effect/Data"
import * as Runtime from "effect/Runtime"

/** Error raised after the reason was printed, so that the process only exits with 1. */
export class Reported extends Data.TaggedError("Reported") {
  override readonly [Runtime.errorReported] = false
}
