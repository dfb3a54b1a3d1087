/**
 * Lays the stories out for reading: by kind, and each in lanes of what arrived, what the service was
 * asked, and what the handler was told.
 */
import type { Status } from "@pawl/core/Status"
import type { Transaction } from "@pawl/testkit/Gateway"
import type { Entry } from "@pawl/webhook/Journal"
import { styleText } from "node:util"
import { faults, missing, scenarioOf, type Story } from "./Story.ts"

type Style = Parameters<typeof styleText>[0]

/** Colours where the output is a terminal, plain text elsewhere. */
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

/** Lays out all stories, group by group. */
export const print = (stories: ReadonlyArray<Story>): string =>
  groups
    .map((group) => ({ group, members: stories.filter(({ truth }) => groupOf(truth) === group) }))
    .filter(({ members }) => members.length > 0)
    .map(({ group, members }) => {
      const right = members.filter((story) => faults(story).length === 0).length
      const heading = `${group}: ${right} of ${members.length} right`
      return [`${styled(["bold", "underline"], heading)}\n`, ...members.map(printOne)].join("\n")
    })
    .join("\n")

/** Says that all was told right, or what was not. */
export const verdict = (count: number, wrong: ReadonlyArray<string>): string =>
  wrong.length === 0
    ? styled("green", `All ${count} transactions ended right.`)
    : styled("red", ["Not everything ended right.", ...wrong].join("\n  "))

/** Which entries of the journal stand in which lane. */
const lanes: ReadonlyArray<readonly [name: string, tags: ReadonlyArray<Entry["_tag"]>]> = [
  ["callbacks", ["Accepted", "Quarantined"]],
  ["asked", ["Read"]],
  ["told", ["Told", "HandlerFailed"]],
  ["alarm", ["Alarm", "DeadLettered"]]
]

const printOne = (story: Story): string => {
  const { entries, truth } = story
  const had = truth.history.map(({ status }) => status)
  const wrong = faults(story)
  const end =
    wrong.length === 0 ? styled("green", "✓ right") : styled("red", `✗ ${wrong.join("; ")}`)
  const begin = Math.min(...entries.map(({ at }) => at))
  const lines = [
    ["service", had.join(" → ")],
    ...lanes.map(([name, tags]) => [
      name,
      inTurn(
        entries
          .filter(({ _tag }) => tags.includes(_tag))
          .map((entry) => ({
            time: ((entry.at - begin) / 1000).toFixed(1),
            words: wordsOf(entry, had)
          }))
      )
    ]),
    ["no callback", missing(story).join(", ")]
  ]
  return [
    `${styled("bold", truth.transactionId)}  ${scenarioOf(story)}  ${styled("dim", truth.requestId)}  ${end}`,
    ...lines
      .filter(([, words]) => words !== "")
      .map(([name = "", words]) => `  ${styled("dim", name.padEnd(11))}  ${words}`),
    ""
  ].join("\n")
}

/** Says a time once, and counts what follows on its like. */
const inTurn = (all: ReadonlyArray<{ readonly time: string; readonly words: string }>): string =>
  all
    .map((one, index) => ({ ...one, index, isFirst: one.words !== all[index - 1]?.words }))
    .filter(({ isFirst }) => isFirst)
    .map(({ index, time, words }, nth, firsts) => {
      const count = (firsts[nth + 1]?.index ?? all.length) - index
      const before = time === firsts[nth - 1]?.time ? ", " : `  ${styled("dim", time)} `
      return `${before}${words}${count > 1 ? ` ×${count}` : ""}`
    })
    .join("")
    .trimStart()

const wordsOf = (entry: Entry, had: ReadonlyArray<Status>): string => {
  switch (entry._tag) {
    case "Accepted":
      return had.includes(entry.claim) ? entry.claim : styled("yellow", `${entry.claim} (forged)`)
    case "Quarantined":
      return `put aside for its ${entry.field}`
    case "Read":
      return entry.result
    case "Told":
      return `${entry.to}${entry.confirmed ? styled("green", "✓") : ""}`
    case "HandlerFailed":
      return `${entry.to} refused`
    case "DeadLettered":
    case "Alarm":
      return entry.reason
  }
}
