/**
 * Tries to tell the accounts of a hundred merchants from those of nobody by response times
 * (A43).
 *
 * A trial posts 400 forged callbacks about one account, and between them 400 about accounts of
 * nobody. In half of the trials the attacker learns the best statistic, direction and threshold;
 * then it guesses.
 */
import * as Effect from "effect/Effect"
import { MinimumLogLevel } from "effect/References"
import * as FakeService from "./FakeService.ts"
import { makePost } from "./LocalHttp.ts"
import { accountOf, merchants, start } from "./merchants/World.ts"
import { onStores, type Run, type StorePart } from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"

const block = 800
const warmUp = 20_000
const maxGuessed = 0.6

const quantile = (times: ReadonlyArray<number>, part: number): number =>
  times.toSorted((left, right) => left - right)[Math.floor(part * times.length)] ?? 0

const fastMean = (times: ReadonlyArray<number>): number => {
  const fast = times.toSorted((left, right) => left - right).slice(0, times.length / 2)
  return fast.reduce((sum, time) => sum + time, 0) / fast.length
}

const statistics: ReadonlyArray<(times: ReadonlyArray<number>) => number> = [
  (times) => quantile(times, 0.1),
  (times) => quantile(times, 0.25),
  (times) => quantile(times, 0.5),
  fastMean
]

interface Trial {
  readonly isKnown: boolean
  readonly differences: ReadonlyArray<number>
}

interface Guess {
  readonly statistic: number
  readonly threshold: number
  readonly isAbove: boolean
}

const partOf = (trials: ReadonlyArray<Trial>, { isAbove, statistic, threshold }: Guess): number =>
  trials.filter(
    ({ differences, isKnown }) =>
      (differences[statistic] ?? 0) > threshold === (isKnown === isAbove)
  ).length / trials.length

export const learn = (trials: ReadonlyArray<Trial>): Guess => {
  let best: Guess = { statistic: 0, threshold: 0, isAbove: true }
  for (const statistic of statistics.keys()) {
    for (const { differences } of trials) {
      for (const isAbove of [true, false]) {
        const guess = { statistic, threshold: differences[statistic] ?? 0, isAbove }
        if (partOf(trials, guess) > partOf(trials, best)) best = guess
      }
    }
  }
  return best
}

const onStore = Effect.fnUntraced(
  function* ({ count, miss, progress, seed, store }: StorePart) {
    const { port } = yield* start(store)
    const post = yield* makePost
    const random = SeededRandom.make(seed, "accounts")
    const nobody = () => String(20_000 + random.below(10_000))
    const timeOf = async (account: string) => {
      const id = String(100_000 + random.below(900_000))
      const signer = { accountId: account, key: "nobody's secret" }
      const forged = FakeService.callback(id, "SUCCEED", signer)
      const before = performance.now()
      const status = await post(port, forged)
      if (status !== 401) miss(`a forged callback was answered ${String(status)}`)
      return performance.now() - before
    }
    const trials: Array<Trial> = []
    yield* Effect.promise(async () => {
      for (let sent = 0; sent < warmUp; sent++) {
        await timeOf(sent % 2 === 0 ? nobody() : accountOf(random.below(merchants)))
      }
      for (let number = 1; number <= count; number++) {
        const isKnown = random.isTrue(0.5)
        const account = isKnown ? accountOf(random.below(merchants)) : nobody()
        const asked: Array<number> = []
        const others: Array<number> = []
        for (let sent = 0; sent < block; sent += 2) {
          const isFirst = random.isTrue(0.5)
          if (isFirst) asked.push(await timeOf(account))
          others.push(await timeOf(nobody()))
          if (!isFirst) asked.push(await timeOf(account))
        }
        trials.push({ isKnown, differences: statistics.map((of) => of(asked) - of(others)) })
        progress(`${number} of ${count} trials`)
      }
    })
    const half = Math.floor(trials.length / 2)
    const guess = learn(trials.slice(0, half))
    const guessed = partOf(trials.slice(half), guess)
    if (guessed > maxGuessed) miss(`${Math.round(guessed * 100)} % of the accounts were guessed`)
    return {
      trials: trials.length - half,
      guessed,
      guessedWhileLearning: partOf(trials.slice(0, half), guess)
    }
  },
  Effect.provideService(MinimumLogLevel, "None")
)

export const accountsRun: Run = {
  summary: "the time of 800 responses does not tell the accounts of merchants from those of nobody",
  unit: "trials",
  count: { memory: 600 },
  make: (options) => onStores(options, onStore)
}
