/**
 * The keys of documents, and their format: a line for each field.
 *
 * A line begins with the number of its field, which never gets another meaning. A field with its
 * default is left out. Most numbers have base 36, and most times are milliseconds since the
 * creation of the document's subject. Numbers in views are decimal.
 *
 * The last line is a check of all others. A process keeps unknown fields of a newer version.
 */

import type { Ordered } from "../rule/Row.ts"
import { type Kind, type Method, methodOf } from "@pawl/core/Kind"

const check = "~"

export const seal = (lines: ReadonlyArray<string>): string => {
  const text = lines.join("\n")
  return `${text}\n${check}${hashOf(text).toString(36)}`
}

export const open = (document: string): ReadonlyArray<string> => {
  const end = document.lastIndexOf("\n")
  const text = document.slice(0, end)
  if (document.slice(end + 1) !== `${check}${hashOf(text).toString(36)}`)
    throw new Error("damaged document")
  return text.split("\n")
}

export const add = (lines: Array<string>, field: string, value: string | undefined): void => {
  if (value !== undefined) lines.push(field + value)
}

/**
 * Writes a number; a time is written as its difference from `base`, unless that would be rounded.
 */
export const number = (value: number, base = 0): string => {
  const difference = value - base
  const isExact = Number.isSafeInteger(difference) && base + difference === value
  return isExact ? difference.toString(36) : `=${value}`
}

export const decimalUnless = (value: number, standard: number): string | undefined =>
  value === standard ? undefined : String(value)

export const decimalIn = (text: string | undefined): number => {
  const value = Number(text)
  if (text === "" || Number.isNaN(value)) throw new Error("not a number")
  return value
}

export const optional = (value: number | undefined, base: number): string | undefined =>
  value === undefined ? undefined : number(value, base)

export const unless = (value: number, standard: number, base = 0): string | undefined =>
  value === standard ? undefined : number(value, base)

export const numberIn = (text: string | undefined, base = 0): number => {
  if (text === undefined) throw new Error("no number")
  const value = text.startsWith("=") ? Number(text.slice(1)) : Number.parseInt(text, 36) + base
  if (Number.isNaN(value)) throw new Error("not a number")
  return value
}

const escapes: ReadonlyArray<readonly [character: string, letter: string]> = [
  ["\\", "\\"],
  ["\n", "n"],
  ["\t", "t"],
  [",", "c"],
  ["\0", "0"]
]

const special = /[\\\n\t,\0]|\p{Cs}/u

/** Writes a text; tabs and commas are escaped too. */
export const text = (value: string): string => {
  if (!special.test(value)) return value
  let escaped = ""
  for (const character of value) {
    const known = escapes.find(([each]) => each === character)
    const isLone = /\p{Cs}/u.test(character)
    escaped += known
      ? `\\${known[1]}`
      : isLone
        ? `\\u${character.charCodeAt(0).toString(16)}`
        : character
  }
  return escaped
}

export const textIn = (value: string | undefined): string => {
  if (value === undefined) throw new Error("no text")
  if (!value.includes("\\")) return value
  let read = ""
  for (let at = 0; at < value.length; at++) {
    if (value[at] !== "\\") {
      read += value[at]
      continue
    }
    const letter = value[++at]
    if (letter === "u") {
      read += String.fromCharCode(Number.parseInt(value.slice(at + 1, at + 5), 16))
      at += 4
      continue
    }
    const known = escapes.find(([, each]) => each === letter)
    if (known === undefined) throw new Error("unknown escape")
    read += known[0]
  }
  return read
}

export interface Codes<Word extends string> {
  readonly entries: ReadonlyArray<readonly [word: string, code: string]>
  readonly of: (word: Word) => string
  readonly in: (code: string | undefined) => Word
  readonly find: (code: string | undefined) => Word | undefined
}

/** Makes a table of codes; another word or code is an error. */
export const codes = <Word extends string>(table: Readonly<Record<Word, string>>): Codes<Word> => {
  const words = new Map(
    Object.entries<string>(table).map(([word, code]) => [code, word as Word] as const)
  )
  const find = (code: string | undefined) => (code === undefined ? undefined : words.get(code))
  return {
    entries: Object.entries(table),
    of: (word) => table[word],
    find,
    in: (code) => {
      const word = find(code)
      if (word === undefined) throw new Error("unknown code")
      return word
    }
  }
}

const fields = { requestId: "i", account: "a", amount: "m", currency: "u" } as const
const empty = "O"

type Name = keyof typeof fields

const names = Object.keys(fields) as ReadonlyArray<Name>
const nameOf = new Map<string, Name>(names.map((name) => [fields[name], name]))

export const write = (lines: Array<string>, ordered: Ordered | undefined): void => {
  if (ordered === undefined) return
  const own = names.flatMap((name) => {
    const value = ordered[name]
    return value === undefined ? [] : [fields[name] + text(value)]
  })
  lines.push(...(own.length === 0 ? [empty] : own))
}

export const read = (
  ordered: Ordered | undefined,
  field: string,
  value: string
): Ordered | undefined => {
  if (field === empty) return ordered ?? {}
  const name = nameOf.get(field)
  return name === undefined ? undefined : { ...ordered, [name]: textIn(value) }
}

export interface TransactionKey {
  readonly method: Method
  readonly transactionId: string
}

/** Returns the key of the document of a method and id: no id has a tab. */
export const keyOf = ({ method, transactionId }: TransactionKey): string =>
  `${transactionId}\t${method}`

export const transactionOf = (key: string): TransactionKey => {
  const end = key.lastIndexOf("\t")
  return { method: key.slice(end + 1) as Method, transactionId: key.slice(0, end) }
}

export const keyOfRow = (row: { readonly scope: Kind; readonly transactionId: string }): string =>
  keyOf({ method: methodOf(row.scope), transactionId: row.transactionId })

/** Returns the FNV-1a hash of 32 bits, which never changes: its values are stored. */
export const hashOf = (text: string, start: number = offset): number => {
  let hash = start
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), prime)
  return hash >>> 0
}

export const hashOfBytes = (bytes: Uint8Array): number => {
  let hash = offset
  for (const byte of bytes) hash = Math.imul(hash ^ byte, prime)
  return hash >>> 0
}

const offset = 0x811c9dc5
const prime = 0x01000193

/** The quarantined callbacks of a transaction, oldest first. */
export type Quarantined = ReadonlyArray<{
  readonly name: string
  readonly print: string
  readonly method: Method
  readonly reason: string | undefined
  readonly secret: "current" | "previous"
  readonly firstAt: number
  readonly newestAt: number
}>
