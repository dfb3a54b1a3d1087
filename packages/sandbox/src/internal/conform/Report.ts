/**
 * The reports of a conformance run, for people and for machines.
 */
import type * as Laws from "@pawl/testkit/Laws"
import type { ReceiverCase } from "@pawl/testkit/internal/laws/receiver/Case"
import * as Script from "./Script.ts"

export type Source = "specification" | "pawl"

export interface Verdict {
  readonly law: Laws.LawText
  readonly number: number
  readonly source: Source
  readonly group: "answers" | "statuses"
  readonly millis: number
  /** The failure of the law; undefined if it holds. */
  readonly broken: Laws.LawBroken | undefined
  /** Tells whether the receiver stopped listening, so that later laws did not run. */
  readonly hasEnded: boolean
}

export const sourceOf = ({ section }: Laws.LawText): Source =>
  section.startsWith("spec.md") ? "specification" : "pawl"

export const text = (
  verdicts: ReadonlyArray<Verdict>,
  target: Script.ScriptTarget & { readonly seed: number }
): string => {
  const broken = verdicts.filter(({ broken }) => broken !== undefined)
  const [first] = broken
  const skipped =
    target.state === undefined
      ? [
          "Only the laws about answers ran. Give --state URL to run the laws about reported statuses as well."
        ]
      : []
  if (first?.broken === undefined)
    return paragraphs(
      verdicts.length === 1 ? "The one law holds." : `All ${verdicts.length} laws hold.`,
      ...skipped
    )
  const count = `${broken.length} of ${verdicts.length} laws ${broken.length === 1 ? "does" : "do"} not hold`
  return paragraphs(
    [
      ...countOf("The specification's laws", "specification", verdicts),
      ...countOf("pawl's laws, where the specification is silent", "pawl", verdicts)
    ].join("\n"),
    ...verdicts.filter(({ hasEnded }) => hasEnded).map(ending),
    `${count}. The first of them:`,
    ...describe(first.broken),
    `A picture of this law: docs/conform-laws.md#law-${first.number}`,
    `To repeat it by hand, start \`${sandbox(target)}\`\nand run this in bash with PAWL_MERCHANT_SECRET set:`,
    indent(Script.write(first.broken.counterexample as ReceiverCase, target)),
    `Next: fix this, and run it again with --seed ${target.seed} --only ${first.number}; without --only all laws run.`,
    ...skipped
  )
}

const countOf = (
  name: string,
  source: Source,
  verdicts: ReadonlyArray<Verdict>
): ReadonlyArray<string> => {
  const members = verdicts.filter((verdict) => verdict.source === source)
  const right = members.filter(({ broken }) => broken === undefined).length
  return members.length === 0 ? [] : [`${name}: ${right} of ${members.length} hold.`]
}

const ending = ({ law, number }: Verdict): string =>
  `The receiver ended during law ${number} (${law.name}), so the laws after it did not run: no request may end it. Start it again; --only ${number} shows the request.`

const describe = ({ law, shown = "", wrong }: Laws.LawBroken): ReadonlyArray<string> => [
  `This law does not hold: ${law.name}.`,
  indent(short(shown)),
  indent(wrong),
  indent(`${law.explanation}\n(${law.section})`)
]

const paragraphs = (...texts: ReadonlyArray<string>): string => texts.join("\n\n")
const indent = (text: string): string => text.replaceAll(/^(?=.)/gmu, "  ")
const short = (text: string): string => text.replaceAll(/^(.{200}).+$/gmu, "$1…")
const sandbox = ({ merchantKey, service }: Script.ScriptTarget): string =>
  `npx pawl-sandbox --port ${new URL(service).port} --merchant-key ${merchantKey} --pace 1h`

export const markdown = (
  verdicts: ReadonlyArray<Verdict>,
  target: Parameters<typeof text>[1]
): string => {
  const right = verdicts.filter(({ broken }) => broken === undefined).length
  const rows = verdicts.map(
    ({ broken, law, millis, number, source }) =>
      `| ${number} | ${broken === undefined ? "✅" : "❌"} | ${law.name} | ${source} | ${(millis / 1000).toFixed(1)} s |`
  )
  // The report quotes the receiver's responses, which could end another block of code.
  const report = text(verdicts, target).replaceAll(/^/gmu, "    ")
  const heading = `### conform: ${right} of ${verdicts.length} laws hold`
  const table = ["| | | law | from | time |", "| --- | --- | --- | --- | --- |", ...rows].join("\n")
  return `${paragraphs(heading, table, report)}\n`
}

/** `fault` says why not all laws were checked. */
export const xml = (verdicts: ReadonlyArray<Verdict>, fault?: string): string => {
  const failures = verdicts.filter(({ broken }) => broken !== undefined).length
  const seconds = (millis: number) => (millis / 1000).toFixed(3)
  const time = seconds(verdicts.reduce((sum, { millis }) => sum + millis, 0))
  const [tests, errors, unchecked] =
    fault === undefined
      ? [verdicts.length, "", []]
      : [
          verdicts.length + 1,
          ` errors="1"`,
          [
            `    <testcase classname="conform" name="every law is checked">\n      <error message="${escape(fault)}"/>\n    </testcase>`
          ]
        ]
  const cases = verdicts.map(({ broken, group, law, millis, source }) => {
    const open = `    <testcase classname="conform.${source}.${group}" name="${escape(law.name)}" time="${seconds(millis)}"`
    if (broken === undefined) return `${open}/>`
    const body = escape(paragraphs(...describe(broken)))
    return `${open}>\n      <failure message="${escape(broken.wrong)}">${body}</failure>\n    </testcase>`
  })
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites>`,
    `  <testsuite name="conform" tests="${tests}" failures="${failures}"${errors} time="${time}">`,
    ...cases,
    ...unchecked,
    `  </testsuite>`,
    `</testsuites>\n`
  ].join("\n")
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;"
}

const escape = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll(/[&<>"]/gu, (each) => entities[each] ?? "")
