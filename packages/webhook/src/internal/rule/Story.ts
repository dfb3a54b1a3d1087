/**
 * The story of a transaction: its row and the facts that led to it. `Replay` compares the two.
 */
import { statuses } from "@pawl/core/Status"
import type { Kept } from "./Fact.ts"
import type { Row } from "./Row.ts"
import { find as findRow, type StoredRow } from "./StoredRow.ts"

/**
 * A row with its facts, those of its callbacks included, in the order of their first events. `complete` is false if the row is
 * older than the facts, or has more events than facts are kept.
 */
export interface Story {
  readonly row: Row
  readonly facts: ReadonlyArray<Kept>
  readonly complete: boolean
}

/** Makes the story of a stored row. `isOlder` is true if the row is older than the facts. */
export const make = (
  { accepted, facts, row }: Pick<StoredRow, "accepted" | "facts" | "row">,
  isOlder = false
): Story => {
  const callbacks = statuses.flatMap((status): ReadonlyArray<Kept> => {
    const claims = accepted[status]
    if (claims === undefined) return []
    const lastAt = row.newestCallbacks[status]?.at ?? (claims.count === 1 ? claims.at : undefined)
    return [{ fact: "accepted", status, ...claims, lastAt, number: 0, from: undefined }]
  })
  return {
    row,
    facts: [...callbacks, ...facts.kept].toSorted(
      (one, two) =>
        one.at - two.at ||
        one.number - two.number ||
        (one.from ?? "").localeCompare(two.from ?? "", "en")
    ),
    complete: !isOlder && facts.kept.every(({ fact }) => fact !== "more")
  }
}

/**
 * Finds the story of a kind among those of an id: else that of the row whose kind is not known. The name of a method finds the
 * story of the row that `Ledger.get` returns.
 */
export const find = (stories: ReadonlyArray<Story>, kind: string): Story | undefined =>
  kind === "apm" || kind === "card"
    ? findRow(stories, ({ row }) => row.kind, kind, "callback")
    : (stories.find(({ row }) => row.kind === kind) ??
      stories.find(({ row }) => row.kind === row.method))
