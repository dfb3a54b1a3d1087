import * as Result from "effect/Result"
import { keyOf, transactionOf, type Quarantined, open, seal } from "../documents/Fields.ts"
import { lanes } from "../rule/Row.ts"
import type { Collection, Index } from "./Records.ts"
import type { RequestRow } from "../rule/RequestRow.ts"
import * as RequestRule from "../rule/RequestRule.ts"
import { claimableAt, type StoredRows } from "../rule/StoredRow.ts"
import * as RequestDocument from "../documents/RequestDocument.ts"
import * as TransactionDocument from "../documents/TransactionDocument.ts"

export interface Values {
  readonly transactions: StoredRows
  readonly requests: RequestRow
  readonly quarantine: Quarantined
  readonly settings: unknown
}

export interface Codec<Stored> {
  readonly encode: (value: unknown) => Stored
  /** Throws if the document cannot be decoded. */
  readonly decode: (stored: Stored, key: string) => unknown
}

export type Codecs<Stored> = Readonly<Record<Collection, Codec<Stored>>>

/** The lane of due requests, and that of settled requests with a sealed text. */
export const requestLanes = { due: 0, texts: 1 } as const

const indexOfRows = (rows: StoredRows): Index => {
  const due: Array<number | undefined> = []
  let listed: readonly [number, number] | undefined
  for (const stored of rows) {
    const at = claimableAt(stored)
    const lane = lanes.indexOf(stored.lane)
    if (at !== Infinity) due[lane] = Math.min(due[lane] ?? Infinity, at)
    const parkedAt = stored.row.deadLetter?.at
    if (parkedAt !== undefined) {
      const [first, last] = listed ?? [parkedAt, parkedAt]
      listed = [Math.min(first, parkedAt), Math.max(last, parkedAt)]
    }
  }
  return { due, listed, parts: rows.length, related: undefined }
}

const indexOfRequest = (row: RequestRow): Index => {
  const { parked, settledAt, transaction } = row
  const hasText = RequestRule.deleteTexts(row, Infinity) !== undefined
  return {
    due: [RequestRule.claimableAt(row), hasText ? settledAt : undefined],
    listed: parked && [parked.at, parked.at],
    parts: 1,
    related: transaction && keyOf(transaction)
  }
}

const nowhere: Index = { due: [], listed: undefined, parts: 1, related: undefined }

export const indexOf: Readonly<Record<Collection, (value: unknown) => Index>> = {
  transactions: (rows) => indexOfRows(rows as StoredRows),
  requests: (row) => indexOfRequest(row as RequestRow),
  quarantine: () => nowhere,
  settings: () => nowhere
}

const asItIs: Codec<unknown> = { encode: (value) => value, decode: (value) => value }

export const values: Codecs<unknown> = {
  transactions: asItIs,
  requests: asItIs,
  quarantine: asItIs,
  settings: asItIs
}

/** JSON has no line break, so the check is a line of its own. */
const encode = (value: unknown): string => seal([JSON.stringify(value)])
const decode = (text: string): unknown => JSON.parse(open(text).join("\n")) as unknown

/** The settings that work goes on without: one that cannot be read counts as unset. */
const notes = ["alive", "check", "reads"]

const settings: Codec<string> = {
  encode,
  decode: (text, key) =>
    notes.includes(key) ? Result.getOrUndefined(Result.try(() => decode(text))) : decode(text)
}

export const texts: Codecs<string> = {
  transactions: {
    encode: (rows) => TransactionDocument.encode(rows as StoredRows),
    decode: (text, key) => TransactionDocument.decode(text, transactionOf(key))
  },
  requests: {
    encode: (row) => RequestDocument.encode(row as RequestRow),
    decode: RequestDocument.decode
  },
  quarantine: { encode, decode },
  settings
}
