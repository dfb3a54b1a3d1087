/**
 * Prints what happened to a transaction, line by line, and whether it ended right.
 */
import type { Transition } from "@pawl/core/Handler"
import { isTerminal, rank, type Status } from "@pawl/core/Status"
import type { Delivery } from "@pawl/testkit/Courier"
import type { Transaction } from "@pawl/testkit/Gateway"
import type { Entered } from "@pawl/webhook/Journal"
import { styleText } from "node:util"

/** One transaction, from every side: the service's truth, what arrived, what the handler was told. */
export interface Story {
  readonly scenario: string
  readonly answer: string
  readonly startedAt: number
  readonly answeredAt: number
  readonly truth: Transaction
  readonly entries: ReadonlyArray<Entered>
  readonly told: ReadonlyArray<Transition>
  readonly deliveries: ReadonlyArray<Delivery>
  /** How many callbacks the ledger took. */
  readonly accepted: number
}

type Style = Parameters<typeof styleText>[0]

/** Colours where the output is a terminal, plain text elsewhere. */
const styled = (style: Style, text: string) => styleText(style, text, { stream: process.stdout })

/**
 * Lists what is wrong with how a transaction was told; empty when it was told right.
 */
export const faults = ({ accepted, deliveries, told, truth }: Story): ReadonlyArray<string> => {
  const had = new Set(truth.history.map(({ status }) => status))
  return [
    ...told
      .filter(({ confirmed, to }) => isTerminal(to) && !(confirmed && had.has(to)))
      .map(({ to }) => `${to} was told, and the service never confirmed it`),
    ...told
      .filter(({ from, to }) => from !== null && rank(to) < rank(from))
      .map(({ from, to }) => `${to} was told after ${from}`),
    ...told
      .filter(({ to }, index) => to === told[index - 1]?.to)
      .map(({ to }) => `${to} was told twice`),
    ...deliveries
      .filter(({ answer }) => answer !== 200)
      .map(({ answer, status }) => `the callback of ${status} was answered ${answer}`),
    ...(deliveries.length === accepted
      ? []
      : [`${deliveries.length} callbacks were delivered, and ${accepted} stored`]),
    ...(told.at(-1)?.to === truth.status
      ? []
      : [`it ended ${truth.status}, and the handler was last told ${told.at(-1)?.to ?? "nothing"}`])
  ]
}

/** Lists the statuses a transaction had that no callback told of. */
export const missing = ({ entries, truth }: Story): ReadonlyArray<Status> => {
  const claimed = entries.flatMap((entry) => (entry._tag === "Accepted" ? [entry.claim] : []))
  return truth.history.map(({ status }) => status).filter((status) => !claimed.includes(status))
}

/** Lays out one transaction for reading. */
export const print = (story: Story): string => {
  const { answer, answeredAt, entries, scenario, startedAt, told, truth } = story
  const had = truth.history.map(({ status }) => status)
  const wrong = faults(story)
  const lost = missing(story)
  return [
    styled("bold", `${truth.transactionId}  ${scenario}`),
    ...[
      { at: answeredAt, words: ["create", answer, "answered by the service"] as const },
      ...entries.map((entry) => ({ at: entry.at, words: describe(entry, story) }))
    ]
      .toSorted((one, two) => one.at - two.at)
      .map(({ at, words }) => line(at - startedAt, ...words)),
    ...(lost.length > 0 ? [line(undefined, "lost", lost.join(", "), "no callback came")] : []),
    `  the service says ${had.join(" → ")}`,
    `  the handler heard ${told.map(({ to }) => to).join(" → ") || "nothing"}  ${
      wrong.length === 0 ? styled("green", "✓ right") : styled("red", `✗ ${wrong.join("; ")}`)
    }`,
    ""
  ].join("\n")
}

/** Says how many transactions were told right, and which were not. */
export const verdict = (stories: ReadonlyArray<Story>): string => {
  const wrong = stories.filter((story) => faults(story).length > 0)
  return wrong.length === 0
    ? styled("green", `All ${stories.length} transactions ended right.`)
    : styled(
        "red",
        `${wrong.length} of ${stories.length} transactions ended wrong: ${wrong.map(({ truth }) => truth.transactionId).join(", ")}`
      )
}

const line = (after: number | undefined, what: string, status: string, effect: string): string => {
  const time = after === undefined ? "" : `+${(after / 1000).toFixed(3)} s`
  return `  ${styled("dim", time.padStart(9))}  ${styled(what === "told" ? "cyan" : "reset", `${what.padEnd(8)}  ${status.padEnd(21)}`)}  ${styled("dim", effect)}`.trimEnd()
}

const describe = (
  entry: Entered,
  { entries, truth }: Story
): readonly [what: string, status: string, effect: string] => {
  switch (entry._tag) {
    case "Accepted": {
      const { claim, isNew } = entry
      const isKnown = entries.some(
        (other) => other._tag === "Told" && other.to === claim && other.at <= entry.at
      )
      const news = !isNew
        ? "again"
        : isTerminal(claim) && !isKnown
          ? "stored, to be confirmed"
          : "stored"
      const isForged = !truth.history.some(({ status }) => status === claim)
      const forged = isForged ? styled("yellow", "forged, with a valid checksum; ") : ""
      return ["callback", claim, forged + news]
    }
    case "Quarantined":
      return ["callback", "?", `put aside: ${entry.field}`]
    case "Asked":
      return ["asked", entry.answer, "the service itself"]
    case "Told":
      return ["told", entry.to, told(entry)]
    case "HandlerFailed":
      return ["refused", entry.to, `by the handler, attempt ${entry.attempt}`]
    case "Parked":
      return ["parked", "", entry.reason]
    case "Alarm":
      return ["alarm", "", entry.reason]
  }
}

const told = ({
  confirmed,
  conflict,
  to
}: {
  readonly confirmed: boolean
  readonly conflict: ReadonlyArray<Status> | null
  readonly to: Status
}): string => {
  const others = conflict?.filter((status) => status !== to) ?? []
  const before = others.length > 0 ? `; before it the service said ${others.join(", ")}` : ""
  return (confirmed ? "confirmed" : "not confirmed yet") + before
}
