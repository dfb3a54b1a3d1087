/**
 * The codecs of a store of texts.
 */
import type { RequestRow } from "../rule/RequestRow.ts"
import type { StoredRows } from "../rule/StoredRow.ts"
import { open, seal } from "../documents/Fields.ts"
import { transactionOf } from "../documents/Keys.ts"
import * as RequestDocument from "../documents/RequestDocument.ts"
import * as TransactionDocument from "../documents/TransactionDocument.ts"
import type { Codec, Codecs } from "./Codecs.ts"

/** A document of one line, with the check that every document has. JSON has no line break. */
const json: Codec<string> = {
  encode: (value) => seal([JSON.stringify(value)]),
  decode: (text) => JSON.parse(open(text).join("\n")) as unknown
}

/** The codecs of a store of texts. */
export const texts: Codecs<string> = {
  transactions: {
    encode: (rows) => TransactionDocument.encode(rows as StoredRows),
    decode: (text, key) => TransactionDocument.decode(text, transactionOf(key))
  },
  requests: {
    encode: (row) => RequestDocument.encode(row as RequestRow),
    decode: RequestDocument.decode
  },
  quarantine: json,
  settings: json
}
