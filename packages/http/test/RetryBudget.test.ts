import { expect, it } from "vitest"
import * as Attempts from "../src/internal/wire/Attempts.ts"

const spendAll = ({ spend }: Attempts.RetryBudget): number => {
  let retries = 0
  while (retries < 1000 && spend()) retries++
  return retries
}

it("a new client has 10 retries, and each call adds its share of one", () => {
  const budget = Attempts.makeBudget(0.5)
  expect(spendAll(budget)).toBe(10)
  budget.earn()
  expect(spendAll(budget)).toBe(0)
  budget.earn()
  expect(spendAll(budget)).toBe(1)
})

it.each([
  [0.5, 100],
  [250, 250]
])("calls that add %d each leave at most %i retries", (ratio, most) => {
  const budget = Attempts.makeBudget(ratio)
  for (let calls = 0; calls < 1000; calls++) budget.earn()
  expect(spendAll(budget)).toBe(most)
})
