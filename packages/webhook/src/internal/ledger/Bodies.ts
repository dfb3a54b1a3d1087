/**
 * The names of the texts that keep the bodies of a row's newest callbacks.
 */
import { type Kind, kindsOf, methodOf } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import type { StoredRows } from "../rule/StoredRow.ts"
import { kinds, statuses } from "../documents/Codes.ts"

/**
 * Returns the name of the text with the body of the newest callback of a row that claims a status. It is short, because it is in
 * an index.
 */
export const bodyName = (scope: Kind, status: Status): string =>
  kinds.of(scope) + statuses.of(status)

/**
 * Returns the names under which the body may be kept of the newest callback of a row that claims a status: its own, and
 * those of the rows that were joined to it.
 */
export const bodyNames = (rows: StoredRows, scope: Kind, status: Status): ReadonlyArray<string> => {
  const method = methodOf(scope)
  const isGone = (each: Kind) => rows.every(({ row }) => row.scope !== each)
  return [scope, ...[...kindsOf[method], method].filter(isGone)].map((each) =>
    bodyName(each, status)
  )
}
