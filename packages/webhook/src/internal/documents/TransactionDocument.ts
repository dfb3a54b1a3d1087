import { type Status, statuses as allStatuses } from "@pawl/core/Status"
import type { Kept } from "../rule/Fact.ts"
import { blank, type Row, type StoredCallback } from "../rule/Row.ts"
import type { Accepted, StoredRow, StoredRows } from "../rule/StoredRow.ts"
import {
  type TransactionKey,
  add,
  decimalIn,
  decimalUnless,
  number,
  numberIn,
  open,
  optional,
  seal,
  text,
  textIn,
  unless
} from "./Fields.ts"
import { deadLetters, kinds, lanes, statuses } from "./Codes.ts"
import * as FactField from "./FactField.ts"
import * as Fields from "./Fields.ts"

/** The field of scope, kind if that differs, and time of creation. */
export const rowField = "k"

export const encode = (rows: StoredRows): string => {
  const lines: Array<string> = []
  for (const stored of rows) encodeRow(lines, stored)
  return seal(lines)
}

const encodeRow = (
  lines: Array<string>,
  { accepted, dueAt, facts, lane, lease, row }: StoredRow
) => {
  const { createdAt: base, deadLetter, read } = row
  const kind = row.kind === row.scope ? "" : kinds.of(row.kind)
  add(lines, rowField, `${kinds.of(row.scope)}${kind},${base}`)
  add(lines, "f", flagsOf(row))
  Fields.write(lines, row.ordered)
  add(lines, "e", decimalUnless(row.evidence, 0))
  add(lines, "r", read && statuses.of(read.status) + number(read.askedAt, base))
  add(lines, "n", decimalUnless(row.callbacks, 0))
  add(lines, "t", row.told && statuses.of(row.told))
  add(lines, "s", decimalUnless(row.sequence, 0))
  add(lines, "p", row.pendingStatus && statuses.of(row.pendingStatus))
  add(lines, "w", unless(row.attempt, 0))
  add(lines, "F", optional(row.failingSince, base))
  add(lines, "y", unless(row.retryAt, base, base))
  add(lines, "N", unless(row.newStatusAt, base, base))
  add(lines, "P", unless(row.polls, 0))
  add(lines, "l", optional(row.pollAt, base))
  add(lines, "A", optional(row.askedAt, base))
  add(lines, "U", optional(row.unconfirmedAt, base))
  if (deadLetter !== undefined) {
    const to = deadLetter.to === undefined ? "-" : statuses.of(deadLetter.to)
    add(lines, "D", deadLetters.of(deadLetter.reason) + to + number(deadLetter.at, base))
  }
  add(lines, "d", optional(dueAt, base))
  add(lines, "L", lane === "repeat" ? undefined : lanes.of(lane))
  if (lease !== undefined) {
    const { evidence, id, until } = lease
    add(lines, "h", `${number(id)},${number(until, base)},${number(evidence)}`)
  }
  for (const status of allStatuses) {
    const first = accepted[status]
    const count = first === undefined || first.count === 1 ? "" : `,${number(first.count)}`
    add(lines, "b", first && statuses.of(status) + number(first.at, base) + count)
    const newest = row.newestCallbacks[status]
    add(lines, "q", newest && statuses.of(status) + callbackOf(newest, base))
  }
  const numbers = facts.kept.reduce((most, each) => Math.max(most, each.number), 0)
  for (const fact of facts.kept) add(lines, "x", FactField.write(fact, base))
  // Last, because the facts of a joined row have numbers of their own.
  add(lines, "X", unless(facts.number, numbers))
  lines.push(...(row.unknown ?? []))
}

const flagsOf = ({
  amountCleared,
  isErased,
  isOrderRegistered,
  namesPayout,
  namesRefund,
  registered,
  secret
}: Row): string | undefined => {
  const flags =
    (registered ? "r" : "") +
    (isOrderRegistered ? "o" : "") +
    (namesRefund ? "n" : "") +
    (namesPayout ? "y" : "") +
    (amountCleared ? "a" : "") +
    (isErased ? "e" : "") +
    (secret === undefined ? "" : secret === "current" ? "c" : "p")
  return flags === "" ? undefined : flags
}

const callbackOf = ({ at, signed, size }: StoredCallback, base: number): string =>
  [
    number(at, base),
    ...(signed === undefined
      ? []
      : [text(signed.account), text(signed.amount), text(signed.currency)]),
    ...(size === undefined ? [] : [number(size)])
  ].join()

type Writable<A> = { -readonly [Name in keyof A]: A[Name] }

interface Reading extends Writable<Omit<StoredRow, "row" | "facts" | "accepted">> {
  row: Writable<Omit<Row, "newestCallbacks" | "unknown">> & {
    newestCallbacks: Partial<Record<Status, StoredCallback>>
    unknown?: Array<string>
  }
  accepted: Partial<Record<Status, Accepted>>
  facts: { number: number; kept: Array<Kept> }
}

