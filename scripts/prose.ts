/**
 * The prose check: finds sentences that open with a clause in the place of a noun ("What fails is
 * retried"), whose reader has to reach the verb to learn the subject.
 *
 * It reads comments, string literals and templates of sources, and Markdown pages without their
 * code. Questions are left alone.
 */
import { parseSync } from "oxc-parser"
import { files, read, report } from "./repository.ts"

interface Passage {
  readonly line: number
  readonly text: string
}

const headless = /^(?:What|Who|Whoever|Whatever|Whichever|That which)\b(?!['’])/u
/** Pattern of such a clause after a semicolon, where a second sentence begins. */
const headlessAfterSemicolon = /; (?:what|who|whoever|whatever|whichever|that which) [^?]*$/u
const segmenter = new Intl.Segmenter("en", { granularity: "sentence" })

export const findings = (path: string, text: string): ReadonlyArray<string> =>
  passages(path, text).flatMap((passage) =>
    headlessOf(passage).map(({ line, text }) => `${path}:${line} names no subject: "${text}"`)
  )

const headlessOf = ({ line, text }: Passage): ReadonlyArray<Passage> =>
  Array.from(segmenter.segment(text)).flatMap(({ index, segment }) => {
    const sentence = segment.trim().replaceAll(/\s+/gu, " ")
    const opening = sentence.replace(/^[^\p{L}`]+/u, "")
    const isQuestion = /\?\W*$/u.test(sentence)
    const [clause = ""] = headlessAfterSemicolon.exec(sentence) ?? []
    const found = headless.test(opening) && !isQuestion ? opening : clause.slice(2)
    return found === ""
      ? []
      : [{ line: line + lines(text.slice(0, index)) - 1, text: found.slice(0, 80) }]
  })

const passages = (path: string, text: string): ReadonlyArray<Passage> => {
  if (path.endsWith(".md")) return paragraphs({ line: 1, text: withoutCode(text) })
  const { comments, program } = parseSync(path.replace(/\.js$/u, ".ts"), text)
  const found: Array<Passage> = []
  const add = (start: number, value: string) => {
    found.push({ line: lines(text.slice(0, start)), text: value })
  }
  let endOfLine = Infinity
  for (const { end, start, type, value } of comments) {
    const last = found.at(-1)
    const isNext = type === "Line" && /^\s+$/u.test(text.slice(endOfLine, start))
    if (isNext && last) found[found.length - 1] = { ...last, text: `${last.text}\n${value}` }
    else add(start, withoutCode(value.replaceAll(/^ *\* ?/gmu, "")))
    endOfLine = type === "Line" ? end : Infinity
  }
  visit(program, add)
  return found.flatMap(paragraphs)
}

/** Passes texts with a space to `add`: a single word is no sentence. */
const visit = (node: unknown, add: (start: number, value: string) => void): void => {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, add)
  } else if (typeof node === "object" && node !== null) {
    const { start, type, value } = node as Record<string, unknown>
    const raw =
      typeof value === "object" && value !== null && "cooked" in value ? value.cooked : value
    const isText = type === "Literal" || type === "TemplateElement" || type === "JSXText"
    if (isText && typeof raw === "string" && raw.includes(" ")) add(Number(start), raw)
    for (const each of Object.values(node)) if (typeof each === "object") visit(each, add)
  }
}

/** A blank line, a list item, a heading or the cell of a table begins a text. */
const paragraphs = ({ line, text }: Passage): ReadonlyArray<Passage> => {
  const found: Array<{ line: number; text: string }> = []
  let isOpen = false
  for (const [at, each] of text.split("\n").entries()) {
    const isItem = /^\s*(?:[-*+]|\d+\.|#+|>)\s/u.test(each)
    for (const cell of each.startsWith("|") ? each.split("|") : [each]) {
      const last = found.at(-1)
      if (isOpen && !isItem && cell === each && last !== undefined && cell.trim() !== "") {
        last.text += `\n${cell}`
      } else if (cell.trim() !== "") {
        found.push({ line: line + at, text: cell })
      }
    }
    isOpen = each.trim() !== "" && !each.startsWith("|") && !each.startsWith("#")
  }
  return found
}

const withoutCode = (text: string): string =>
  text
    .replaceAll(/^ *```[\s\S]*?^ *```/gmu, (block) => block.replaceAll(/[^\n]/gu, " "))
    .replaceAll(/`[^`\n]+`/gu, (code) => `\`${"x".repeat(code.length - 2)}\``)

const lines = (text: string): number => text.split("\n").length

if (import.meta.main) {
  // The specification is not ours to word, a declaration file is generated, and a test plants
  // findings.
  const paths = files("*.ts", "*.js", "*.md").filter(
    (path) => !/^docs\/spec\.md$|\.d\.ts$|\/prose\.test\.ts$/u.test(path)
  )
  const found = paths.flatMap((path) => findings(path, read(path)))
  report(paths.length === 0 ? ["there are no files"] : found)
  console.log(`${found.length} findings in ${paths.length} files`)
}
