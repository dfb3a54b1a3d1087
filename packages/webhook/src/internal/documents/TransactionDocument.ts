/** The document of a transaction: all rows of a method and id. */
import { type Status, statuses as allStatuses } from "@pawl/core/Status"
import type { Kept, Event } from "../rule/Fact.ts"
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
import * as Fields from "./Fields.ts"

/** The first field of a row: its scope, its kind if that differs, and the time of its creation. */
const rowField = "k"

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
  for (const fact of facts.kept) add(lines, "x", writeFact(fact, base))
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
  signed === undefined
    ? number(at, base)
    : [
        number(at, base),
        text(signed.account),
        text(signed.amount),
        text(signed.currency),
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
  const [words = "", time = ""] = value.split(",")
  const scope = kinds.in(words[0])
  const { unknown: _, ...row } = blank(scope, transactionId, decimalIn(time))
  return {
    row: {
      ...row,
      kind: words.length === 1 ? scope : kinds.in(words[1]),
      newestCallbacks: {}
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
      const [id = "", until = "", evidence = ""] = value.split(",")
      reading.lease = {
        id: numberIn(id),
        until: numberIn(until, base),
        evidence: numberIn(evidence)
      }
      return true
    }
    case "b": {
      const [at = "", count] = value.slice(1).split(",")
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
      const fact = readFact(value, base)
      facts.number = Math.max(facts.number, fact?.number ?? numberOf(value))
      if (fact === undefined) return false
      facts.kept.push(fact)
      return true
    }
    default:
      return false
  }
}

const callbackIn = (value: string, base: number, transactionId: string): StoredCallback => {
  const [at = "", account, amount = "", currency = "", size] = value.split(",")
  return {
    ...(size !== undefined && { size: numberIn(size) }),
    at: numberIn(at, base),
    signed:
      account === undefined
        ? undefined
        : {
            account: textIn(account),
            amount: textIn(amount),
            currency: textIn(currency),
            transactionId
          }
  }
}

const separator = ","

const writeFact = (fact: Kept, base: number): string => {
  const { at, count, from, lastAt } = fact
  let line = number(fact.number) + separator + number(at, base) + separator + wordsOf(fact)
  if (count !== 1) line += `${separator}k${number(count)}`
  if (lastAt === undefined) line += `${separator}l`
  else if (lastAt !== at) line += `${separator}l${number(lastAt, base)}`
  if (from !== undefined) line += `${separator}f${kinds.of(from)}`
  return line
}

const noText = "-"

const part = (value: string | undefined): string =>
  value === undefined ? noText : `+${text(value)}`

const partIn = (value: string | undefined): string | undefined =>
  value === undefined || value === noText ? undefined : textIn(value.slice(1))

const wordsOf = (event: Event): string => {
  switch (event.fact) {
    case "registered":
      return `r${kinds.of(event.kind)}${event.status === undefined ? "" : statuses.of(event.status)}`
    case "accepted":
      return `b${statuses.of(event.status)}`
    case "asked":
      return `a${event.kind === undefined ? noText : kinds.of(event.kind)}${resultOf(event.result)}`
    case "called": {
      const read = event.read === undefined ? noText : statuses.of(event.read)
      return `c${statuses.of(event.to)}${read}${number(event.evidence)}.${number(event.sequence)}`
    }
    case "told":
    case "failed":
      return `${event.fact === "told" ? "t" : "x"}${statuses.of(event.to)}${number(event.sequence)}`
    case "parked":
      return `p${deadLetters.of(event.reason)}${event.to === undefined ? "" : statuses.of(event.to)}`
    case "redriven":
      return `v${part(event.by)}\t${part(event.why)}`
    case "more":
      return "m"
  }
}

const resultOf = (result: string): string => {
  const code = (statuses.of as (word: string) => string | undefined)(result)
  return code === undefined ? `.${part(result)}` : code
}

const readFact = (line: string, base: number): Kept | undefined => {
  const [place = "", time = "", words = "", ...others] = line.split(separator)
  const at = numberIn(time, base)
  const event = eventOf(words, at)
  if (event === undefined) return undefined
  let [count, lastAt, from]: [number, number | undefined, Kept["from"]] = [1, at, undefined]
  for (const other of others) {
    const value = other.slice(1)
    if (other.startsWith("k")) count = numberIn(value)
    else if (other.startsWith("l")) lastAt = value === "" ? undefined : numberIn(value, base)
    else if (other.startsWith("f")) from = kinds.in(value)
    else return undefined
  }
  return { ...event, lastAt, count, number: numberIn(place), from }
}

const numberOf = (line: string): number => numberIn(line.split(separator, 1)[0] ?? "")

const optionalStatus = (code: string | undefined) =>
  code === undefined || code === noText ? undefined : statuses.in(code)

const eventOf = (words: string, at: number): Event | undefined => {
  const [code, one, two] = words
  switch (code) {
    case "r":
      return { fact: "registered", kind: kinds.in(one), status: optionalStatus(two), at }
    case "b":
      return { fact: "accepted", status: statuses.in(one), at }
    case "a": {
      const result = two === "." ? (partIn(words.slice(3)) ?? "") : statuses.in(two)
      return { fact: "asked", result, kind: one === noText ? undefined : kinds.in(one), at }
    }
    case "c": {
      const [evidence = "", sequence = ""] = words.slice(3).split(".")
      const decision = { evidence: numberIn(evidence), read: optionalStatus(two) }
      return {
        fact: "called",
        sequence: numberIn(sequence),
        to: statuses.in(one),
        ...decision,
        at
      }
    }
    case "t":
    case "x": {
      const told = { sequence: numberIn(words.slice(2)), to: statuses.in(one), at }
      return { fact: code === "t" ? "told" : "failed", ...told }
    }
    case "p":
      return { fact: "parked", reason: deadLetters.in(one), to: optionalStatus(two), at }
    case "v": {
      const [by, why] = words.slice(1).split("\t")
      return { fact: "redriven", by: partIn(by), why: partIn(why), at }
    }
    case "m":
      return { fact: "more", at }
    case undefined:
    default:
      return undefined
  }
}
