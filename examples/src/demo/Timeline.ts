/**
 * Prints the reports of all transactions, grouped by kind. Each has one line for its history at the service,
 * its callbacks, its reads and the transitions that the handler received.
 */
import { isTerminal, type Status } from "@pawl/core/Status"
import type { Transaction } from "@pawl/testkit/Gateway"
import type { Entry } from "@pawl/webhook/Journal"
import { styleText } from "node:util"
import { problems, missing, type Report, suffixesOf } from "./Report.ts"

type Style = Parameters<typeof styleText>[0]

const styled = (style: Style, text: string) => styleText(style, text, { stream: process.stdout })

const groups = [
  "Payments",
  "Card payments",
  "Refunds",
  "Payouts",
  "On the hosted page",
  "Charges of a subscription"
] as const

const groupOf = ({ intentId, kind, subscriptionId }: Transaction): (typeof groups)[number] => {
  if (intentId !== undefined) return "On the hosted page"
  if (subscriptionId !== undefined) return "Charges of a subscription"
  if (kind === "refund") return "Refunds"
  if (kind.endsWith("payout")) return "Payouts"
  return kind === "card-payment" ? "Card payments" : "Payments"
}

export const print = (reports: ReadonlyArray<Report>): string =>
  groups
    .map((group) => ({
      group,
      members: reports.filter(({ transaction }) => groupOf(transaction) === group)
    }))
    .filter(({ members }) => members.length > 0)
    .map(({ group, members }) => {
      const right = members.filter((report) => problems(report).length === 0).length
      const heading = `${group}: ${right} of ${members.length} right`
      return [`${styled(["bold", "underline"], heading)}\n`, ...members.map(printReport)].join("\n")
    })
    .join("\n")

/** Formats the verdict: all transactions ended right, or the list of problems. */
export const verdict = (count: number, wrong: ReadonlyArray<string>): string =>
  wrong.length === 0
    ? styled("green", `All ${count} transactions ended right.`)
    : styled("red", ["Some transactions did not end right.", ...wrong].join("\n  "))

/** The lines of a report, with the journal entries in each. */
const lanes: ReadonlyArray<readonly [name: string, tags: ReadonlyArray<Entry["_tag"]>]> = [
  ["callbacks", ["Accepted", "Quarantined"]],
  ["reads", ["Read"]],
  ["told", ["Told", "HandlerFailed"]],
  ["alarm", ["Alarm", "DeadLettered"]]
]

const printReport = (report: Report): string => {
  const { entries, transaction } = report
  const history = transaction.history.map(({ status }) => status)
  const wrong = problems(report)
  const verdict =
    wrong.length === 0 ? styled("green", "✓ right") : styled("red", `✗ ${wrong.join("; ")}`)
  const begin = Math.min(...entries.map(({ at }) => at))
  const lines = [
    ["service", history.join(" → ")],
    ...lanes.map(([name, tags]) => [
      name,
      formatEvents(
        entries
          .filter(({ _tag }) => tags.includes(_tag))
          .map((entry) => ({
            time: ((entry.at - begin) / 1000).toFixed(1),
            text: describe(entry, history)
          }))
      )
    ]),
    ["not sent", notSent(report)]
  ]
  return [
    `${styled("bold", transaction.transactionId)}  ${transaction.requestId}  ${styled("dim", courseOf(report))}  ${verdict}`,
    ...lines
      .filter(([, text]) => text !== "")
      .map(([name = "", text]) => `  ${styled("dim", name.padEnd(11))}  ${text}`),
    ""
  ].join("\n")
}

const notSent = (report: Report): string => {
  const statuses = missing(report)
  return statuses.length === 0 ? "" : `${statuses.join(", ")}: the service was read instead`
}

const ends: Readonly<Partial<Record<Status, string>>> = {
  SUCCEED: "succeeds",
  FAILED: "is declined",
  CANCELLED: "is cancelled",
  REFUNDED: "succeeds and is refunded",
  CHARGEBACK: "succeeds and is charged back"
}

const deliveries = {
  duplicate: "twice",
  shuffle: "out of order",
  silent: "none",
  late: "late",
  forged: "with forgeries",
  lost: "the last one lost"
}

const courseOf = (report: Report): string => {
  const { history, status } = report.transaction
  const declined = status === "SUCCEED" && history.some((each) => each.status === "FAILED")
  const course = ends[status] ?? `stays in ${status}`
  const suffixes = suffixesOf(report).map((suffix) => deliveries[suffix])
  return [
    declined ? `is declined, then ${course}` : course,
    ...(suffixes.length === 0 ? [] : [`callbacks: ${suffixes.join(", ")}`])
  ].join("; ")
}

/** Formats events in order, each time once, and equal neighbours with their count. */
const formatEvents = (
  events: ReadonlyArray<{ readonly time: string; readonly text: string }>
): string =>
  events
    .map((event, index) => ({ ...event, index, isFirst: event.text !== events[index - 1]?.text }))
    .filter(({ isFirst }) => isFirst)
    .map(({ index, text, time }, nth, firsts) => {
      const count = (firsts[nth + 1]?.index ?? events.length) - index
      const before = time === firsts[nth - 1]?.time ? ", " : `  ${styled("dim", time)} `
      return `${before}${text}${count > 1 ? ` ×${count}` : ""}`
    })
    .join("")
    .trimStart()

const describe = (entry: Entry, history: ReadonlyArray<Status>): string => {
  switch (entry._tag) {
    case "Accepted":
      return history.includes(entry.claim)
        ? entry.claim
        : styled("yellow", `${entry.claim} (forged)`)
    case "Quarantined":
      return `quarantined for its ${entry.field}`
    case "Read":
      return entry.result
    case "Told":
      return `${entry.to}${entry.confirmed ? styled("green", "✓") : ""}`
    case "HandlerFailed":
      return `${entry.to} refused`
    case "DeadLettered":
    case "Alarm":
      return history.filter(isTerminal).length > 1
        ? `${entry.reason}, as the service says: ${history.filter(isTerminal).join(", then ")}`
        : entry.reason
  }
}
