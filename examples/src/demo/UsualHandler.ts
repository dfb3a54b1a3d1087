/**
 * The usual handler beside pawl's: what `naive.ts` would have believed after the same callbacks, and its cost. It
 * believes every callback with a matching checksum, and reads nothing from the service.
 */
import { isTerminal, type Status } from "@pawl/core/Status"
import { styleText } from "node:util"
import { ranksLater } from "../naive/rule.ts"
import type { Report } from "./Report.ts"

/** The status that the usual handler ends with, its mistake if it is wrong, and the cost in cents. */
export interface Outcome {
  readonly believed: Status | undefined
  readonly mistake: string | undefined
  readonly cents: number
}

export const outcomeOf = ({ entries, transaction }: Report): Outcome => {
  let believed: Status | undefined
  for (const entry of entries) {
    if (entry._tag === "Accepted" && ranksLater(entry.claim, believed)) believed = entry.claim
  }
  const mistake = mistakeOf(transaction.status, believed, moneyLeaves(transaction.kind))
  return {
    believed,
    mistake: mistake?.text,
    cents: mistake?.isCostly === true ? Math.round(Number(transaction.amount) * 100) : 0
  }
}

/** Tells whether the merchant pays: a payout or a refund. */
const moneyLeaves = (kind: string): boolean => kind === "refund" || kind.endsWith("payout")

const mistakeOf = (
  actual: Status,
  believed: Status | undefined,
  isPaidByMerchant: boolean
): { readonly text: string; readonly isCostly: boolean } | undefined => {
  if (believed === actual) return undefined
  const hasMoved = (status: Status) => status !== "FAILED" && status !== "CANCELLED"
  if (!isTerminal(actual)) {
    return believed !== undefined && isTerminal(believed)
      ? { text: "ends an order that is still open", isCostly: true }
      : undefined
  }
  if (believed === undefined || !isTerminal(believed)) {
    return hasMoved(actual) && !isPaidByMerchant
      ? { text: "never ships a paid order", isCostly: true }
      : { text: "waits for ever", isCostly: false }
  }
  if (hasMoved(actual) && !hasMoved(believed)) {
    return { text: isPaidByMerchant ? "pays twice" : "cancels a paid order", isCostly: true }
  }
  if (!hasMoved(actual) && hasMoved(believed)) {
    const text = isPaidByMerchant ? "books money that never left" : "ships an unpaid order"
    return { text, isCostly: true }
  }
  return hasMoved(actual) ? { text: "misses that the money went back", isCostly: true } : undefined
}

const money = (cents: number): string => (cents / 100).toFixed(2)

const columns = [31, 12, 12, 38, 10] as const

const row = (cells: readonly [string, string, string, string, string]): string =>
  cells
    .map((cell, at) => (at === 4 ? cell.padStart(columns[at]) : cell.padEnd(columns[at] ?? 0)))
    .join("")
    .trimEnd()

export const print = (reports: ReadonlyArray<Report>): string => {
  const outcomes = reports.map((report) => ({ report, ...outcomeOf(report) }))
  const wrong = outcomes.filter(({ mistake }) => mistake !== undefined)
  const lines = outcomes.map(({ believed = "nothing", cents, mistake, report }) => {
    const { amount, currency, requestId, status } = report.transaction
    const told = report.told.at(-1)?.to ?? "nothing"
    const cost = cents === 0 ? "" : `${amount} ${currency}`
    const line = row([
      requestId,
      status,
      told,
      mistake === undefined ? believed : `${believed}: ${mistake}`,
      cost
    ])
    return mistake === undefined ? line : styled("yellow", line)
  })
  const sums = Map.groupBy(wrong, ({ mistake }) => mistake ?? "")
  return [
    styled(["bold", "underline"], "The usual handler, with the same callbacks"),
    "",
    "It verifies checksums and ranks statuses, and believes every callback (examples/src/naive.ts, one callback at a time).",
    "",
    styled("bold", row(["order", "service", "pawl told", "the usual handler", "cost"])),
    ...lines,
    "",
    `The usual handler would have ended ${wrong.length} of ${outcomes.length} transactions wrong, at a cost of ${totals(wrong)}:`,
    ...Array.from(sums, ([mistake, members]) => {
      const cost = members.some(({ cents }) => cents > 0) ? `, ${totals(members)}` : ""
      return `  ${members.length} × ${mistake}${cost}`
    }),
    ""
  ].join("\n")
}

const totals = (
  outcomes: ReadonlyArray<{ readonly cents: number; readonly report: Report }>
): string =>
  Array.from(
    Map.groupBy(outcomes, ({ report }) => report.transaction.currency),
    ([currency, members]) =>
      `${money(members.reduce((sum, { cents }) => sum + cents, 0))} ${currency}`
  ).join(" and ") || "nothing"

const styled = (style: Parameters<typeof styleText>[0], text: string): string =>
  styleText(style, text, { stream: process.stdout })
