/**
 * docs/situations.md has both tables: how often the generators draw each, and how short the
 * counterexamples are.
 */
import { isStatus, rank, type Status } from "@pawl/core/Status"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as Generators from "../src/Generators.ts"
import * as LedgerSteps from "../src/internal/laws/ledger/Steps.ts"
import * as RequestSteps from "../src/internal/laws/requests/Steps.ts"
import { summaries } from "@pawl/test-support/LawTests"

const count = 2000

const sharesOf = <A>(
  generator: string,
  arbitrary: fc.Arbitrary<A>,
  situations: Readonly<Record<string, (sample: A) => boolean>>
) => {
  const samples = fc.sample(arbitrary, { numRuns: count, seed: 1 })
  return Object.entries(situations).map(([situation, isMet]) => ({
    generator,
    situation,
    share: samples.filter(isMet).length / count
  }))
}

const isEnd = (status: string | undefined) =>
  status !== undefined && isStatus(status) && rank(status) === 10
const rankOf = (status: string) => (isStatus(status) ? rank(status) : 0)
const has =
  (...statuses: ReadonlyArray<Status>) =>
  (history: Generators.History) =>
    history.statuses.join().includes(statuses.join())
const isPayout = ({ kind }: Generators.History) => kind.endsWith("payout")
const isRepeated = (texts: ReadonlyArray<string>) => new Set(texts).size < texts.length
const genuine = ({ deliveries }: Generators.Delivered) =>
  deliveries.filter(({ forged }) => forged === undefined)

const amountOf = (transaction: Generators.TrafficTransaction | undefined) =>
  Number(transaction?.amount ?? 0)
const paymentOf = (
  { merchant, paymentId }: Generators.TrafficTransaction,
  transactions: ReadonlyArray<Generators.TrafficTransaction>
) =>
  transactions.find(
    (one) =>
      one.merchant === merchant &&
      one.history.kind === "card-payment" &&
      one.transactionId === paymentId
  )

const shares = [
  ...sharesOf("histories", Generators.histories(), {
    "a chargeback after a refund": has("REFUNDED", "CHARGEBACK"),
    "a payout that is REFUNDED": (history) => isPayout(history) && has("REFUNDED")(history)
  }),
  ...sharesOf("dishonestHistories", Generators.dishonestHistories(), {
    "two final statuses": ({ statuses }) => new Set(statuses.filter(isEnd)).size === 2,
    "a payout that is reversed: SUCCEED, then FAILED": (history) =>
      isPayout(history) && has("SUCCEED", "FAILED")(history),
    "FAILED, then CANCELLED": has("FAILED", "CANCELLED"),
    "CHARGEBACK, then SUCCEED": has("CHARGEBACK", "SUCCEED"),
    "a status after two final ones": ({ statuses }) =>
      isEnd(statuses.at(-3)) && isEnd(statuses.at(-2)) && !isEnd(statuses.at(-1))
  }),
  ...sharesOf("deliveries", Generators.deliveries(Generators.histories()), {
    "callbacks out of order": (delivered) => {
      const ranks = genuine(delivered).map(({ status }) => rankOf(status))
      return ranks.some((each, at) => each < (ranks[at - 1] ?? 0))
    },
    "a callback that arrives twice": (delivered) =>
      isRepeated(genuine(delivered).map(({ status }) => status)),
    "an open status after a final one": (delivered) => {
      const statuses = genuine(delivered).map(({ status }) => status)
      const end = statuses.findIndex((status) => rankOf(status) >= 10)
      return end >= 0 && statuses.slice(end).some((status) => rankOf(status) < 10)
    },
    "a final status whose callback is lost": (delivered) => {
      const last = delivered.history.statuses.at(-1) ?? "NEW"
      return rankOf(last) >= 10 && genuine(delivered).every(({ status }) => status !== last)
    },
    "a forged final status": ({ deliveries, history }) =>
      deliveries.some(
        ({ forged, status }) =>
          forged === "status" &&
          rankOf(status) >= 10 &&
          !history.statuses.some((each) => each === status)
      ),
    "an unknown status": ({ deliveries }) => deliveries.some(({ status }) => !isStatus(status)),
    "an amount as a number": ({ deliveries }) =>
      deliveries.some(({ amount }) => amount === "number")
  }),
  ...sharesOf("traffic", Generators.traffic(Generators.histories()), {
    "one id at two merchants": ({ transactions }) =>
      transactions.some((one) =>
        transactions.some(
          (two) => one.merchant < two.merchant && one.transactionId === two.transactionId
        )
      ),
    "one id of two kinds of one merchant": ({ transactions }) =>
      isRepeated(transactions.map((one) => `${one.merchant} ${one.transactionId}`)),
    "callbacks of one transaction before and after a change of the secret": ({ arrivals }) =>
      arrivals.some(
        ({ secret, transaction }) =>
          secret === "previous" &&
          arrivals.some((two) => two.transaction === transaction && two.secret === "current")
      ),
    "a refund of a part of a payment": ({ transactions }) =>
      transactions.some((refund) => amountOf(refund) < amountOf(paymentOf(refund, transactions))),
    "two refunds of one payment": ({ transactions }) =>
      isRepeated(
        transactions.flatMap(({ merchant, paymentId }) =>
          paymentId === undefined ? [] : [`${merchant} ${paymentId}`]
        )
      )
  }),
  ...sharesOf("histories of a ledger", LedgerSteps.histories, {
    "callbacks of two kinds with one id": (steps) =>
      steps.some(
        (one) =>
          one._tag === "accept" &&
          steps.some((two) => two._tag === "accept" && one.id === two.id && one.kind !== two.kind)
      ),
    "a clock that is set back": (steps) => steps.some(({ _tag }) => _tag === "shift"),
    "a year between two steps": (steps) => steps.some(({ after }) => after > 86_400_000)
  }),
  ...sharesOf("histories of a request store", RequestSteps.histories, {
    "a day between two steps": (steps) => steps.some(({ after }) => after === 86_400_000)
  })
]

