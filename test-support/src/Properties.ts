import * as fc from "fast-check"

type Some = [unknown, ...Array<unknown>]
type Arbitraries<Values extends Some> = {
  readonly [At in keyof Values]: fc.Arbitrary<Values[At]>
}

/** Checks a property of random values, with or without options. */
export interface ForAll<Result> {
  <Values extends Some>(
    arbitraries: Arbitraries<Values>,
    body: (...values: Values) => Result
  ): Promise<void>
  <Values extends Some>(
    arbitraries: Arbitraries<Values>,
    options: fc.Parameters<NoInfer<Values>>,
    body: (...values: Values) => Result
  ): Promise<void>
}

type Holds = boolean | void | Promise<boolean | void>

export const makeForAll = <Result>(run: (body: () => Result) => Holds) =>
  (async (arbitraries: Arbitraries<Some>, ...rest: ReadonlyArray<unknown>) => {
    const [body, options] = rest.toReversed() as [(...values: Some) => Result, fc.Parameters<Some>?]
    const property = fc.asyncProperty<Some>(...arbitraries, async (...values) =>
      run(() => body(...values))
    )
    await fc.assert(property, options)
  }) as ForAll<Result>

export const forAll = makeForAll<Holds>((body) => body())

export const optional = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })
