import { compare, digits, type Spread } from "../harness.ts"

export const sides = ["old", "new"] as const
export type Side = (typeof sides)[number]

export type Both<A> = Readonly<Record<Side, A>>

export type Numbers = Both<ReadonlyArray<number>>

/** A bound on the ratio new ÷ old, or on the number of the new commit. */
export interface Goal {
  readonly of: "ratio" | "new"
  readonly atMost?: number
  readonly atLeast?: number
}

export interface Figure {
  readonly name: string
  readonly unit: string
  readonly numbers: Both<Spread>
  readonly ratio: Spread
  readonly goal: Goal | undefined
}

export const figure = (name: string, unit: string, numbers: Numbers, goal?: Goal): Figure => {
  const costs = { unit, of: new Map(Object.entries(numbers)) }
  const spread = (side: Side) => compare(costs, side, undefined)
  const ratio = compare(costs, "new", "old")
  return { name, unit, numbers: { old: spread("old"), new: spread("new") }, ratio, goal }
}

/** Pace of a measurement; after `budget` milliseconds no further round begins. */
interface Pace {
  readonly name: string
  readonly rounds: number
  readonly warmUps: number
  readonly budget: number
}

const minRounds = 3

export const inTurns = async <Name extends string>(
  { budget, name, rounds, warmUps }: Pace,
  turn: (side: Side) => Promise<Readonly<Record<Name, number>>>
): Promise<Readonly<Record<Name, Numbers>>> => {
  const all: Array<Both<Readonly<Record<Name, number>>>> = []
  const start = performance.now()
  for (let round = -warmUps; round < rounds; round++) {
    const isLate = performance.now() - start > budget
    if (isLate && round >= minRounds) break
    const order = round % 2 === 0 ? sides : sides.toReversed()
    const found = new Map<Side, Readonly<Record<Name, number>>>()
    for (const side of order) found.set(side, await turn(side))
    if (round >= 0) all.push({ old: found.get("old")!, new: found.get("new")! })
  }
  console.error(
    `${name}: ${all.length} rounds, ${Math.round((performance.now() - start) / 1000)} s`
  )
  const names = Object.keys(all[0]?.new ?? {}) as Array<Name>
  const numbersOf = (each: Name): Numbers => ({
    old: all.map((one) => one.old[each]),
    new: all.map((one) => one.new[each])
  })
  return Object.fromEntries(names.map((each) => [each, numbersOf(each)])) as Record<Name, Numbers>
}

/**
 * A goal is missed if all quartiles miss it, and unclear if only the median and one quartile do.
 */
const verdictOf = ({ goal, numbers, ratio }: Figure): string => {
  if (goal === undefined) return ""
  const { high, low, median } = goal.of === "new" ? numbers.new : ratio
  const { atLeast = -Infinity, atMost = Infinity } = goal
  if (median <= atMost && median >= atLeast) return "held"
  return low <= atMost && high >= atLeast ? "unclear" : "MISSED"
}

const goalOf = ({ goal }: Figure): string => {
  if (goal === undefined) return ""
  const bound = goal.atMost === undefined ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`
  return goal.of === "new" ? `new ${bound}` : bound
}

export const tableOf = (figures: ReadonlyArray<Figure>): string => {
  const lines = figures.map((each) => [
    `${each.name}, ${each.unit}`,
    digits(each.numbers.old.median),
    digits(each.numbers.new.median),
    digits(each.ratio.median),
    `${digits(each.ratio.low)} – ${digits(each.ratio.high)}`,
    goalOf(each),
    verdictOf(each)
  ])
  const all = [["figure", "old", "new", "ratio", "quartiles", "goal", ""], ...lines]
  const widths = all[0]!.map((_, at) => Math.max(...all.map((cells) => cells[at]!.length)))
  return all
    .map((cells) =>
      cells
        .map((cell, at) =>
          at === 0 || at > 4 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)
        )
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
