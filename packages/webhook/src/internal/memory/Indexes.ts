/**
 * The indexes of the rows of a ledger in memory: those of a database (`Tables`), by which an operation finds its rows without
 * a look at all others.
 */
import { type Lane, lanes, perLane, type PerLane } from "../../Lane.ts"
import { isParked } from "../../Row.ts"
import { compareKeys, type PageOptions } from "../../RowPages.ts"
import * as StoredRow from "../../StoredRow.ts"
import * as DeadLetters from "./DeadLetters.ts"
import * as OrderedIndex from "./OrderedIndex.ts"

/** Makes the indexes of an empty ledger. */
export const make = () => {
  const all = OrderedIndex.make<StoredRow.StoredRow>((one, two) => compareKeys(one.row, two.row))
  const parked = OrderedIndex.make(DeadLetters.compareRows)
  /** The rows that may be claimed now or later, by their lane. */
  const open: Readonly<Record<Lane, OrderedIndex.OrderedIndex<StoredRow.StoredRow>>> = {
    tell: newLane(),
    ask: newLane(),
    retry: newLane(),
    repeat: newLane(),
    watch: newLane()
  }

  /** Calls a function with each index of a row. */
  const eachIndex = (
    stored: StoredRow.StoredRow,
    use: (index: OrderedIndex.OrderedIndex<StoredRow.StoredRow>) => void
  ): void => {
    use(all)
    if (isParked(stored.row)) use(parked)
    if (StoredRow.claimableAt(stored) !== Infinity) use(open[stored.lane])
  }

  return {
    /** The dead letters, oldest first. */
    parked,

    /** Takes the new rows of a transaction for its old ones. */
    replace: (before: StoredRow.StoredRows, after: StoredRow.StoredRows): void => {
      for (const stored of before) {
        if (!after.includes(stored)) eachIndex(stored, ({ remove }) => remove(stored))
      }
      for (const stored of after) {
        if (!before.includes(stored)) eachIndex(stored, ({ add }) => add(stored))
      }
    },

    /** Returns the rows among which `RowPages.page` chooses. */
    page: ({ after, limit }: PageOptions): StoredRow.StoredRows =>
      OrderedIndex.take(
        all.from(({ row }) => after !== undefined && compareKeys(row, after) <= 0),
        limit
      ),

    /** Returns all rows that may be claimed now or later. */
    open: (): StoredRow.StoredRows => lanes.flatMap((lane) => [...open[lane].from()]),

    /** Returns the rows among which `StoredRow.claimable` chooses at a time. */
    due: (at: number, limits: number | PerLane = Infinity, newest = 0): StoredRow.StoredRows => {
      const limit = perLane(limits)
      const isDue = (stored: StoredRow.StoredRow) => StoredRow.claimableAt(stored) <= at
      const oldest = lanes.flatMap((lane) =>
        OrderedIndex.take(open[lane].from(), limit[lane], isDue)
      )
      return [...new Set([...oldest, ...OrderedIndex.take(open.ask.backFrom(isDue), newest)])]
    },

    /** Returns the rows among which `StoredRow.nextClaimableAt` chooses: the first one of each lane. */
    first: (): StoredRow.StoredRows =>
      lanes.flatMap((lane) => OrderedIndex.take(open[lane].from(), 1))
  }
}

const newLane = () =>
  OrderedIndex.make<StoredRow.StoredRow>(
    (one, two) =>
      StoredRow.claimableAt(one) - StoredRow.claimableAt(two) || compareKeys(one.row, two.row)
  )
