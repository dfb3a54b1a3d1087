/**
 * The keys of the documents of transactions, and the hash of keys and documents.
 */
import { type Kind, type Method, methodOf } from "@pawl/core/Kind"

export interface TransactionKey {
  readonly method: Method
  readonly transactionId: string
}

/** Returns the key of the document with all rows of a method and id. No id has a tab, and no character comes before it. */
export const keyOf = ({ method, transactionId }: TransactionKey): string =>
  `${transactionId}\t${method}`

export const transactionOf = (key: string): TransactionKey => {
  const end = key.lastIndexOf("\t")
  return { method: key.slice(end + 1) as Method, transactionId: key.slice(0, end) }
}

/** Returns the key of the document with the row of a scope. */
export const keyOfRow = (row: { readonly scope: Kind; readonly transactionId: string }): string =>
  keyOf({ method: methodOf(row.scope), transactionId: row.transactionId })

/**
 * Returns the hash of the characters of a text: FNV-1a with 32 bits. Stores have its values, so it never changes. It is not for
 * secrets: anyone can find two texts with one hash.
 */
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

/** The quarantined callbacks of a transaction, oldest first. The body of each is the text of its `name`. */
export type Quarantined = ReadonlyArray<{
  readonly name: string
  /** The length and a hash of the body. Two bodies may have the same. */
  readonly print: string
  readonly method: Method
  readonly reason: string | undefined
  readonly secret: "current" | "previous"
  readonly firstAt: number
  readonly newestAt: number
}>
