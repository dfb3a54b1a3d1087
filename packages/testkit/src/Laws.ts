/**
 * Properties of correct code, as values that any test runner can check against yours.
 *
 * **Details**
 *
 * A law checks a subject: a function, a layer, a handler, a URL. `run` returns a promise, for any
 * test runner or script. A broken law reports the smallest counterexample it finds, and the seed
 * and path that reproduce it.
 *
 * Each subject has a module: `Laws/Rule`, `Laws/Reducer`, `Laws/Store`, `Laws/Receiver`,
 * `Laws/Client`, `Laws/Handler`.
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
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as fc from "fast-check"

/**
 * The text of a law.
 *
 * @category models
 * @since 0.1.0
 */
export interface LawText {
  /** The sentence that holds. */
  readonly name: string
  /** A heading of `spec.md`, or a decision page. */
  readonly section: string
  /** The reason, for the report of a broken law. */
  readonly explanation: string
}

/**
 * A law of a subject, checked on values.
 *
 * @category models
 * @since 0.1.0
 */
export interface Law<in Subject, in Value = never> extends LawText {
  /** Fails with `LawBroken` if the law does not hold for the subject. */
  readonly check: (subject: Subject, options?: Options<Value>) => Effect.Effect<void, LawBroken>
}

/**
 * The values that a law is checked on.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<out Value = never> {
  /** Values to check first, such as earlier counterexamples. */
  readonly examples?: ReadonlyArray<Value>
  /** The number of random values, 1 or more; 1,000 by default, or 15 to 100 where each is a run of its own. */
  readonly numRuns?: number
  /**
   * The seed of a failure, which reproduces it. With a seed all values are random; without one,
   * some laws check the short values first.
   */
  readonly seed?: number
  /** The path of a failure under its seed. */
  readonly path?: string
}

/**
 * Error raised when a law does not hold.
 *
 * @category errors
 * @since 0.1.0
 */
export class LawBroken extends Data.TaggedError("LawBroken")<{
  /** The broken law. */
  readonly law: LawText
  /** Describes the failure. */
  readonly wrong: string
  /** The value that breaks the law, if there is one. */
  readonly counterexample?: unknown
  /** The counterexample as text. */
  readonly shown?: string | undefined
  /** The seed that reproduces the failure; undefined if the value was not random. */
  readonly seed?: number | undefined
  /** The path under that seed. */
  readonly path?: string | undefined
  /** The error that the subject threw, with its stack. */
  readonly cause?: Error | undefined
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
    const { cause, message } = this
    return cause === undefined ? message : `${message}\n\n${indent(String(cause.stack))}`
  }
}

/**
 * Checks a law in any test runner. Rejects with `LawBroken` if it does not hold.
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
 * Makes a law of one example. It holds if the body ends without an error, a defect or a failed
 * assertion.
 *
 * @category constructors
 * @since 0.1.0
 */
export const example = <Subject>(
  text: LawText,
  body: (subject: Subject) => Effect.Effect<unknown, unknown>
): Law<Subject> => lawOf(text, (subject) => checkBody(text, body(subject)))

/** A misspelt `seed` would check other values. */
const lawOf = <Subject, Value = never>(
  law: LawText,
  check: (subject: Subject, options: Options<Value>) => Effect.Effect<void, LawBroken>
): Law<Subject, Value> => ({
  ...law,
  check: (subject, options = {}) => {
    const wrong = wrongIn(options)
    return wrong === undefined
      ? check(subject, options)
      : Effect.fail(new LawBroken({ law, wrong: `no value was checked: ${wrong}` }))
  }
})

const wrongIn = (options: Options<unknown>): string | undefined => {
  const { examples = [], numRuns = 0, path, seed, ...unknown } = options
  const [name] = Object.keys(unknown)
  if (name !== undefined) return `the options are examples, numRuns, seed and path, not ${name}`
  if (!Array.isArray(examples)) return "examples must be a list"
  if (!Number.isSafeInteger(numRuns) || numRuns < 0) return "give numRuns of 1 or more"
  if (seed !== undefined && !Number.isSafeInteger(seed)) return "seed must be a whole number"
  if (path === undefined) return undefined
  return seed !== undefined && /^[0-9]+(?::[0-9]+)*$/u.test(path)
    ? undefined
    : "give the path of a broken law, with its seed"
}

/**
 * Makes a law of all values of an arbitrary. `wrong` describes a failure or returns undefined; a
 * thrown error fails too. `short` lists values to check before the random ones; `show` writes a
 * value as text.
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
  return lawOf<Subject, A>(text, (subject, { examples = [], ...parameters }) =>
    Effect.suspend(() => {
      const failureOf = (value: A) =>
        Result.match(
          Result.try(() => wrong(subject, value)),
          {
            onFailure,
            onSuccess: (wrong) => (wrong === undefined ? undefined : { wrong })
          }
        )
      const listed = parameters.seed === undefined ? (short?.() ?? []) : []
      for (const values of [examples, listed]) {
        for (const value of values) {
          const failure = failureOf(value)
          if (failure === undefined) continue
          return Effect.fail(
            new LawBroken({
              law: text,
              ...failure,
              counterexample: value,
              shown: show(value)
            })
          )
        }
      }
      const holds = fc.property(arbitrary, (value) => wrong(subject, value) === undefined)
      return report(text, show, examples, fc.check(holds, toParameters(parameters)), (value) =>
        Effect.succeed(failureOf(value))
      )
    })
  )
}

/** A subject that does not end would make each step of shrinking wait for its time limit. */
const isHanging = (error: unknown): boolean =>
  Predicate.hasProperty(error, "isHanging") && error.isHanging === true

