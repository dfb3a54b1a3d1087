/**
 * The silence check: every statement of docs/spec.md that something is "not shown" has a decision
 * page.
 *
 * A page answers it in a line that quotes the whole sentence or cell of a table:
 * `Answers: "…: not shown."`. A quote answers all its places.
 *
 * Exits 1 if a silence has no page, a quote is not in the specification, or a source names a page
 * that does not exist.
 */
import { basename } from "node:path"
import type { Page } from "./links.ts"
import { find, read, report } from "./repository.ts"

const sentences = new Intl.Segmenter("en", { granularity: "sentence" })

/** A sentence ends with its line or its cell of a table. */
const found = (spec: string) =>
  Array.from(spec.matchAll(/[^|\n]+/gu)).flatMap(({ 0: cell, index }) =>
    Array.from(sentences.segment(cell))
      .filter(({ segment }) => /not shown/iu.test(segment))
      .map(({ index: at, segment }) => {
        const words = segment.replace(/^[\s-]+/u, "")
        const start = index + at + segment.length - words.length
        return { start, end: start + words.trimEnd().length }
      })
  )

const occurrences = (spec: string, quote: string) => {
  const ranges: Array<{ readonly start: number; readonly end: number }> = []
  for (let start = spec.indexOf(quote); start >= 0; start = spec.indexOf(quote, start + 1)) {
    ranges.push({ start, end: start + quote.length })
  }
  return ranges
}

/** Lists the quotes in a text, which may be wrapped. */
const quotesOf = (text: string) =>
  Array.from(text.matchAll(/^Answers: "(.+?)"$/gmsu), ([, quote = ""]) =>
    quote.replaceAll(/\s+/gu, " ")
  )

/** Returns the section of a place, and its line from 1. */
const place = (spec: string, at: number) => {
  const before = spec.slice(0, at)
  return {
    line: before.split("\n").length,
    section: Array.from(before.matchAll(/^#+ (.+)$/gmu)).at(-1)?.[1] ?? ""
  }
}

export const judge = (spec: string, pages: ReadonlyArray<Page>) => {
  const quotes = pages.flatMap(({ path, text }) =>
    quotesOf(text).map((quote) => ({ path, quote, ranges: occurrences(spec, quote) }))
  )
  const silences = found(spec).map(({ end, start }) => ({
    ...place(spec, start),
    words: spec.slice(start, end),
    answers: quotes
      .filter(({ ranges }) => ranges.some((each) => each.start <= start && each.end >= end))
      .map(({ path }) => path)
  }))
  return {
    silences,
    wrong: [
      ...silences
        .filter(({ answers }) => answers.length === 0)
        .map(({ line, words }) => `docs/spec.md:${line} no decision answers "${words}"`),
      ...quotes
        .filter(({ ranges }) => ranges.length === 0)
        .map(({ path, quote }) => `${path} the spec does not say "${quote}"`),
      ...pages
        .filter(({ text }) => (text.match(/^Answers:/gmu) ?? []).length !== quotesOf(text).length)
        .map(({ path }) => `${path} a line "Answers:" does not hold exactly one quote`)
    ]
  }
}

export const dangling = ({ path, text }: Page, pages: ReadonlyArray<Page>): ReadonlyArray<string> =>
  Array.from(text.matchAll(/\bdecisions\/(\d{4}-[\w-]+\.md)/gu), ([, name = ""]) => name)
    .filter((name) => !pages.some((page) => basename(page.path) === name))
    .map((name) => `${path} there is no decision ${name}`)

if (import.meta.main) {
  const textsOf = (pattern: string): ReadonlyArray<Page> =>
    find(pattern).map((path) => ({ path, text: read(path) }))
  const pages = textsOf("docs/decisions/*.md")
  const { silences, wrong } = judge(read("docs/spec.md"), pages)
  const namers = textsOf("{*.md,docs/**/*.md,{packages/*,examples}/{src,test}/**/*.ts}")
  const findings = [...wrong, ...namers.flatMap((each) => dangling(each, pages))]
  for (const { answers, line, section, words } of findings.length === 0 ? silences : []) {
    console.log(`${String(line).padStart(4)}  ${section}: ${words}`)
    for (const path of answers) console.log(`      ${basename(path, ".md")}`)
  }
  report(findings)
}
