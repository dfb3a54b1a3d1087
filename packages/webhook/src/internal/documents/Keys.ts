/**
 * The keys of the documents of transactions.
 */
import { type Kind, type Method, methodOf } from "@pawl/core/Kind"

/** The id of a transaction. */
export interface TransactionKey {
  readonly method: Method
  readonly transactionId: string
}

/** Returns the key of the document with all rows of a method and id. No id has a tab, and no character comes before it. */
export const keyOf = ({ method, transactionId }: TransactionKey): string =>
  `${transactionId}\t${method}`

/** Returns the method and the id of a key. */
export const transactionOf = (key: string): TransactionKey => {
  const end = key.lastIndexOf("\t")
  return { method: key.slice(end + 1) as Method, transactionId: key.slice(0, end) }
}

/** Returns the key of the document with the row of a scope. */
export const keyOfRow = (row: { readonly scope: Kind; readonly transactionId: string }): string =>
  keyOf({ method: methodOf(row.scope), transactionId: row.transactionId })
