/**
 * What happened in a simulation, in order: its hash, what of it was met, and what did not hold.
 *
 * @since 0.1.0
 */
import { Hmac } from "@pawl/core/Hmac"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Latch from "effect/Latch"
import * as Redacted from "effect/Redacted"

/**
 * Notes what happens.
 *
 * - `note`: adds a line to the trace; it must not depend on anything but the plan.
 * - `mark`: counts something that a simulation is to have met.
 * - `breaks`: notes that an invariant did not hold. Of each invariant the first few are kept.
 * - `broke` waits until one did not.
 *
 * @category models
 * @since 0.1.0
 */
export interface Trace {
  readonly now: () => number
  readonly note: (line: string) => void
  readonly mark: (name: string) => void
  readonly breaks: (invariant: string, sentence: string) => void
  readonly broke: Effect.Effect<void>
  readonly end: () => {
    readonly hash: string
    readonly marks: ReadonlyMap<string, number>
    readonly broken: ReadonlyArray<Broken>
  }
}

/**
 * An invariant that did not hold.
 *
 * @category models
 * @since 0.1.0
 */
export interface Broken {
  readonly invariant: string
  readonly sentence: string
  readonly at: number
}

/** So much of the trace is hashed at once. */
const chunk = 100_000
const kept = 5

/**
 * Makes the trace of one simulation. `expected` are the marks it is to meet; `listen` takes every line.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (
  expected: ReadonlyArray<string>,
  listen: (line: string) => void = () => {}
): Effect.fn.Return<Trace, never, Hmac> {
  const clock = yield* Clock.Clock
  const hash = (yield* Hmac).keyed(Redacted.make("trace"))
  const marks = new Map(expected.map((name) => [name, 0]))
  const broken: Array<Broken> = []
  const broke = yield* Latch.make()
  const now = () => clock.currentTimeMillisUnsafe()
  let sum = ""
  let text = ""
  const flush = () => {
    sum = Hex.encode(hash(sum + text))
    text = ""
  }
  return {
    now,
    note: (what) => {
      const line = `${now()} ${what}`
      listen(line)
      text += `${line}\n`
      if (text.length > chunk) flush()
    },
    mark: (name) => {
      marks.set(name, (marks.get(name) ?? 0) + 1)
    },
    breaks: (invariant, sentence) => {
      if (broken.filter((each) => each.invariant === invariant).length >= kept) return
      broke.openUnsafe()
      broken.push({ invariant, sentence, at: now() })
      listen(`${now()} ${invariant} DOES NOT HOLD: ${sentence}`)
    },
    broke: broke.await,
    end: () => {
      flush()
      return { hash: sum, marks, broken }
    }
  }
})
