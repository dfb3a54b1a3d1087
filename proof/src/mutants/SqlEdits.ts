/** The edits of SQL text. */
import type { Edit } from "./Edit.ts"

type Replace = (match: RegExpExecArray) => string

const patterns: ReadonlyArray<readonly [operator: string, pattern: RegExp, replace: Replace]> = [
  ["condition", /(?<!BETWEEN [^ ]+ )\bAND\b/gu, () => "OR"],
  ["condition", /\bOR\b(?! (?:IGNORE|REPLACE|ABORT))/gu, () => "AND"],
  ["condition", /\bNOT (?=EXISTS|IN\b)/gu, () => ""],
  ["condition", /\bIS NOT NULL\b/gu, () => "IS NULL"],
  ["condition", /\bIS NULL\b/gu, () => "IS NOT NULL"],
  ["comparison", /<=/gu, () => "<"],
  ["comparison", />=/gu, () => ">"],
  ["comparison", /<>/gu, () => "="],
  ["comparison", /<(?![=>])/gu, () => "<="],
  ["comparison", /(?<![<>-])>(?![=>])/gu, () => ">="],
  ["comparison", /(?<=\b(?:WHERE|AND|OR|WHEN|ON) \(?[\w.]+ )=(?= )/gu, () => "<>"],
  ["arithmetic", /(?<= )\+(?= )/gu, () => "-"],
  ["arithmetic", /(?<= )-(?= )/gu, () => "+"],
  ["bits", /(?<= )\|(?= )/gu, () => "&"],
  ["bits", /(?<= )&(?= )/gu, () => "|"],
  ["number", /(?<![\w.$'])\d+(?![\w.'])/gu, ([digits]) => String(Number(digits) + 1)],
  ["order", /\bASC\b/gu, () => "DESC"],
  ["order", /\bDESC\b/gu, () => "ASC"],
  ["order", /\bNULLS FIRST\b/gu, () => "NULLS LAST"],
  ["order", /\bNULLS LAST\b/gu, () => "NULLS FIRST"],
  ["function", /\bMAX(?=\()/gu, () => "MIN"],
  ["function", /\bMIN(?=\()/gu, () => "MAX"],
  [
    "function",
    /\bCOALESCE\(([^(),$]+), ([^(),$]+)\)/gu,
    ([, one, two]) => `COALESCE(${two}, ${one})`
  ],
  ["lock", /\bFOR (?:NO KEY )?UPDATE\b(?: SKIP LOCKED)?/gu, () => ""],
  ["lock", /\bSKIP LOCKED\b/gu, () => ""],
  ["lock", /\bBEGIN IMMEDIATE\b/gu, () => "BEGIN"],
  ["assignment", /^ +\w+ = .*,\n/gmu, () => ""]
]

const keyword =
  /\b(?:SELECT|UPDATE|INSERT INTO|DELETE FROM|CREATE|BEGIN|COMMIT|PRAGMA|WHERE|AND|IS NULL|CASE|COALESCE|EXCLUDED)\b|\bexcluded\.|\bstored\./u

export const isSql = (text: string): boolean => keyword.test(text)

export const edits = (text: string): ReadonlyArray<Edit> =>
  patterns.flatMap(([operator, pattern, replace]) =>
    Array.from(text.matchAll(pattern), (match) => ({
      operator: `sql ${operator}`,
      start: match.index,
      end: match.index + match[0].length,
      text: replace(match)
    }))
  )
