/**
 * The codecs of a store of texts.
 */
import * as Result from "effect/Result"
import * as Fact from "../rule/Fact.ts"
import type { RequestRow } from "../rule/RequestRow.ts"
import { blank } from "../rule/Row.ts"
import type { StoredRows } from "../rule/StoredRow.ts"
import { open, seal } from "../documents/Fields.ts"
import { transactionOf } from "../documents/Keys.ts"
import * as RequestDocument from "../documents/RequestDocument.ts"
import * as TransactionDocument from "../documents/TransactionDocument.ts"
import { type Codecs, indexes } from "./Codecs.ts"

/** Returns a row for a document that cannot be decoded: a dead letter. */
const unreadableRows = (key: string, at: number): StoredRows => {
  const { method, transactionId } = transactionOf(key)
  const row = {
    ...blank(method, transactionId, at),
    deadLetter: { reason: "unreadable", at, to: undefined } as const,
    unreadable: "document"
  }
  const none = { dueAt: undefined, lane: "repeat", lease: undefined } as const
  return [{ row, ...none, bodies: {}, facts: Fact.none, accepted: {} }]
}

/** A document of one line, with the check that every document has. JSON has no line break. */
const json = {
  encode: (value: unknown) => seal([JSON.stringify(value)]),
  decode: (_: string, text: string) =>
    Result.try(() => JSON.parse(open(text).join("\n")) as unknown)
}

/** The codecs of a store of texts. */
export const texts: Codecs<string> = {
  transactions: {
    encode: (rows) => TransactionDocument.encode(rows as StoredRows),
    decode: (key, text) => Result.try(() => TransactionDocument.decode(text, transactionOf(key))),
    indexOf: indexes.transactions,
    unreadable: unreadableRows
  },
  requests: {
    encode: (row) => RequestDocument.encode(row as RequestRow),
    decode: (key, text) => Result.try(() => RequestDocument.decode(text, key)),
    indexOf: indexes.requests,
    unreadable: () => undefined
  },
  quarantine: { ...json, indexOf: indexes.quarantine, unreadable: () => undefined },
  settings: { ...json, indexOf: indexes.settings, unreadable: () => undefined }
}
