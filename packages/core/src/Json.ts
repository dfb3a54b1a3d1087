/**
 * A strict JSON reader with limits, which keeps every digit of a number.
 *
 * **Details**
 *
 * The signed fields are in the body, so a callback is parsed before it is verified: the reader gets input from
 * attackers. Beyond the errors of `JSON.parse` it refuses invalid UTF-8, a byte order mark, nesting deeper
 * than 64, more than 1,000 members, and a key that occurs twice in one object, also if one of the two is
 * written with escapes.
 *
 * A number is returned as its source text if `String(n)` would differ from that text: `10.00` is read as
 * `"10.00"`, `12345678901234567890` keeps its last digit, and `10` stays a number.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/**
 * The reason why a text is refused.
 *
 * @category errors
 * @since 0.1.0
 */
export type Fault = "encoding" | "depth" | "members" | "duplicate key" | "syntax"

/**
 * A number with its source text: the result of `JSON.rawJSON`. `JSON.stringify` writes the text unchanged.
 *
 * @category models
 * @since 0.1.0
 */
export interface RawJson {
  readonly rawJSON: string
}

/**
 * The maximum depth of nesting.
 *
 * @category constants
 * @since 0.1.0
 */
export const maxDepth = 64

/**
 * The maximum number of members in all objects of a text together.
 *
 * @category constants
 * @since 0.1.0
 */
export const maxMembers = 1000

/**
 * Reads bytes as UTF-8 JSON.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromBytes = (bytes: Uint8Array): Result.Result<Schema.Json, Fault> =>
  toResult(readBytes(bytes))

/**
 * Reads a text as JSON.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromText = (text: string): Result.Result<Schema.Json, Fault> =>
  toResult(readText(text))

/**
 * The result of `readBytes`: the JSON value, or the reason of the refusal.
 *
 * @category models
 * @since 0.1.0
 */
export type Parsed = { readonly json: Schema.Json } | { readonly fault: Fault }

/**
 * Reads bytes as UTF-8 JSON, without Effect.
 *
 * @category decoding
 * @since 0.1.0
 */
export const readBytes = (bytes: Uint8Array): Parsed => {
  const text = decodeUtf8(bytes)
  return text === undefined ? { fault: "encoding" } : readText(text)
}

/** Does not use Effect's Result, which would double the bundle size of a verifier. */
const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Reads a text as JSON. */
const readText = (text: string): Parsed => {
  const shape = scan(text)
  if (shape.depth > maxDepth) return { fault: "depth" }
  if (shape.members > maxMembers) return { fault: "members" }
  const parsed = parse(text, shape.exact ? undefined : keepSource)
  return "json" in parsed && countMembers(parsed.json) !== shape.members
    ? { fault: "duplicate key" }
    : parsed
}

const toResult = (parsed: Parsed): Result.Result<Schema.Json, Fault> =>
  "json" in parsed ? Result.succeed(parsed.json) : Result.fail(parsed.fault)

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The context that `JSON.parse` passes to a reviver with a primitive (Node 22, all current browsers). */
interface ReviverContext {
  readonly source?: string
}

/** Returns the source text of a number that `String(n)` would write differently. */
const keepSource = (_key: string, value: unknown, context?: ReviverContext): unknown =>
  typeof value === "number" && context?.source !== undefined && String(value) !== context.source
    ? context.source
    : value

const parse = (text: string, reviver: typeof keepSource | undefined): Parsed => {
  try {
    return { json: JSON.parse(text, reviver) as Schema.Json }
  } catch {
    return { fault: "syntax" }
  }
}

const quote = 0x22
const backslash = 0x5c
const minus = 0x2d

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/**
 * Measures a text without parsing it: its depth, its number of members (colons outside of strings), and
 * whether every number is written as `String(n)` writes it. If so, `JSON.parse` needs no reviver; with one it
 * takes four times as long. `JSON.parse` checks the syntax.
 */
const scan = (text: string): { depth: number; members: number; exact: boolean } => {
  let depth = 0
  let deepest = 0
  let members = 0
  let exact = true
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > deepest) deepest = depth
    } else if (code === 0x7d || code === 0x5d) depth--
    else if (code === 0x3a) members++
    else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at)
      const source = text.slice(at, end)
      if (String(Number(source)) !== source) exact = false
      at = end - 1
    }
  }
  return { depth: deepest, members, exact }
}

/** Uses `indexOf`, because most of a text is strings: it takes half the time of a loop over the characters. */
const endOfString = (text: string, start: number): number => {
  let end = start
  do {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
  } while (isEscaped(text, end))
  return end
}

const isEscaped = (text: string, at: number): boolean => {
  let before = at
  while (text.charCodeAt(before - 1) === backslash) before--
  return (at - before) % 2 === 1
}

const endOfNumber = (text: string, start: number): number => {
  let end = start + 1
  while (end < text.length && isNumberCharacter(text.charCodeAt(end))) end++
  return end
}

/** Digits, signs, the decimal point, and `e` or `E` (`code | 0x20` is the lower-case letter). */
const isNumberCharacter = (code: number): boolean =>
  isDigit(code) || code === minus || code === 0x2b || code === 0x2e || (code | 0x20) === 0x65

/** Counts the members after parsing. Each repeated key makes the count one lower than that of the text. */
const countMembers = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  let count = Array.isArray(value) ? 0 : Object.keys(value).length
  for (const each of Object.values(value)) count += countMembers(each)
  return count
}
