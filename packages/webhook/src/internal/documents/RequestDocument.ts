import type { Outcome, RequestRow } from "../rule/RequestRow.ts"
import { methods, notSent, outcomes, parkReasons, requestKinds } from "./Codes.ts"
import {
  add,
  decimalIn,
  number,
  numberIn,
  open,
  optional,
  seal,
  text,
  textIn,
  unless
} from "./Fields.ts"
import * as Fields from "./Fields.ts"

/** The field of kind, whether it has card data, and time of creation. */
const firstField = "k"

export const encode = (row: RequestRow): string => {
  const { createdAt: base, lease, outcome, parked, refusals, transaction } = row
  const card = row.hasCardData ? "c" : ""
  const lines = [`${firstField}${requestKinds.of(row.kind)}${card},${base}`]
  add(lines, "g", text(row.digest))
  Fields.write(lines, row.ordered)
  add(lines, "R", unless(row.retryFrom, base, base))
  add(lines, "E", optional(row.expiresAt, base))
  add(lines, "B", optional(row.begunAt, base))
  add(lines, "w", unless(row.attempts, 0))
  if (refusals !== undefined) {
    const { count, reason, since } = refusals
    add(lines, "x", `${number(count)},${number(since, base)},${text(reason)}`)
  }
  add(lines, "d", optional(row.dueAt, base))
  if (lease !== undefined) {
    const doubt = lease.inDoubt ? ",d" : ""
    add(lines, "h", `${number(lease.id)},${number(lease.until, base)}${doubt}`)
  }
  add(lines, "o", outcome && codeOf(outcome))
  add(lines, "S", optional(row.settledAt, base))
  add(lines, "t", transaction && methods.of(transaction.method) + text(transaction.transactionId))
  add(lines, "T", row.deniedTransactionId === undefined ? undefined : text(row.deniedTransactionId))
  add(lines, "D", parked && parkReasons.of(parked.reason) + number(parked.at, base))
  add(lines, "v", row.body === undefined ? undefined : text(row.body))
  if (outcome !== undefined && "text" in outcome && outcome.text !== undefined) {
    add(lines, "z", text(outcome.text))
  }
  lines.push(...(row.unknown ?? []))
  return seal(lines)
}

const codeOf = (outcome: Outcome): string =>
  outcomes.of(outcome._tag) + (outcome._tag === "NotSent" ? notSent.of(outcome.reason) : "")

const outcomeIn = (code: string, answer: string | undefined): Outcome => {
  const tag = outcomes.in(code[0])
  switch (tag) {
    case "Found":
      return { _tag: tag }
    case "NotSent":
      return { _tag: tag, reason: notSent.in(code[1]) }
    case "Answered":
    case "Refused":
      return { _tag: tag, text: answer }
  }
}

const linesOf = (document: string) => {
  const [first = "", ...lines] = open(document)
  if (!first.startsWith(firstField)) throw new Error("no request")
  const fields = new Map<string, string>()
  const unknown: Array<string> = []
  let ordered: RequestRow["ordered"]
  for (const line of lines) {
    const field = line.charAt(0)
    const order = Fields.read(ordered, field, line.slice(1))
    if (order !== undefined) ordered = order
    else if (known.has(field)) fields.set(field, line.slice(1))
    else unknown.push(line)
  }
  return { first: first.slice(1), fields, unknown, ordered }
}

const known = new Set("gREBwxdhoStTDvz")

/** Throws if the document is damaged, or a newer version has changed a field. */
export const decode = (document: string, requestId: string): RequestRow => {
  const { fields, first, ordered, unknown } = linesOf(document)
  const [words = "", time] = first.split(",")
  const base = decimalIn(time)
  const textOf = (field: string) => {
    const value = fields.get(field)
    return value === undefined ? undefined : textIn(value)
  }
  const timeOf = (field: string) => {
    const value = fields.get(field)
    return value === undefined ? undefined : numberIn(value, base)
  }
  const [refusals, lease, outcome, transaction, parked] = ["x", "h", "o", "t", "D"].map((field) =>
    fields.get(field)
  )
  return {
    requestId,
    kind: requestKinds.in(words[0]),
    digest: textOf("g") ?? "",
    hasCardData: words.includes("c", 1),
    ordered,
    body: textOf("v"),
    createdAt: base,
    retryFrom: timeOf("R") ?? base,
    expiresAt: timeOf("E"),
    begunAt: timeOf("B"),
    attempts: numberIn(fields.get("w") ?? "0"),
    refusals: refusals === undefined ? undefined : refusalsIn(refusals, base),
    dueAt: timeOf("d"),
    lease: lease === undefined ? undefined : leaseIn(lease, base),
    outcome: outcome === undefined ? undefined : outcomeIn(outcome, textOf("z")),
    settledAt: timeOf("S"),
    transaction:
      transaction === undefined
        ? undefined
        : { method: methods.in(transaction[0]), transactionId: textIn(transaction.slice(1)) },
    deniedTransactionId: textOf("T"),
    parked:
      parked === undefined
        ? undefined
        : { reason: parkReasons.in(parked[0]), at: numberIn(parked.slice(1), base) },
    ...(unknown.length > 0 && { unknown })
  }
}

const refusalsIn = (value: string, base: number): RequestRow["refusals"] => {
  const [count, since, reason] = value.split(",")
  return { count: numberIn(count), since: numberIn(since, base), reason: textIn(reason) }
}

const leaseIn = (value: string, base: number): RequestRow["lease"] => {
  const [id, until, doubt] = value.split(",")
  return { id: numberIn(id), until: numberIn(until, base), inDoubt: doubt === "d" }
}
