/**
 * What holds of correct code, as values that any runner can run against yours.
 *
 * **Details**
 *
 * A law has a name, the section that says so, a short explanation, and a check that takes what is put to
 * the test: a function, a layer, a handler, a URL. `run` makes a promise of the check, so a law is a test in
 * Vitest and in `node:test`, and a line in a script. What is found is laid out for reading, shrunk as far as it
 * goes, with the seed and path that meet it again.
 *
 * The laws are in modules named for what they are about: `Laws/Rule`, `Laws/Reducer`, `Laws/Ledger`,
 * `Laws/Receiver`, `Laws/Client`, `Laws/Gateway`.
 *
 * **Example** (Your own rule for callbacks out of order)
 *
 * ```ts
 * import * as Laws from "@pawl/testkit/Laws"
 * import * as Rule from "@pawl/testkit/Laws/Rule"
 * import { advance, isStatus, type Status } from "@pawl/core/Status"
 *
 * const mine = Rule.fold<Status | undefined>((stored, incoming) =>
 *   isStatus(incoming) ? advance(stored, incoming).status : stored
 * )
 *
 * for (const law of Rule.laws) await Laws.run(law, mine)
 * ```
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Result from "effect/Result"
import * as fc from "fast-check"

/**
 * What a law says, and where it is written. `section` is a heading of `docs/spec.md` or a decision page.
 *
 * @category models
 * @since 0.1.0
 */
export interface About {
  readonly name: string
  readonly section: string
  readonly explanation: string
}

/**
 * A law about a subject, tried on values.
 *
 * @category models
 * @since 0.1.0
 */
export interface Law<in Subject, in Value = never> extends About {
  readonly check: (subject: Subject, options?: Options<Value>) => Effect.Effect<void, LawBroken>
}

/**
 * How hard a law is tried.
 *
 * - `examples`: values to try first, such as counterexamples found before.
 * - `numRuns`: how many random values; 1,000 by default.
 * - `seed`, `path`: those of an earlier break, to meet it again. With a seed, all values are drawn from it;
 *   without one the short ones are tried first, all of them, where a law can list them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<out Value = never> {
  readonly examples?: ReadonlyArray<Value>
  readonly numRuns?: number
  readonly seed?: number
  readonly path?: string
}

/**
 * Error raised when a law does not hold.
 *
 * - `wrong` is what is wrong, in words.
 * - `counterexample` is the value it does not hold for, if there is one; `shown` is the same for reading.
 * - `seed`, `path` lead there again; undefined when nothing was drawn.
 *
 * @category errors
 * @since 0.1.0
 */
export class LawBroken extends Data.TaggedError("LawBroken")<{
  readonly law: About
  readonly wrong: string
  readonly counterexample?: unknown
  readonly shown?: string | undefined
  readonly seed?: number | undefined
  readonly path?: string | undefined
}> {
  override get message() {
    const { law, path, seed, shown, wrong } = this
    const again =
      seed === undefined ? "again: run it once more" : `again: { seed: ${seed}, path: "${path}" }`
    return [
      `It does not hold that ${law.name}`,
      ...(shown === undefined ? [] : [indent(shown)]),
      indent(wrong),
      indent(`${law.explanation}\n(${law.section})`),
      indent(again)
    ].join("\n\n")
  }

  /** What `node:test` and `console.log` print. */
  override [Inspectable.NodeInspectSymbol](): string {
    return this.message
  }
}

/**
 * Runs a law in any runner: the promise is rejected with `LawBroken` when it does not hold.
 *
 * @category running
 * @since 0.1.0
 */
export const run = <Subject, Value>(
  law: Law<Subject, Value>,
  subject: Subject,
  options?: Options<Value>
): Promise<void> => Effect.runPromise(law.check(subject, options))

/**
 * Makes a law of one example. It holds when the body ends without an error or defect, a failed assertion
 * among them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const example = <Subject>(
  about: About,
  body: (subject: Subject) => Effect.Effect<unknown, unknown>
): Law<Subject> => ({ ...about, check: (subject) => held(about, body(subject)) })

/**
 * Makes a law of all values of an arbitrary. `wrong` says what is wrong with the subject for a value, or
 * nothing; what it throws is wrong, too. `short` lists the values that are tried before any is drawn,
 * `show` lays one out for reading.
 *
 * @category constructors
 * @since 0.1.0
 */