it.for(shares)("at least 1 % of the $generator have $situation", ({ share }) => {
  expect(share).toBeGreaterThanOrEqual(0.01)
})

it("at least 30 planted bugs are shown by a counterexample, in each list of laws by 4 steps or fewer in the median", () => {
  expect(summaries.reduce((sum, { bugs }) => sum + bugs, 0)).toBeGreaterThanOrEqual(30)
  expect(summaries.filter(({ median }) => median > 4)).toEqual([])
})

it("docs/situations.md has both tables", async () => {
  /** Pads cells as the formatter does. The rule of a column of numbers ends with a colon. */
  const table = (...rows: ReadonlyArray<ReadonlyArray<string | number>>) => {
    const lines = rows.map((row, line) =>
      row.map((cell, at) => {
        const width = Math.max(...rows.map(({ [at]: each }) => String(each).length))
        const isNumber = String(rows[1]?.[at]).endsWith(":")
        if (line === 1) return isNumber ? "-:".padStart(width, "-") : "-".repeat(width)
        return isNumber ? String(cell).padStart(width) : String(cell).padEnd(width)
      })
    )
    return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")
  }
  await expect(
    page(
      table(
        ["situation", "generator", "share"],
        ["---", "---", "---:"],
        ...shares.map(({ generator, share, situation }) => [
          situation,
          generator,
          `${(share * 100).toFixed(0)} %`
        ])
      ),
      table(
        ["laws", "planted bugs", "median steps", "most steps"],
        ["---", "---:", "---:", "---:"],
        ...summaries.map(({ bugs, list, median, most }) => [list, bugs, median, most])
      )
    )
  ).toMatchFileSnapshot("../../../docs/situations.md")
})

const page = (situations: string, steps: string) => `# Situations that the generators draw

A law proves nothing about a situation that its generator never draws. The first table says which share of ${count} values of a
generator has each situation. A test fails if a share is below 1 %. The generators are those of \`@pawl/testkit/Generators\`, and those of the laws
of the [ledger and the request store](laws.md#of-a-ledger). The test
[\`Situations.test.ts\`](../packages/testkit/test/Situations.test.ts) writes this page, under one seed: run it with \`-u\`.

${situations}

The second table says how many steps the shrunk counterexamples of planted bugs have. The tests of each list of [laws](laws.md)
plant the bugs, find them, and hold its line. Bugs that only a law of one example shows have no steps and are left out.

${steps}
`
