/**
 * The codec of archived rows: from the lines of a row, its callbacks and its facts to one text, and back.
 *
 * **Details**
 *
 * The text is JSON: the texts that the lines have, the time at which the row was made, and then the lines. A line is the
 * number of its columns that have a value, as a bit set, and these values. A time is stored as the milliseconds since the row was
 * made. A text is stored as its position in `words`, or as a negative number: -1 is the first of the texts of the row. So a text
 * that is there twice, such as a currency, is stored once.
 *
 * A database keeps archived rows for years: columns and words are only added, each at the end of its list.
 */
import type { Status } from "@pawl/core/Status"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { FactColumns } from "./FactCodec.ts"
import type { Columns, SignedColumns } from "./RowCodec.ts"

/** A line of a table, by its columns. */
export type Line = Readonly<Record<string, unknown>>

/** A row with the lines that belong to it. The lines have all columns but the id and `claimable_at`. */
export interface Lines {
  readonly row: Line
  readonly callbacks: ReadonlyArray<Line>
  readonly facts: ReadonlyArray<Line>
}

/** The lines of a row as they are read: with the types of their columns. */
export interface ReadLines extends Lines {
  readonly row: Line & RowLine
  readonly callbacks: ReadonlyArray<Line & CallbackLine>
  readonly facts: ReadonlyArray<Line & Omit<FactColumns, "transaction_id">>
}

/** The columns of a row that is no dead letter and has no lease. */
interface RowLine extends Omit<
  Columns,
  | "transaction_id"
  | "dead_letter_reason"
  | "dead_letter_at"
  | "dead_letter_to"
  | "lease"
  | "claimable_at"
> {
  readonly due_at: number | null
}

/** The columns of a callback. */
interface CallbackLine extends Pick<Columns, "scope">, SignedColumns {
  readonly status: Status
  readonly count: number
  readonly first_at: number
  readonly newest_at: number | null
  readonly first_body: Uint8Array | null
  readonly newest_body: Uint8Array | null
}

/** The content of a column: `count` is a number that is 0 when the line has no value of it, and `number` one that is null. */
type Type = "text" | "count" | "number" | "time" | "bytes"

type ColumnList = ReadonlyArray<readonly [name: string, type: Type]>

/** The columns of each table. The lease is left out: a row with a lease is not archived. */
const columns: Readonly<Record<"row" | "callback" | "fact", ColumnList>> = {
  row: [
    ["scope", "text"],
    ["method", "text"],
    ["kind", "text"],
    ["ordered", "text"],
    ["registered", "count"],
    ["order_registered", "count"],
    ["names_refund", "count"],
    ["amount_cleared", "count"],
    ["secret", "text"],
    ["evidence", "count"],
    ["read_status", "text"],
    ["read_at", "time"],
    ["callbacks", "count"],
    ["told", "text"],
    ["sequence", "count"],
    ["pending_status", "text"],
    ["attempt", "count"],
    ["failing_since", "time"],
    ["retry_at", "time"],
    ["created_at", "time"],
    ["new_status_at", "time"],
    ["polls", "count"],
    ["poll_at", "time"],
    ["asked_at", "time"],
    ["unconfirmed_at", "time"],
    ["due_at", "time"],
    ["lane", "count"],
    ["facts", "count"]
  ],
  callback: [
    ["scope", "text"],
    ["status", "text"],
    ["count", "count"],
    ["first_at", "time"],
    ["newest_at", "time"],
    ["account", "text"],
    ["amount", "text"],
    ["currency", "text"],
    ["first_body", "bytes"],
    ["newest_body", "bytes"]
  ],
  fact: [
    ["at", "time"],
    ["last_at", "time"],
    ["number", "count"],
    ["count", "number"],
    ["fact", "text"],
    ["detail", "text"]
  ]
}