/** Reads the rows of a transaction; throws if the document is damaged or newer. */
export const decode = (document: string, key: TransactionKey): StoredRows => {
  const rows: Array<Reading> = []
  for (const line of open(document)) {
    if (line === "") continue
    const field = line.charAt(0)
    const value = line.slice(1)
    const last = rows.at(-1)
    if (field === rowField) rows.push(rowOf(value, key))
    else if (last === undefined) throw new Error("no row")
    else if (!readField(last, field, value, key)) (last.row.unknown ??= []).push(line)
  }
  return rows
}

const rowOf = (value: string, { transactionId }: TransactionKey): Reading => {
  const [words = "", time] = value.split(",")
  const scope = kinds.in(words[0])
  const { unknown: _, ...row } = blank(scope, transactionId, decimalIn(time))
  return {
    row: {
      ...row,
      kind: words.length === 1 ? scope : kinds.in(words[1])
    },
    dueAt: undefined,
    lane: "repeat",
    lease: undefined,
    bodies: {},
    facts: { number: 0, kept: [] },
    accepted: {}
  }
}

const readField = (
  reading: Reading,
  field: string,
  value: string,
  { transactionId }: TransactionKey
): boolean => {
  const { accepted, facts, row } = reading
  const base = row.createdAt
  const order = Fields.read(row.ordered, field, value)
  if (order !== undefined) {
    row.ordered = order
    return true
  }
  switch (field) {
    case "f":
      row.registered = value.includes("r")
      row.isOrderRegistered = value.includes("o")
      row.namesRefund = value.includes("n")
      row.namesPayout = value.includes("y")
      row.amountCleared = value.includes("a")
      row.isErased = value.includes("e")
      row.secret = value.includes("c") ? "current" : value.includes("p") ? "previous" : undefined
      return true
    case "e":
      row.evidence = decimalIn(value)
      return true
    case "r":
      row.read = { status: statuses.in(value[0]), askedAt: numberIn(value.slice(1), base) }
      return true
    case "n":
      row.callbacks = decimalIn(value)
      return true
    case "t":
      row.told = statuses.in(value)
      return true
    case "s":
      row.sequence = decimalIn(value)
      return true
    case "p":
      row.pendingStatus = statuses.in(value)
      return true
    case "w":
      row.attempt = numberIn(value)
      return true
    case "F":
      row.failingSince = numberIn(value, base)
      return true
    case "y":
      row.retryAt = numberIn(value, base)
      return true
    case "N":
      row.newStatusAt = numberIn(value, base)
      return true
    case "P":
      row.polls = numberIn(value)
      return true
    case "l":
      row.pollAt = numberIn(value, base)
      return true
    case "A":
      row.askedAt = numberIn(value, base)
      return true
    case "U":
      row.unconfirmedAt = numberIn(value, base)
      return true
    case "D": {
      const to = value[1] === "-" ? undefined : statuses.in(value[1])
      const at = numberIn(value.slice(2), base)
      row.deadLetter = { reason: deadLetters.in(value[0]), at, to }
      return true
    }
    case "d":
      reading.dueAt = numberIn(value, base)
      return true
    case "L":
      reading.lane = lanes.in(value)
      return true
    case "h": {
      const [id, until, evidence] = value.split(",")
      reading.lease = {
        id: numberIn(id),
        until: numberIn(until, base),
        evidence: numberIn(evidence)
      }
      return true
    }
    case "b": {
      const [at, count] = value.slice(1).split(",")
      accepted[statuses.in(value[0])] = {
        at: numberIn(at, base),
        count: count === undefined ? 1 : numberIn(count)
      }
      return true
    }
    case "q":
      row.newestCallbacks[statuses.in(value[0])] = callbackIn(value.slice(1), base, transactionId)
      return true
    case "X":
      facts.number = numberIn(value)
      return true
    case "x": {
      const fact = FactField.read(value, base)
      facts.number = Math.max(facts.number, fact?.number ?? FactField.numberOf(value))
      if (fact === undefined) return false
      facts.kept.push(fact)
      return true
    }
    default:
      return false
  }
}

const callbackIn = (value: string, base: number, transactionId: string): StoredCallback => {
  const [at, ...parts] = value.split(",")
  const isSigned = parts.length > 1
  const [account, amount, currency] = parts
  const size = parts[isSigned ? 3 : 0]
  return {
    ...(size !== undefined && { size: numberIn(size) }),
    at: numberIn(at, base),
    signed: isSigned
      ? {
          account: textIn(account),
          amount: textIn(amount),
          currency: textIn(currency),
          transactionId
        }
      : undefined
  }
}
