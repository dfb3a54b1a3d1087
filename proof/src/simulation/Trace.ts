import { Hmac } from "@pawl/core/Hmac"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Latch from "effect/Latch"
import * as Redacted from "effect/Redacted"

/** Records a simulation; a line may depend only on the plan. */
export type Trace = Effect.Success<typeof make>

/** A broken invariant; `at` is in milliseconds from the start. */
export interface Violation {
  readonly invariant: string
  readonly message: string
  readonly at: number
}

const hashedAtOnce = 100_000
const keptViolations = 5

export const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const hash = (yield* Hmac).keyed(Redacted.make("trace"))
  const marks = new Map<string, number>()
  const violations: Array<Violation> = []
  const latch = yield* Latch.make()
  const now = () => clock.currentTimeMillisUnsafe()
  let sum = ""
  let text = ""
  const flush = () => {
    sum = Hex.encode(hash(sum + text))
    text = ""
  }
  return {
    now,
    note: (event: string) => {
      text += `${now()} ${event}\n`
      if (text.length > hashedAtOnce) flush()
    },
    mark: (name: string) => {
      marks.set(name, (marks.get(name) ?? 0) + 1)
    },
    violation: (invariant: string, message: string) => {
      if (violations.filter((each) => each.invariant === invariant).length >= keptViolations) return
      latch.openUnsafe()
      violations.push({ invariant, message, at: now() })
    },
    violated: latch.await,
    end: () => {
      flush()
      return { hash: sum, marks, violations }
    }
  }
})
