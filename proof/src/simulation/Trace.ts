import { Hmac } from "@pawl/core/Hmac"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Latch from "effect/Latch"
import * as Redacted from "effect/Redacted"

/** Records a simulation; a line may depend only on the plan. */
export interface Trace {
  readonly now: () => number
  readonly note: (line: string) => void
  readonly mark: (name: string) => void
  readonly violation: (invariant: string, message: string) => void
  readonly violated: Effect.Effect<void>
  readonly end: () => {
    readonly hash: string
    readonly marks: ReadonlyMap<string, number>
    readonly violations: ReadonlyArray<Violation>
  }
}

/** A broken invariant; `at` is in milliseconds from the start. */
export interface Violation {
  readonly invariant: string
  readonly message: string
  readonly at: number
}

const hashedAtOnce = 100_000
const keptViolations = 5

export const make = Effect.fnUntraced(function* (
  expected: ReadonlyArray<string>,
  listen: (line: string) => void = () => {}
): Effect.fn.Return<Trace, never, Hmac> {
  const clock = yield* Clock.Clock
  const hash = (yield* Hmac).keyed(Redacted.make("trace"))
  const marks = new Map(expected.map((name) => [name, 0]))
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
    note: (event) => {
      const line = `${now()} ${event}`
      listen(line)
      text += `${line}\n`
      if (text.length > hashedAtOnce) flush()
    },
    mark: (name) => {
      marks.set(name, (marks.get(name) ?? 0) + 1)
    },
    violation: (invariant, message) => {
      if (violations.filter((each) => each.invariant === invariant).length >= keptViolations) return
      latch.openUnsafe()
      violations.push({ invariant, message, at: now() })
      listen(`${now()} ${invariant} DOES NOT HOLD: ${message}`)
    },
    violated: latch.await,
    end: () => {
      flush()
      return { hash: sum, marks, violations }
    }
  }
})
