/** Laws of a store: each compares one facet of histories with the rule of its rows. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import type * as fc from "fast-check"
import * as Laws from "../../Laws.ts"
import { expect } from "./Expect.ts"

export class Mismatch extends Data.TaggedError("Mismatch")<{
  readonly facet: string
  readonly message: string
}> {
  override readonly stack = ""
}

type Compare<Facet> = (facet: Facet, subject: string, actual: unknown, wanted: unknown) => void

export interface Comparison<Facet extends string> {
  readonly step: () => void
  readonly isOpen: (facet: Facet) => boolean
  /** Compares the result of a step; a mismatch ends the history. */
  readonly result: Compare<Facet>
  readonly facet: Compare<Facet>
  readonly row: <Row extends object, Field extends keyof Row>(
    facetOf: Readonly<Record<Field, Facet>>,
    name: string,
    actual: Row | undefined,
    wanted: Row | undefined,
    shown: (value: unknown, field: Field) => unknown
  ) => void
}

export type Replay<Facet extends string, Step, Store, E> = (
  steps: ReadonlyArray<Step>,
  facets: ReadonlyArray<Facet>
) => Effect.Effect<ReadonlyMap<Facet, Mismatch>, E, Store>

export const replaying =
  <Facet extends string, Step, Store, E>(
    play: (steps: ReadonlyArray<Step>, compare: Comparison<Facet>) => Effect.Effect<void, E, Store>
  ): Replay<Facet, Step, Store, E> =>
  (steps, facets) =>
    Effect.suspend(() => {
      const mismatches = new Map<Facet, Mismatch>()
      return play(steps, comparison(facets, mismatches)).pipe(
        Effect.catchDefect((defect) => {
          if (!(defect instanceof Mismatch)) return Effect.die(defect)
          const facet = facets.find((each) => each === defect.facet)
          if (facet !== undefined && !mismatches.has(facet)) mismatches.set(facet, defect)
          return Effect.void
        }),
        Effect.as(mismatches)
      )
    })

const comparison = <Facet extends string>(
  facets: ReadonlyArray<Facet>,
  mismatches: Map<Facet, Mismatch>
): Comparison<Facet> => {
  let stepNumber = 0
  const isOpen = (facet: Facet) => facets.includes(facet) && !mismatches.has(facet)
  const result: Compare<Facet> = (facet, subject, actual, wanted) => {
    const same = Result.try(() => expect(actual).toEqual(wanted))
    if (Result.isSuccess(same)) return
    const message = `step ${stepNumber}, ${subject}. ${(same.failure as Error).message}`
    throw new Mismatch({ facet, message })
  }
  const compareFacet: Compare<Facet> = (facet, ...of) => {
    if (!isOpen(facet)) return
    try {
      result(facet, ...of)
    } catch (mismatch) {
      mismatches.set(facet, mismatch as Mismatch)
      if (mismatches.size === facets.length) throw mismatch
    }
  }
  return {
    step: () => {
      stepNumber++
    },
    isOpen,
    result,
    facet: compareFacet,
    row: (facetOf, name, actual, wanted, shown) => {
      for (const field of Struct.keys(facetOf)) {
        if (Object.is(actual?.[field], wanted?.[field])) continue
        const [is, shouldBe] = [actual, wanted].map((row) => shown(row?.[field], field))
        compareFacet(facetOf[field], `${field} of ${name}`, is, shouldBe)
      }
    }
  }
}

/** The subject of a law: makes the layer of an empty store. */
export type Fresh<Store> = () => Layer.Layer<Store, unknown>

export const on = <A, E, Store>(fresh: Fresh<Store>, body: Effect.Effect<A, E, Store>) =>
  Effect.suspend(() => Effect.provide(body, fresh(), { local: true }))

export const example =
  <A, Store>(opened: Effect.Effect<A, never, Store>) =>
  (
    text: Laws.LawText,
    body: (opened: A) => Generator<Effect.Effect<unknown, unknown>, void, never>
  ): Laws.Law<Fresh<Store>> =>
    Laws.example(text, (fresh) =>
      on(
        fresh,
        Effect.flatMap(opened, (each) => Effect.gen(() => body(each))).pipe(
          Effect.provideService(References.MinimumLogLevel, "None")
        )
      )
    )

/** Makes the laws of the facets, each with 100 histories by default. */
export const make = <Facet extends string, Step extends AnyStep, Store, E>(options: {
  readonly facets: Readonly<Record<Facet, Laws.LawText>>
  readonly histories: fc.Arbitrary<ReadonlyArray<Step>>
  readonly replay: Replay<Facet, Step, Store, E>
  readonly showFields?: (fields: object) => string
}): ReadonlyArray<Laws.Law<Fresh<Store>, ReadonlyArray<Step>>> =>
  Struct.keys(options.facets).map((facet) =>
    Laws.propertyEffect(options.facets[facet], {
      arbitrary: options.histories,
      show: showing(options.showFields),
      body: (fresh: Fresh<Store>, steps) =>
        Effect.flatMap(
          on(fresh, options.replay(steps, [facet])),
          (mismatches) => mismatches.get(facet) ?? Effect.void
        ),
      numRuns: 100
    })
  )

interface AnyStep {
  readonly _tag: string
  readonly after: number
}

const showing =
  (showFields: (fields: object) => string = JSON.stringify) =>
  (steps: ReadonlyArray<AnyStep>) =>
    steps.length === 0
      ? "no steps"
      : steps
          .map(
            ({ _tag, after, ...fields }, at) =>
              `${at + 1}. ${after} ms later, ${_tag} ${showFields(fields)}`
          )
          .join("\n")