/**
 * Makes a law of all values of an arbitrary. It holds if every effect ends without an error or
 * defect.
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
  return lawOf<Subject, A>(
    text,
    Effect.fnUntraced(function* (subject, { examples = [], ...parameters }) {
      yield* checkEach(text, options, subject, examples)
      const runPromise = Effect.runPromiseWith(yield* Effect.context())
      const failureOf = (value: A) => failureOfBody(body(subject, value))
      let hanging: Failure | undefined
      const holds = fc.asyncProperty(arbitrary, (value) =>
        hanging === undefined
          ? runPromise(
              Effect.matchCause(body(subject, value), {
                onFailure: (cause) => {
                  const error = Cause.squash(cause)
                  if (isHanging(error)) hanging = onFailure(error)
                  return false
                },
                onSuccess: () => true
              })
            )
          : Promise.resolve(true)
      )
      const details = yield* Effect.promise(() =>
        fc.check(holds, toParameters({ ...(numRuns !== undefined && { numRuns }), ...parameters }))
      )
      return yield* report(text, show, examples, details, (value) =>
        hanging === undefined ? failureOf(value) : Effect.succeed(hanging)
      )
    })
  )
}

/**
 * Makes a law of a few values. All are checked in their order and do not shrink, so the simplest
 * comes first.
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
): Law<Subject, A> =>
  lawOf<Subject, A>(text, (subject, { examples = [] }) =>
    checkEach(text, options, subject, [...examples, ...options.values])
  )

const checkEach = <Subject, A>(
  law: LawText,
  options: {
    readonly show: (value: A) => string
    readonly body: (subject: Subject, value: A) => Effect.Effect<unknown, unknown>
  },
  subject: Subject,
  values: ReadonlyArray<A>
): Effect.Effect<void, LawBroken> =>
  Effect.forEach(
    values,
    (value) =>
      checkBody(law, options.body(subject, value), {
        counterexample: value,
        shown: options.show(value)
      }),
    { discard: true }
  )

const checkBody = (
  law: LawText,
  body: Effect.Effect<unknown, unknown>,
  example: { readonly counterexample?: unknown; readonly shown?: string } = {}
): Effect.Effect<void, LawBroken> =>
  Effect.flatMap(failureOfBody(body), (failure) =>
    failure === undefined
      ? Effect.void
      : Effect.fail(new LawBroken({ law, ...failure, ...example }))
  )

const toParameters = ({ numRuns = 1000, path, seed }: Omit<Options, "examples">) => ({
  numRuns,
  ...(seed !== undefined && { seed }),
  ...(path !== undefined && { path })
})

const report = <A>(
  law: LawText,
  show: (value: A) => string,
  examples: ReadonlyArray<A>,
  { counterexample, counterexamplePath, failed, numRuns, seed }: fc.RunDetails<[A]>,
  failureOf: (value: A) => Effect.Effect<Failure | undefined>
): Effect.Effect<void, LawBroken> => {
  if (!failed) {
    return numRuns > 0 || examples.length > 0
      ? Effect.void
      : Effect.fail(
          new LawBroken({
            law,
            wrong: "no value was checked: give numRuns of 1 or more, and a path of this version"
          })
        )
  }
  if (counterexample === null) {
    return Effect.fail(new LawBroken({ law, wrong: "not enough values were drawn", seed }))
  }
  const [value] = counterexample
  return Effect.flatMap(failureOf(value), (failure = heldAgain) =>
    Effect.fail(
      new LawBroken({
        law,
        ...failure,
        counterexample: value,
        shown: show(value),
        seed,
        path: counterexamplePath ?? undefined
      })
    )
  )
}

type Failure = Pick<LawBroken, "wrong"> & { readonly cause?: Error }

const heldAgain: Failure = { wrong: "it held when it was checked again" }

const onFailure = (thrown: unknown): Failure => {
  const cause = causeOf(thrown)
  return { wrong: describe(thrown), ...(cause && { cause }) }
}

/** Errors of the laws have an empty stack, because their message says everything. */
const causeOf = (thrown: unknown): Error | undefined =>
  thrown instanceof Error && thrown.stack === ""
    ? causeOf(thrown.cause)
    : thrown instanceof Error
      ? thrown
      : undefined

const describe = (thrown: unknown): string =>
  thrown instanceof Error
    ? `${thrown.name}: ${thrown.message}`
    : `it failed with ${Inspectable.toStringUnknown(thrown)}`

const failureOfBody = (body: Effect.Effect<unknown, unknown>): Effect.Effect<Failure | undefined> =>
  Effect.catchCause(Effect.as(body, undefined), (cause) =>
    Effect.succeed(onFailure(Cause.squash(cause)))
  )

const indent = (text: string): string => text.replaceAll(/^(?=.)/gmu, "  ")
