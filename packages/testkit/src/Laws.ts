/**
 * Properties of correct code, as values that any test runner can check against yours.
 *
 * **Details**
 *
 * A law has a name, the section of the specification it comes from, a short explanation, and a check. The check takes
 * a subject: a function, a layer, a handler, a URL. `run` returns a promise, so a law is a test in Vitest and in
 * `node:test`, and a line in a script. A broken law reports the smallest counterexample it finds, as text, with the
 * seed and path that reproduce it.
 *
 * Each subject has a module: `Laws/Rule`, `Laws/Reducer`, `Laws/Store`, `Laws/Receiver`, `Laws/Client`,
 * `Laws/Handler`.
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
 * The text of a law. `section` is a heading of `spec.md` or a decision page.
 *
 * @category models
 * @since 0.1.0
 */
export interface LawText {
  readonly name: string
  readonly section: string
  readonly explanation: string
}

/**
 * A law of a subject, checked on values.
 *
 * @category models
 * @since 0.1.0
 */
export interface Law<in Subject, in Value = never> extends LawText {
  readonly check: (subject: Subject, options?: Options<Value>) => Effect.Effect<void, LawBroken>
}

/**
 * The values that a law is checked on.
 *
 * - `examples`: values to check first, such as earlier counterexamples.
 * - `numRuns`: the number of random values; 1,000 by default.
 * - `seed`, `path`: reproduce an earlier failure. With a seed, all values are random. Without one, a law that can list
 *   the short values checks all of them first.
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
 * - `wrong`: a description of the failure.
 * - `counterexample`: the value that breaks the law, if there is one; `shown` is the same as text.
 * - `seed`, `path`: reproduce the failure; undefined if the value was not random.
 *
 * @category errors
 * @since 0.1.0
 */
export class LawBroken extends Data.TaggedError("LawBroken")<{
  readonly law: LawText
  readonly wrong: string
  readonly counterexample?: unknown
  readonly shown?: string | undefined
  readonly seed?: number | undefined
  readonly path?: string | undefined
}> {
  override get message() {
    const { law, path, seed, shown, wrong } = this
    const again = seed === undefined ? "run it again" : `{ seed: ${seed}, path: "${path}" }`
    return [
      `This law does not hold: ${law.name}`,
      ...(shown === undefined ? [] : [indent(shown)]),
      indent(wrong),
      indent(`${law.explanation}\n(${law.section})`),
      indent(`reproduce: ${again}`)
    ].join("\n\n")
  }

  /** The text that `node:test` and `console.log` print. */
  override [Inspectable.NodeInspectSymbol](): string {
    return this.message
  }
}

/**
 * Checks a law in any test runner. The promise is rejected with `LawBroken` if the law does not hold.
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
 * Makes a law of one example. It holds if the body ends without an error, a defect or a failed assertion.
 *
 * @category constructors
 * @since 0.1.0
 */
export const example = <Subject>(
  text: LawText,
  body: (subject: Subject) => Effect.Effect<unknown, unknown>
): Law<Subject> => ({ ...text, check: (subject) => checkBody(text, body(subject)) })

/**
 * Makes a law of all values of an arbitrary. `wrong` describes the failure for a value, or returns undefined; a
 * thrown error is a failure too. `short` lists values to check before the random ones; `show` writes a value as text.
 *
 * @category constructors
 * @since 0.1.0
 */
export const property = <Subject, A>(
  text: LawText,
  options: {
    readonly arbitrary: fc.Arbitrary<A>
    readonly short?: () => Iterable<A>
    readonly show: (value: A) => string
    readonly wrong: (subject: Subject, value: A) => string | undefined
  }
): Law<Subject, A> => {
  const { arbitrary, short, show, wrong } = options
  return {
    ...text,
    check: (subject, { examples = [], ...parameters } = {}) =>
      Effect.suspend(() => {
        const failureOf = (value: A) =>
          Result.getOrElse(
            Result.try(() => wrong(subject, value)),
            describe
          )
        const listed = parameters.seed === undefined ? (short?.() ?? []) : []
        for (const values of [examples, listed]) {
          for (const value of values) {
            const failure = failureOf(value)
            if (failure === undefined) continue
            return Effect.fail(
              new LawBroken({
                law: text,
                wrong: failure,
                counterexample: value,
                shown: show(value)
              })
            )
          }
        }
        const holds = fc.property(arbitrary, (value) => wrong(subject, value) === undefined)
        return report(text, show, fc.check(holds, toParameters(parameters)), (value) =>
          Effect.succeed(failureOf(value))
        )
      })
  }
}

