/**
 * What came of the laws of a receiver, for people and for machines.
 *
 * @since 0.1.0
 */
import type { Verdict } from "../../Conformance.ts"
import type * as Laws from "../../Laws.ts"
import type { Case } from "./receiver/Case.ts"
import * as ReceiverScript from "./receiver/Script.ts"

/**
 * Lays out what came of the laws, for reading.
 *
 * @category conversions
 * @since 0.1.0
 */
export const text = (
  verdicts: ReadonlyArray<Verdict>,
  place: ReceiverScript.Place & { readonly seed: number }
): string => {
  const broken = verdicts.flatMap(({ broken }) => broken ?? [])
  const [first] = broken
  const unasked =
    place.state === undefined
      ? ["What your code believes was not asked: give --state URL, and the other laws run as well."]
      : []
  if (first === undefined) return paragraphs(`All ${verdicts.length} laws hold.`, ...unasked)
  const count = `${broken.length} of ${verdicts.length} laws ${broken.length === 1 ? "does" : "do"} not hold`
  return paragraphs(
    `${count}. The first of them:`,
    ...told(first),
    `To see it again by hand, in bash with PAWL_MERCHANT_SECRET set, and beside\n\`${sandbox(place)}\`:`,
    indent(ReceiverScript.write(first.counterexample as Case, place)),
    `Next: mend this, and run it again with --seed ${place.seed}.`,
    ...unasked
  )
}

/** What does not hold, the steps to it, what is wrong, and why it matters. */
const told = ({ law, shown = "", wrong }: Laws.LawBroken): ReadonlyArray<string> => [
  `It does not hold that ${law.name}.`,
  indent(short(shown)),
  indent(wrong),
  indent(`${law.explanation}\n(${law.section})`)
]

const paragraphs = (...texts: ReadonlyArray<string>): string => texts.join("\n\n")
const indent = (text: string): string => text.replaceAll(/^(?=.)/gmu, "  ")
const short = (text: string): string => text.replaceAll(/^(.{200}).+$/gmu, "$1…")
const sandbox = ({ merchantKey, service }: ReceiverScript.Place): string =>
  `npx pawl-sandbox --port ${new URL(service).port} --merchant-key ${merchantKey} --pace 1h`

/**
 * Writes what came of the laws as JUnit's XML.
 *
 * @category conversions
 * @since 0.1.0
 */
export const xml = (verdicts: ReadonlyArray<Verdict>): string => {
  const failures = verdicts.filter(({ broken }) => broken !== undefined).length
  const seconds = (millis: number) => (millis / 1000).toFixed(3)
  const time = seconds(verdicts.reduce((sum, { millis }) => sum + millis, 0))
  const cases = verdicts.map(({ about, broken, law, millis }) => {
    const open = `    <testcase classname="conform.${about}" name="${escape(law.name)}" time="${seconds(millis)}"`
    if (broken === undefined) return `${open}/>`
    const body = escape(paragraphs(...told(broken)))
    return `${open}>\n      <failure message="${escape(broken.wrong)}">${body}</failure>\n    </testcase>`
  })
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites>`,
    `  <testsuite name="conform" tests="${verdicts.length}" failures="${failures}" time="${time}">`,
    ...cases,
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

/** What XML cannot hold at all is left out. */
const escape = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll(/[&<>"]/gu, (each) => entities[each] ?? "")
