/**
 * The collections of a ledger: the values of their documents, how each is stored, and how it is found.
 */
import * as Result from "effect/Result"
import { keyOf } from "../documents/Keys.ts"
import type { Quarantined } from "../documents/Quarantined.ts"
import { lanes } from "../rule/Lane.ts"
import type { Collection, Index } from "./Records.ts"
import type { RequestRow } from "../rule/RequestRow.ts"
import * as RequestRule from "../rule/RequestRule.ts"
import * as RequestTimes from "../rule/RequestTimes.ts"
import { claimableAt, type StoredRows } from "../rule/StoredRow.ts"

/** The values of the documents of each collection. */
export interface Values {
  readonly transactions: StoredRows
  readonly requests: RequestRow
  readonly quarantine: Quarantined
  readonly settings: unknown
}

/** A collection. `unreadable` is shown in place of a listed document that cannot be decoded. */
export interface Codec<Stored> {
  readonly encode: (value: unknown) => Stored
  readonly decode: (key: string, stored: Stored) => Result.Result<unknown, unknown>
  readonly indexOf: (value: unknown) => Index
  readonly unreadable: (key: string, listedAt: number) => unknown
}

/** The codecs of all collections. */
export type Codecs<Stored> = Readonly<Record<Collection, Codec<Stored>>>

/** The lane of requests that are due, and the lane of settled requests that have a sealed text, by the time of their outcome. */
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
    due: [RequestTimes.claimableAt(row), hasText ? settledAt : undefined],
    listed: parked && [parked.at, parked.at],
    parts: 1,
    related: transaction && keyOf(transaction)
  }
}

const nowhere: Index = { due: [], listed: undefined, parts: 1, related: undefined }

/** The indexes of the collections. */
export const indexes = {
  transactions: (rows: unknown) => indexOfRows(rows as StoredRows),
  requests: (row: unknown) => indexOfRequest(row as RequestRow),
  quarantine: () => nowhere,
  settings: () => nowhere
}

const asItIs = {
  encode: (value: unknown) => value,
  decode: (_: string, value: unknown) => Result.succeed(value),
  unreadable: () => undefined
}

/** The codecs of a store of values. */
export const values: Codecs<unknown> = {
  transactions: { ...asItIs, indexOf: indexes.transactions },
  requests: { ...asItIs, indexOf: indexes.requests },
  quarantine: { ...asItIs, indexOf: indexes.quarantine },
  settings: { ...asItIs, indexOf: indexes.settings }
}