/**
 * Makes a law of all values of an arbitrary whose check is an effect: over a ledger, a receiver, a client. It holds
 * if every effect ends without an error or defect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const propertyEffect = <Subject, A>(
  text: LawText,
  options: {
    readonly arbitrary: fc.Arbitrary<A>
    readonly show: (value: A) => string
    readonly body: (subject: Subject, value: A) => Effect.Effect<unknown, unknown>
    readonly numRuns?: number
  }
): Law<Subject, A> => {
  const { arbitrary, body, numRuns, show } = options
  return {
    ...text,
    check: Effect.fnUntraced(function* (subject, { examples = [], ...parameters } = {}) {
      const runPromise = Effect.runPromiseWith(yield* Effect.context())
      const failureOf = (value: A) => failureOfBody(body(subject, value))
      const holds = fc.asyncProperty(arbitrary, (value) =>
        runPromise(Effect.map(failureOf(value), (failure) => failure === undefined))
      )
      const details = yield* Effect.promise(() =>
        fc.check(holds, {
          ...toParameters({ ...(numRuns !== undefined && { numRuns }), ...parameters }),
          examples: examples.map((value): [A] => [value])
        })
      )
      return yield* report(text, show, details, failureOf)
    })
  }
}

/**
 * Makes a law of a few values. All are checked in their order, and do not shrink, so the simplest comes first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const each = <Subject, A>(
  text: LawText,
  options: {
    readonly values: ReadonlyArray<A>
    readonly show: (value: A) => string
    readonly body: (subject: Subject, value: A) => Effect.Effect<unknown, unknown>
  }
): Law<Subject, A> => ({
  ...text,
  check: (subject, { examples = [] } = {}) =>
    Effect.forEach(
      [...examples, ...options.values],
      (value) =>
        checkBody(text, options.body(subject, value), {
          counterexample: value,
          shown: options.show(value)
        }),
      { discard: true }
    )
})

/** Fails with `LawBroken` if the body fails or dies. */
const checkBody = (
  law: LawText,
  body: Effect.Effect<unknown, unknown>,
  example: { readonly counterexample?: unknown; readonly shown?: string } = {}
): Effect.Effect<void, LawBroken> =>
  Effect.flatMap(failureOfBody(body), (wrong) =>
    wrong === undefined ? Effect.void : Effect.fail(new LawBroken({ law, wrong, ...example }))
  )

const toParameters = ({ numRuns = 1000, path, seed }: Omit<Options, "examples">) => ({
  numRuns,
  ...(seed !== undefined && { seed }),
  ...(path !== undefined && { path })
})

/** Turns the result of fast-check into the error of a law. */
const report = <A>(
  law: LawText,
  show: (value: A) => string,
  { counterexample, counterexamplePath, failed, seed }: fc.RunDetails<[A]>,
  failureOf: (value: A) => Effect.Effect<string | undefined>
): Effect.Effect<void, LawBroken> => {
  if (!failed) return Effect.void
  if (counterexample === null) {
    return Effect.fail(new LawBroken({ law, wrong: "not enough values were drawn", seed }))
  }
  const [value] = counterexample
  return Effect.flatMap(failureOf(value), (wrong = "it held when it was checked again") =>
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

const describe = (thrown: unknown): string =>
  thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `it failed with ${String(thrown)}`

const failureOfBody = (body: Effect.Effect<unknown, unknown>): Effect.Effect<string | undefined> =>
  Effect.catchCause(Effect.as(body, undefined), (cause) =>
    Effect.succeed(describe(Cause.squash(cause)))
  )

const indent = (text: string): string => text.replaceAll(/^(?=.)/gmu, "  ")