/** The texts that most rows have. Their positions are stored, so a new word comes last, also that of a status of a lower rank. */
const words: ReadonlyArray<string> = [
  "apm",
  "card",
  "apm-payment",
  "apm-payout",
  "card-payment",
  "card-payout",
  "refund",
  "current",
  "previous",
  "NEW",
  "PENDING",
  "PROCESSING",
  "CUSTOMER_VERIFICATION",
  "SUCCEED",
  "FAILED",
  "CANCELLED",
  "REFUNDED",
  "CHARGEBACK"
]

/** The texts of a row, its base time, the row, its callbacks and its facts. */
type Content = readonly [
  texts: ReadonlyArray<string>,
  base: number,
  row: ReadonlyArray<number>,
  callbacks: ReadonlyArray<ReadonlyArray<number>>,
  facts: ReadonlyArray<ReadonlyArray<number>>
]

/** Returns the text of a row. Columns that are not listed are left out. */
export const encode = ({ callbacks, facts, row }: Lines): string => {
  const texts: Array<string> = []
  const base = Number(row["created_at"])
  const positionOf = (text: string): number => {
    const word = words.indexOf(text)
    if (word !== -1) return word
    const known = texts.indexOf(text)
    return -1 - (known === -1 ? texts.push(text) - 1 : known)
  }
  const valueOf = (type: Type, value: unknown): number | undefined => {
    if (value === null || value === undefined) return undefined
    if (value instanceof Uint8Array) return positionOf(Base64.encode(value))
    if (typeof value === "string" && type === "text") return positionOf(value)
    const number = Number(value)
    if (type === "time") return number - base
    return number === 0 && type === "count" ? undefined : number
  }
  const lineOf = (list: ColumnList) => (line: Line) => {
    const values = list.map(([name, type]) => valueOf(type, line[name]))
    const present = values.reduce<number>(
      (bits, value, at) => (value === undefined ? bits : bits + 2 ** at),
      0
    )
    return [present, ...values.filter((value) => value !== undefined)]
  }
  const lines = [
    lineOf(columns.row)(row),
    callbacks.map(lineOf(columns.callback)),
    facts.map(lineOf(columns.fact))
  ] as const
  const content: Content = [texts, base, ...lines]
  return JSON.stringify(content)
}

/** Reads the text of a row. Each line has all columns that are listed. */
export const decode = (text: string): ReadLines => {
  const [texts, base, row, callbacks, facts] = JSON.parse(text) as Content
  const read = (type: Type, value: number): unknown => {
    if (type === "time") return value + base
    if (type === "count" || type === "number") return value
    const stored = words[value] ?? texts[-1 - value] ?? ""
    return type === "bytes" ? Result.getOrThrow(Base64.decode(stored)) : stored
  }
  const lineOf =
    <A extends Line>(list: ColumnList) =>
    ([present = 0, ...values]: ReadonlyArray<number>): A => {
      let next = 0
      return Object.fromEntries(
        list.map(([name, type], at) => {
          const value = Math.floor(present / 2 ** at) % 2 === 1 ? values[next++] : undefined
          return [name, value === undefined ? (type === "count" ? 0 : null) : read(type, value)]
        })
      ) as A
    }
  return {
    row: lineOf<ReadLines["row"]>(columns.row)(row),
    callbacks: callbacks.map(lineOf<ReadLines["callbacks"][number]>(columns.callback)),
    facts: facts.map(lineOf<ReadLines["facts"][number]>(columns.fact))
  }
}

/** Returns an archived row as a line of `pawl_transactions`. It has no lease and is no dead letter. */
export const columnsOf = (transaction_id: string, { row }: ReadLines): Columns => ({
  ...row,
  transaction_id,
  dead_letter_reason: null,
  dead_letter_at: null,
  dead_letter_to: null,
  lease: null,
  claimable_at: row.due_at
})

/** Returns when the oldest callback came that has its bodies; null if there is none. */
export const bodiesAt = ({ callbacks }: Lines): number | null => {
  const times = callbacks.flatMap(({ newest_at }) => (newest_at === null ? [] : Number(newest_at)))
  return times.length === 0 ? null : Math.min(...times)
}
