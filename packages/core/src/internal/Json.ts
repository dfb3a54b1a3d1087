/**
 * A strict JSON reader with limits, which keeps every digit of a number.
 *
 * **Details**
 *
 * The input may be an attacker's. Beyond the errors of `JSON.parse` the reader refuses invalid
 * UTF-8, a byte order mark, nesting deeper than 64, more than 1,000 members, elements or
 * containers, and a repeated key, also with escapes.
 *
 * A number is returned as its source text if `String(n)` differs: `10.00` is read as `"10.00"`, and
 * `12345678901234567890` keeps its last digit.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

export type Fault = "encoding" | "depth" | "members" | "duplicate key" | "syntax"

/** The result of `JSON.rawJSON`, which `JSON.stringify` writes unchanged. */
export interface RawJson {
  readonly rawJSON: string
}

export const maxDepth = 64

/** Most members of all objects of a text, most commas, and most objects and arrays. */
export const maxMembers = 1000

export const fromBytes = (bytes: Uint8Array): Result.Result<Schema.Json, Fault> =>
  toResult(readBytes(bytes))

export const fromText = (text: string): Result.Result<Schema.Json, Fault> =>
  toResult(readText(text))

/** Reads a text of this program, without the limits of depth and members. */
export const fromOwnText = (text: string): Result.Result<Schema.Json, Fault> => {
  const parsed = parse(text, keepSource)
  const hasRepeatedKey =
    "json" in parsed && countMembers(parsed.json) !== scan(text, () => undefined).members
  return toResult(hasRepeatedKey ? { fault: "duplicate key" } : parsed)
}

const tokens =
  // oxlint-disable-next-line no-control-regex -- a string of JSON has none
  /[ \t\n\r]*((?:"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:])/guy

type Expected = "value" | "element" | "name" | "member" | ":" | "next"

/**
 * Returns the line and column at which a text of a person is no JSON or repeats a key, as
 * `line 3, column 7`.
 */
export const placeOf = (text: string): string => {
  /** The keys of each open object; undefined for an array. */
  const open: Array<Set<string> | undefined> = []
  let expected: Expected = "value"
  let at = 0
  const take = (token: string): boolean => {
    const keys = open.at(-1)
    if (token === (keys ? "}" : "]") && open.length > 0) {
      if (expected !== "next" && expected !== (keys ? "member" : "element")) return false
      open.pop()
      expected = "next"
      return true
    }
    if (expected === "name" || expected === "member") {
      const name = token.startsWith('"') ? String(JSON.parse(token)) : undefined
      if (name === undefined || keys?.has(name)) return false
      keys?.add(name)
      expected = ":"
      return true
    }
    if (expected === "next" || expected === ":") {
      const isTaken = token === (expected === ":" ? ":" : ",") && open.length > 0
      expected = expected === "next" && keys ? "name" : "value"
      return isTaken
    }
    if (/^[}\],:]/u.test(token)) return false
    if (/^[{[]/u.test(token)) open.push(token === "{" ? new Set() : undefined)
    expected = token === "{" ? "member" : token === "[" ? "element" : "next"
    return true
  }
  for (const [whole, token = ""] of text.matchAll(tokens)) {
    if (!take(token)) break
    at += whole.length
  }
  at += /[ \t\n\r]*/uy.exec(text.slice(at))?.[0].length ?? 0
  const lines = text.slice(0, at).split("\n")
  return `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`
}

export type Parsed = { readonly json: Schema.Json } | { readonly fault: Fault }

export const readBytes = (bytes: Uint8Array): Parsed => {
  const text = decodeUtf8(bytes)
  return text === undefined ? { fault: "encoding" } : readText(text)
}

/** Decodes UTF-8 without Effect's Result, which would double the bundle of a verifier. */
const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

export interface Draft {
  readonly json: Schema.Json
  /** Returns the source text of a number that is a member of the outermost object. */
  readonly sourceOf: (name: string) => string | undefined
  /** The value as `readBytes` returns it. */
  readonly exact: () => Schema.Json
}

/**
 * Reads bytes without the source texts of numbers, which take several times as long: for input that may
 * still be refused.
 */
export const draftBytes = (bytes: Uint8Array): Draft | { readonly fault: Fault } => {
  const text = decodeUtf8(bytes)
  if (text === undefined) return { fault: "encoding" }
  const numbers: Array<{ readonly source: string; readonly key: string | undefined }> = []
  const shape = scan(text, (source, key) => numbers.push({ source, key }), maxMembers)
  const parsed = parseChecked(text, shape, undefined)
  if ("fault" in parsed) return parsed
  return {
    json: parsed.json,
    sourceOf: (name) =>
      numbers.find(({ key }) => key !== undefined && JSON.parse(key) === name)?.source,
    exact: () => {
      if (numbers.every(({ source }) => isExact(source))) return parsed.json
      const read = parse(text, keepSource)
      return "json" in read ? read.json : parsed.json
    }
  }
}

/** A reviver makes `JSON.parse` four times as slow, so only a text with inexact numbers gets one. */
const readText = (text: string): Parsed => {
  let areExact = true
  const shape = scan(text, (source) => {
    areExact &&= isExact(source)
  })
  return parseChecked(text, shape, areExact ? undefined : keepSource)
}

const isExact = (source: string): boolean => String(Number(source)) === source

const parseChecked = (
  text: string,
  shape: Shape,
  reviver: typeof keepSource | undefined
): Parsed => {
  if (shape.depth > maxDepth) return { fault: "depth" }
  if (shape.most > maxMembers) return { fault: "members" }
  const parsed = parse(text, reviver)
  return "json" in parsed && countMembers(parsed.json) !== shape.members
    ? { fault: "duplicate key" }
    : parsed
}

const toResult = (parsed: Parsed): Result.Result<Schema.Json, Fault> =>
  "json" in parsed ? Result.succeed(parsed.json) : Result.fail(parsed.fault)

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

interface ReviverContext {
  readonly source?: string
}

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

/** `members` counts the colons outside of strings. `most` bounds the cost of parsing. */
interface Shape {
  readonly depth: number
  readonly members: number
  readonly most: number
}

/** Does not parse. Ends after `most` commas. */
const scan = (
  text: string,
  visit: (source: string, key: string | undefined) => void,
  most = Infinity
): Shape => {
  let depth = 0
  let deepest = 0
  let members = 0
  let commas = 0
  let opened = 0
  let keyStart = 0
  let keyEnd = 0
  for (let at = 0; at < text.length && commas <= most; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (depth === 1) {
        keyStart = at
        keyEnd = end + 1
      }
      at = end
    } else if (code === 0x7b || code === 0x5b) {
      opened++
      if (++depth > deepest) deepest = depth
    } else if (code === 0x7d || code === 0x5d) depth--
    else if (code === 0x3a) members++
    else if (code === 0x2c) commas++
    else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at)
      visit(text.slice(at, end), depth === 1 ? text.slice(keyStart, keyEnd) : undefined)
      at = end - 1
    }
  }
  return { depth: deepest, members, most: Math.max(members, commas, opened) }
}

/** `indexOf` takes half the time of a loop over the characters. */
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

/** Tells whether a character may be part of a number; `code | 0x20` is the lower-case letter. */
const isNumberCharacter = (code: number): boolean =>
  isDigit(code) || code === minus || code === 0x2b || code === 0x2e || (code | 0x20) === 0x65

/** Each repeated key makes the count one lower than that of the text. */
const countMembers = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  let count = Array.isArray(value) ? 0 : Object.keys(value).length
  for (const each of Object.values(value)) count += countMembers(each)
  return count
}
