/**
 * The one JSON reader: strict, bounded, and exact about numbers.
 *
 * **Details**
 *
 * Parsing comes before verification, because the signed fields live in the body; so the reader is
 * what an attacker meets first. It refuses what `JSON.parse` lets pass: invalid UTF-8, a byte order
 * mark, nesting deeper than 64, more than 1,000 members, and one key twice in an object (also when
 * spelled with escapes).
 *
 * A number is handed over as its source text wherever `String(n)` would differ from that text:
 * `10.00` is read as `"10.00"`, `12345678901234567890` keeps its last digit, `10` stays a number.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/**
 * Why a text was refused.
 *
 * @category errors
 * @since 0.1.0
 */
export type Fault = "encoding" | "depth" | "members" | "duplicate key" | "syntax"

/**
 * A number as the text it is written with: what `JSON.rawJSON` makes, and `JSON.stringify` writes as it
 * is.
 *
 * @category models
 * @since 0.1.0
 */
export interface RawJson {
  readonly rawJSON: string
}

/**
 * The deepest nesting that is read.
 *
 * @category constants
 * @since 0.1.0
 */
export const maxDepth = 64

/**
 * The most object members that are read, all objects of a text together.
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
 * What was read, or why it was refused, for who goes without Effect.
 *
 * @category models
 * @since 0.1.0
 */
export type Read = { readonly json: Schema.Json } | { readonly fault: Fault }

/**
 * Reads bytes as UTF-8 JSON, without Effect.
 *
 * @category decoding
 * @since 0.1.0
 */
export const readBytes = (bytes: Uint8Array): Read => {
  const text = decodeUtf8(bytes)
  return text === undefined ? { fault: "encoding" } : readText(text)
}

/** Plain, since Effect's Result is twice the weight of a verifier. */
const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Reads a text as JSON. */
const readText = (text: string): Read => {
  const shape = scan(text)
  if (shape.depth > maxDepth) return { fault: "depth" }
  if (shape.members > maxMembers) return { fault: "members" }
  const read = parse(text, shape.exact ? undefined : exact)
  return "json" in read && countMembers(read.json) !== shape.members
    ? { fault: "duplicate key" }
    : read
}

const toResult = (read: Read): Result.Result<Schema.Json, Fault> =>
  "json" in read ? Result.succeed(read.json) : Result.fail(read.fault)

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** What `JSON.parse` tells a reviver about a primitive (Node 22, all current browsers). */
interface Source {
  readonly source?: string
}

const exact = (_key: string, value: unknown, context?: Source): unknown =>
  typeof value === "number" && context?.source !== undefined && String(value) !== context.source
    ? context.source
    : value

const parse = (text: string, reviver: typeof exact | undefined): Read => {
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
 * Measures a text without parsing it: how deep it nests, how many members it claims to have (a colon
 * outside a string is a member) and whether every number in it is written as `String(n)` writes it. Syntax
 * is left to `JSON.parse`, which takes four times as long where it has to tell what a number's text was.
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

/** Most of a text is in strings: left to the engine, they take half the time of a look at every character. */
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
  while (end < text.length && isInNumber(text.charCodeAt(end))) end++
  return end
}

/** Digits, the sign, the point, and the two letters of an exponent. */
const isInNumber = (code: number): boolean =>
  isDigit(code) || code === minus || code === 0x2b || code === 0x2e || (code | 0x20) === 0x65

/** A repeated key is one member fewer after parsing than before. */
const countMembers = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  let count = Array.isArray(value) ? 0 : Object.keys(value).length
  for (const each of Object.values(value)) count += countMembers(each)
  return count
}
