/** The edits of a regular expression. */
import { apply, type Edit } from "./Edit.ts"

/** One piece of a regular expression: an escape, a count, or one character. */
const piece = /\\(?:[pPu]\{[^}]*\}|[^])|\{\d+(?:,\d*)?\}|[^]/gu

const count = ([low = 0, high]: ReadonlyArray<number>): string =>
  high === undefined ? `{${low + 1}}` : `{${low},${high + 1}}`

export const edits = (literal: string): ReadonlyArray<Edit> => {
  const end = literal.lastIndexOf("/")
  const found: Array<Edit> = []
  const add = (start: number, length: number, text: string): void => {
    found.push({ operator: "regex", start, end: start + length, text })
  }
  let isInClass = false
  for (const { 0: each, index } of literal.slice(1, end).matchAll(piece)) {
    const at = index + 1
    const previous = literal[at - 1]
    if (isInClass) {
      if (each === "]") isInClass = false
    } else if (each === "[") {
      isInClass = true
      if (literal[at + 1] === "^") add(at + 1, 1, "")
    } else if (each === "^" || each === "$") add(at, 1, "")
    else if (each === "+") add(at, 1, "*")
    else if (each === "*") add(at, 1, "+")
    else if (each === "?" && previous !== "(" && !/[+*}]/u.test(previous ?? "")) add(at, 1, "")
    else if (/^\{\d+(?:,\d+)?\}$/u.test(each)) {
      add(at, each.length, count(each.slice(1, -1).split(",").map(Number)))
    }
  }
  const flag = literal.indexOf("i", end)
  if (flag > 0) add(flag, 1, "")
  return found.filter((edit) => isValid(apply(literal, edit)))
}

const isValid = (literal: string): boolean => {
  const end = literal.lastIndexOf("/")
  try {
    return new RegExp(literal.slice(1, end), literal.slice(end + 1)) instanceof RegExp
  } catch {
    return false
  }
}
