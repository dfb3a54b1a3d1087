/**
 * The plan, the findings and the changes as text for a terminal and as Markdown.
 */
import { count } from "@pawl/webhook/internal/CommandOutput"
import type { Check, Finding } from "../../Doctor.ts"
import * as Readings from "../../Readings.ts"
import type { Change } from "./Drift.ts"
import { find, type Recording } from "./Recording.ts"
import { rows, unprobed } from "./Silences.ts"
import { steps } from "./Steps.ts"

type Cells = ReadonlyArray<string>

/**
 * Writes a table. Cells are wrapped at spaces; the last column has the width that the others leave.
 */
const columns = (table: ReadonlyArray<Cells>, width: number): string => {
  const count = table[0]?.length ?? 0
  const most = Math.max(12, Math.floor(width / (count - 1)))
  const widths = Array.from({ length: count - 1 }, (_, at) =>
    Math.min(most, Math.max(...table.map((row) => row[at]?.length ?? 0)))
  )
  const used = widths.reduce((sum, each) => sum + each + 2, 0)
  widths.push(Math.max(20, width - used))
  return table
    .flatMap((row) => {
      const cells = row.map((cell, at) => wrapped(cell, widths[at] ?? 0))
      const height = Math.max(...cells.map(({ length }) => length))
      return Array.from({ length: height }, (_, line) =>
        cells
          .map((lines, at) => (lines[line] ?? "").padEnd(widths[at] ?? 0))
          .join("  ")
          .trimEnd()
      )
    })
    .join("\n")
}

const wrapped = (cell: string, width: number): Array<string> =>
  cell.split(" ").reduce<Array<string>>(
    (lines, word) => {
      const last = lines.at(-1) ?? ""
      if (last === "" || last.length + 1 + word.length <= width) {
        lines[lines.length - 1] = last === "" ? word : `${last} ${word}`
      } else lines.push(word)
      return lines
    },
    [""]
  )

const markdown = (table: ReadonlyArray<Cells>): string => {
  const [head = [], ...body] = table
  return [head, head.map(() => "---"), ...body]
    .map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n")
}

const marks = { agrees: "✓", borne: "≈", switch: "→", differs: "✗", unseen: "?" } as const

const numbered = (silence: number): string => (silence === 0 ? "–" : String(silence))

/** The width of a report on a terminal, or Markdown. */
export type Format = { readonly width: number } | "markdown"

const print = (table: ReadonlyArray<Cells>, format: Format): string =>
  format === "markdown" ? markdown(table) : columns(table, format.width)

const heading = (title: string, format: Format): string =>
  format === "markdown" ? `## ${title}\n` : `${title}\n`

export const plan = (units: number, currency: string, format: Format): string => {
  const table = steps.map(({ does, name, paidIn, paidOut, requests }) => [
    name,
    `at most ${requests}`,
    String(paidIn),
    String(paidOut),
    does
  ])
  const questions = rows.map(({ question, silence, steps, title }) => [
    numbered(silence),
    title,
    Readings.known(question)[0],
    steps
  ])
  const open = unprobed.map(({ assumed, silence, title, why }) => [
    numbered(silence),
    title,
    assumed,
    `not probed: ${why}`
  ])
  return [
    heading("Steps", format),
    print([["step", "requests", "payments", "payouts", "it"], ...table], format),
    "",
    budget(units, currency),
    "",
    heading("Questions", format),
    print([["silence", "question", "pawl assumes", "probed by"], ...questions, ...open], format)
  ].join("\n")
}

/** An amount of the run is below its units and 21 cents. */
export const budget = (units: number, currency: string): string => {
  const total = (count: (step: (typeof steps)[number]) => number) =>
    steps.reduce((sum, step) => sum + count(step), 0)
  const money = (count: number) => `${((count * (units * 100 + 20)) / 100).toFixed(2)} ${currency}`
  const [paidIn, paidOut] = [total((step) => step.paidIn), total((step) => step.paidOut)]
  return `At most ${total((step) => step.requests)} requests: ${paidIn} payments of together ${money(paidIn)}, ${paidOut} payouts of together ${money(paidOut)}, one refund of ${units}.10 ${currency}`
}

export const findings = (
  all: ReadonlyArray<Finding>,
  recording: Recording,
  format: Format
): string => {
  const table = all.map(({ assumed, evidence, reading, silence, title, verdict }) => [
    marks[verdict],
    numbered(silence),
    title,
    assumed,
    reading === undefined ? "not seen" : verdict === "agrees" ? "the same" : reading,
    evidence
  ])
  const count = (verdict: Finding["verdict"]) =>
    all.filter((finding) => finding.verdict === verdict).length
  const open = [
    ...all.filter(({ verdict }) => verdict === "differs" || verdict === "unseen"),
    ...unprobed
  ].map(({ ask, silence }) => `${numbered(silence)}. ${ask}`)
  const breaking = all.flatMap(({ breaks, title, verdict }) =>
    verdict === "differs" && breaks !== undefined ? [`${title}: ${breaks}`] : []
  )
  const item = format === "markdown" ? "- " : "  "
  return [
    print([["", "", "question", "pawl assumes", "the service", "evidence"], ...table], format),
    "",
    `✓ ${count("agrees")} as assumed   ≈ ${count("borne")} otherwise, and pawl works with it   → ${count("switch")} with a switch of the profile   ✗ ${count("differs")} otherwise   ? ${count("unseen")} not seen`,
    "",
    ...(breaking.length === 0
      ? []
      : [
          heading("Effects of the differences", format),
          ...breaking.map((line) => `${item}${line}`),
          ""
        ]),
    heading("Measured", format),
    ...measured(recording).map((line) => `${item}${line}`),
    "",
    heading("Questions for the support of the service", format),
    ...open.map((line) => `${item}${line}`)
  ].join("\n")
}

export const checks = (title: string, all: ReadonlyArray<Check>, format: Format): string => {
  const table = all.map(({ problem, subject }) => [
    problem === undefined ? marks.agrees : marks.differs,
    subject,
    problem ?? ""
  ])
  return [heading(title, format), print([["", "what", "why not"], ...table], format)].join("\n")
}

export const drift = (changes: ReadonlyArray<Change>, format: Format): string =>
  changes.length === 0
    ? "Nothing has changed since the fixtures."
    : print(
        [
          ["", "changed", "before", "now"],
          ...changes.map(({ after, before, subject }) => ["✗", subject, before, after])
        ],
        format
      )

const measured = (recording: Recording): ReadonlyArray<string> => {
  const times = recording.exchanges.map(({ took }) => took).toSorted((left, right) => left - right)
  const auth = find(recording, "auth")
  const date = Date.parse(auth?.headers["date"] ?? "")
  // The header has whole seconds.
  const skew = auth && Math.round((date + 500 - auth.at - auth.took / 2) / 1000)
  return [
    `latency of ${count(times.length, "request")}: median ${times[Math.floor(times.length / 2)] ?? 0} ms, longest ${times.at(-1) ?? 0} ms`,
    skew === undefined || Number.isNaN(skew)
      ? "clock: the responses have no date"
      : `clock: the service is ${Math.abs(skew)} s ${skew < 0 ? "behind" : "ahead"}`,
    `connection: ${recording.connection ?? (recording.baseUrl.startsWith("https:") ? "TLS, without details" : "not encrypted")}`
  ]
}
