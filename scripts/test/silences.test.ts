import * as fc from "fast-check"
import { expect, it } from "vitest"
import { dangling, judge } from "../silences.ts"

const spec = `# The service

## Limits

It has limits. Their values: not shown.
- Rate limits: not shown.
- Opening hours, e.g. on Sundays: not shown. They are long.

| Field | Type |
|---|---|
| ssn | Meaning not shown. |
| code | Meaning not shown. |
| kind | String (values: not shown) |

## Errors

Their shape is NOT SHOWN
`

const page = (path: string, ...quotes: ReadonlyArray<string>) => ({
  path,
  text: ["# A decision", ...quotes.map((quote) => `Answers: "${quote}"`)].join("\n\n")
})

const silences = (text: string) => judge(text, []).silences

it("lists each silence with its section and line, one per sentence or cell", () => {
  expect(silences(spec).map(({ line, section, words }) => [line, section, words])).toEqual([
    [5, "Limits", "Their values: not shown."],
    [6, "Limits", "Rate limits: not shown."],
    [7, "Limits", "Opening hours, e.g. on Sundays: not shown."],
    [11, "Limits", "Meaning not shown."],
    [12, "Limits", "Meaning not shown."],
    [13, "Limits", "String (values: not shown)"],
    [17, "Errors", "Their shape is NOT SHOWN"]
  ])
})

it('finds every "not shown"', () => {
  const part = fc.constantFrom(
    "not shown",
    "Not shown.",
    "a",
    ". B",
    ".",
    "|",
    "\n",
    "- ",
    "# ",
    '"'
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join(" ")
      const count = (words: string) => words.match(/not shown/giu)?.length ?? 0
      const listed = silences(text).map(({ words }) => count(words))
      expect(listed.reduce((sum, each) => sum + each, 0)).toBe(count(text))
    })
  )
})

it("takes a page that quotes the whole statement as the answer, in each place it occurs", () => {
  const pages = [
    page("a.md", "Meaning not shown.", "Rate limits: not shown."),
    page("b.md", "Rate limits: not shown."),
    page("c.md", "values: not shown", "not shown", "code | Meaning not shown.")
  ]
  expect(judge(spec, pages).silences.map(({ answers }) => answers)).toEqual([
    [],
    ["a.md", "b.md"],
    [],
    ["a.md"],
    ["a.md", "c.md"],
    [],
    []
  ])
})

it("reports a silence without a page, and a quote that is not in the specification", () => {
  const text = "Rates: not shown. Limits: not shown."
  expect(judge(text, [page("a.md", text)]).wrong).toEqual([])
  expect(judge(text, [page("a.md", "Rates: not shown.", "Hours: not shown.")]).wrong).toEqual([
    'docs/spec.md:1 no decision answers "Limits: not shown."',
    'a.md the spec does not say "Hours: not shown."'
  ])
})

it("reads a wrapped quote, and reports a line without a quote", () => {
  const text = "Rates: not shown."
  const wrapped = { path: "a.md", text: 'Answers: "Rates:\nnot shown."\n' }
  expect(judge(text, [wrapped]).wrong).toEqual([])
  for (const line of ["Answers: Rates: not shown.", 'Answers: "Rates: not shown." and more']) {
    expect(judge(text, [wrapped, { path: "b.md", text: line }]).wrong).toEqual([
      'b.md a line "Answers:" does not hold exactly one quote'
    ])
  }
})

it("reports a page that is named and does not exist", () => {
  const pages = [page("docs/decisions/0001-one-holds.md")]
  const naming = (name: string) => ({ path: "a.ts", text: `// docs/decisions/${name}` })
  expect(dangling(naming("0001-one-holds.md"), pages)).toEqual([])
  expect(dangling(naming("0001-one-hold.md"), pages)).toEqual([
    "a.ts there is no decision 0001-one-hold.md"
  ])
})