export const property = <Subject, A>(
  about: About,
  options: {
    readonly arbitrary: fc.Arbitrary<A>
    readonly short?: () => Iterable<A>
    readonly show: (value: A) => string
    readonly wrong: (subject: Subject, value: A) => string | undefined
  }
): Law<Subject, A> => {
  const { arbitrary, short, show, wrong } = options
  return {
    ...about,
    check: (subject, given = {}) =>
      Effect.suspend(() => {
        const { examples = [], ...rest } = given
        const say = (value: A) => saying(() => wrong(subject, value))
        const first =
          firstOf(examples, say) ?? firstOf(rest.seed === undefined ? (short?.() ?? []) : [], say)
        if (first !== undefined) {
          const { said, value } = first
          return Effect.fail(
            new LawBroken({ law: about, wrong: said, counterexample: value, shown: show(value) })
          )
        }
        const holds = fc.property(arbitrary, (value) => wrong(subject, value) === undefined)
        return report(about, show, fc.check(holds, toParameters(rest)), (value) =>
          Effect.succeed(say(value))
        )
      })
  }
}

/**
 * Makes a law of all values of an arbitrary whose check is an effect: over a ledger, a receiver, a client.
 * It holds when every effect ends without an error or defect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const propertyEffect = <Subject, A>(
  about: About,
  options: {
    readonly arbitrary: fc.Arbitrary<A>
    readonly show: (value: A) => string
    readonly body: (subject: Subject, value: A) => Effect.Effect<unknown, unknown>
    readonly numRuns?: number
  }
): Law<Subject, A> => {
  const { arbitrary, body, numRuns, show } = options
  return {
    ...about,
    check: Effect.fnUntraced(function* (subject, given = {}) {
      const runPromise = Effect.runPromiseWith(yield* Effect.context())
      const say = (value: A) => complaint(Effect.as(body(subject, value), undefined))
      const holds = fc.asyncProperty(arbitrary, (value) =>
        runPromise(Effect.map(say(value), (wrong) => wrong === undefined))
      )
      const { examples = [], ...rest } = given
      const details = yield* Effect.promise(() =>
        fc.check(holds, {
          ...toParameters({ ...(numRuns !== undefined && { numRuns }), ...rest }),
          examples: examples.map((value): [A] => [value])
        })
      )
      return yield* report(about, show, details, say)
    })
  }
}

/**
 * Makes a law of a few values, all tried in their order: the simplest first, since nothing shrinks.
 *
 * @category constructors
 * @since 0.1.0
 */
export const each = <Subject, A>(
  about: About,
  given: {
    readonly values: ReadonlyArray<A>
    readonly show: (value: A) => string
    readonly body: (subject: Subject, value: A) => Effect.Effect<unknown, unknown>
  }
): Law<Subject, A> => ({
  ...about,
  check: (subject, { examples = [] } = {}) =>
    Effect.forEach(
      [...examples, ...given.values],
      (value) =>
        held(about, given.body(subject, value), {
          counterexample: value,
          shown: given.show(value)
        }),
      { discard: true }
    )
})

/** Fails where a body does, with what it was tried on. */
const held = (
  law: About,
  body: Effect.Effect<unknown, unknown>,
  on: { readonly counterexample?: unknown; readonly shown?: string } = {}
): Effect.Effect<void, LawBroken> =>
  Effect.flatMap(complaint(Effect.as(body, undefined)), (wrong) =>
    wrong === undefined ? Effect.void : Effect.fail(new LawBroken({ law, wrong, ...on }))
  )

const toParameters = ({ numRuns = 1000, path, seed }: Omit<Options, "examples">) => ({
  numRuns,
  ...(seed !== undefined && { seed }),
  ...(path !== undefined && { path })
})

/** Turns what fast-check found into the error of a law. */
const report = <A>(
  law: About,
  show: (value: A) => string,
  { counterexample, counterexamplePath, failed, seed }: fc.RunDetails<[A]>,
  say: (value: A) => Effect.Effect<string | undefined>
): Effect.Effect<void, LawBroken> => {
  if (!failed) return Effect.void
  if (counterexample === null) {
    return Effect.fail(new LawBroken({ law, wrong: "too few values could be drawn", seed }))
  }
  const [value] = counterexample
  return Effect.flatMap(say(value), (wrong = "it did not hold, and did when tried again") =>
    Effect.fail(
      new LawBroken({
        law,
        wrong,
        counterexample: value,
        shown: show(value),
        seed,
        path: counterexamplePath ?? undefined
      })
    )
  )
}

/** Says what is wrong in the words of whatever was thrown. */
const describe = (thrown: unknown): string =>
  thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `it failed with ${String(thrown)}`

const saying = (say: () => string | undefined): string | undefined =>
  Result.match(Result.try(say), { onFailure: describe, onSuccess: (said) => said })

const complaint = (body: Effect.Effect<undefined, unknown>): Effect.Effect<string | undefined> =>
  Effect.catchCause(body, (cause) => Effect.succeed(describe(Cause.squash(cause))))

const firstOf = <A>(
  values: Iterable<A>,
  say: (value: A) => string | undefined
): { readonly value: A; readonly said: string } | undefined => {
  for (const value of values) {
    const said = say(value)
    if (said !== undefined) return { value, said }
  }
  return undefined
}

const indent = (text: string): string => text.replaceAll(/^(?=.)/gmu, "  ")
