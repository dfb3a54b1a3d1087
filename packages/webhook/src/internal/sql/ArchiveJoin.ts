/**
 * Joining a row to its copy in the archive.
 *
 * **Details**
 *
 * Usually a copy is the same row at an earlier time, because a row that came back leaves one. It has more than the row if the ledger
 * was restored from an older backup than its archive, or if a version of pawl without an archive made the row. Nothing of either
 * is lost: all evidence counts, each callback and each fact stays, and the other fields are those of the larger sequence.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Line, Lines } from "./ArchiveCodec.ts"
import * as Lookup from "./Lookup.ts"
import type { Key } from "./RowCodec.ts"

/** Joins a row to its copy. A join with the result changes nothing more. */
export const join = (row: Lines, copy: Lines): Lines => {
  const [newer, older] =
    numberIn(row, "sequence") >= numberIn(copy, "sequence") ? [row, copy] : [copy, row]
  const evidence = Evidence.join(numberIn(row, "evidence"), numberIn(copy, "evidence"))
  return {
    row: { ...newer.row, evidence },
    callbacks: union(newer.callbacks, older.callbacks, "status"),
    facts: union(newer.facts, older.facts, "fact")
  }
}

const numberIn = ({ row }: Lines, column: string): number => Number(row[column])

/** Returns lines, and those others whose name none of them has. */
const union = (
  lines: ReadonlyArray<Line>,
  others: ReadonlyArray<Line>,
  name: string
): ReadonlyArray<Line> => {
  const names = new Set(lines.map((line) => line[name]))
  return [...lines, ...others.filter((line) => !names.has(line[name]))]
}

/** A row or a copy with its key. */
interface Keyed {
  readonly key: Key & Lookup.MethodId
  readonly lines: Lines
}

/** Tells whether the row of a copy was joined to one of these rows since: it is none of them, and they have its evidence. */
export const isJoinedAway = (copy: Keyed, rows: ReadonlyArray<Keyed>): boolean => {
  const unit = rows.filter(({ key }) => Lookup.textOf(key) === Lookup.textOf(copy.key))
  const evidence = unit
    .map(({ lines }) => numberIn(lines, "evidence"))
    .reduce(Evidence.join, Evidence.none)
  return (
    unit.length > 0 &&
    unit.every(({ key }) => key.scope !== copy.key.scope) &&
    (numberIn(copy.lines, "evidence") & ~evidence) === 0
  )
}
