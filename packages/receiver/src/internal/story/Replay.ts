/**
 * Replays the story of a transaction, without its planned times: whether its facts lead to its row,
 * and whether today's rule, by the evidence that the fact of each call names, would have told the
 * handler the same.
 */
import * as Evidence from "@pawl/core/Evidence"
import { initial, type Observation, reduce } from "@pawl/core/Reducer"
import { isStatus, type Status } from "@pawl/core/Status"
import * as Struct from "effect/Struct"
import type { Kept } from "@pawl/webhook/internal/rule/Fact"
import * as NextWork from "@pawl/webhook/internal/work/NextWork"
import type { DeadLetter, Row } from "@pawl/webhook/internal/rule/Row"
import type { Story } from "@pawl/webhook/internal/rule/StoredRow"

const fields = [
  "amountCleared",
  "attempt",
  "callbacks",
  "evidence",
  "pendingStatus",
  "read",
  "registered",
  "sequence",
  "told"
] as const

/** The part of a row that its facts tell. */
export type Folded = Pick<Row, (typeof fields)[number]> & {
  readonly deadLetter: Omit<DeadLetter, "at"> | undefined
}

export const fold = (facts: ReadonlyArray<Kept>): Folded => {
  const inOrder = facts.toSorted((one, two) => one.number - two.number)
  const own = inOrder.filter(({ from }) => from === undefined)
  const last = lastCall(own)
  const isPending = last !== undefined && !isTold(own, last.sequence)
  return {
    ...foldEvidence(facts),
    ...own.reduce(foldParking, { deadLetter: undefined, amountCleared: false }),
    callbacks: sum(facts.map((each) => (each.fact === "accepted" ? each.count : 0))),
    registered: facts.some(({ fact }) => fact === "registered"),
    told: lastTold(own) ?? lastTold(inOrder),
    sequence: Math.max(
      0,
      ...facts.map((each) =>
        each.fact === "told" ? each.sequence : each.fact === "called" ? each.sequence - 1 : 0
      )
    ),
    pendingStatus: isPending ? last.to : undefined,
    attempt: isPending ? last.count : 0
  }
}

const foldEvidence = (facts: ReadonlyArray<Kept>): Pick<Row, "evidence" | "read"> => {
  const { evidence, read } = facts.flatMap(observationsOf).reduce(reduce, initial())
  return { evidence, read }
}

const observationsOf = (each: Kept): ReadonlyArray<Observation> => {
  if (each.fact === "accepted") return [{ source: "callback", status: each.status }]
  if (each.fact === "registered" && each.status !== undefined)
    return [{ source: "response", status: each.status }]
  return each.fact === "asked" && isStatus(each.result)
    ? [{ source: "read", status: each.result, askedAt: each.lastAt ?? each.at }]
    : []
}

const foldParking = (
  { amountCleared, deadLetter }: Pick<Folded, "amountCleared" | "deadLetter">,
  each: Kept
): Pick<Folded, "amountCleared" | "deadLetter"> => {
  const reason = deadLetter?.reason
  if (each.fact === "parked") {
    return { deadLetter: { reason: each.reason, to: each.to }, amountCleared }
  }
  if (each.fact === "redriven") {
    return { deadLetter: undefined, amountCleared: amountCleared || reason === "amount-mismatch" }
  }
  const isKnownNow =
    each.fact === "asked" && reason === "unknown-transaction" && isAnswer(each.result)
  return { deadLetter: each.fact === "told" || isKnownNow ? undefined : deadLetter, amountCleared }
}

const isAnswer = (result: string): boolean => result !== "404" && result !== "no answer"

const foldedOf = (row: Row): Folded => ({
  ...Struct.pick(row, fields),
  deadLetter: row.deadLetter && { reason: row.deadLetter.reason, to: row.deadLetter.to }
})

/**
 * Replays a story by today's rule. `policy` is that of the receiver. An incomplete story cannot be
 * compared with its row, so only its calls are decided again.
 *
 * - `same`: the facts lead to the row, and today's rule would have told the same.
 * - `differences`: a sentence for each.
 * - `calls`: the statuses that the handler was called with, in order, each with its sequence and
 *   the number of calls.
 */
export const replay = ({ complete, facts, row }: Story, policy: Evidence.Policy = "final") => {
  const folded = fold(facts)
  const own = facts.filter(({ from }) => from === undefined)
  const calls = callsIn(own)
  const differences = [
    ...(complete ? differencesOf(folded, foldedOf(row)) : []),
    ...calls.flatMap((call) => {
      const before = calls.findLast(
        (other) => other.sequence < call.sequence && isTold(own, other.sequence)
      )
      // From the join on, the last told status of the joined row counts.
      const statusesBefore = [before?.to, ...(before === undefined ? [lastTold(facts)] : [])]
      const decided = statusesBefore.map((told) => decide(row, call, told, policy))
      const to = decided.find((each) => each === call.to) ?? decided[0]
      const missing = complete ? call.evidence & ~folded.evidence : 0
      return [
        ...(to === call.to
          ? []
          : [
              `The handler was called with ${call.to}, and would be called with ${to ?? "nothing"}.`
            ]),
        ...(missing === 0
          ? []
          : [`The call with ${call.to} was decided by an observation that no fact records.`])
      ]
    })
  ]
  return {
    same: differences.length === 0,
    differences,
    calls: calls.map(({ count, sequence, to }) => ({
      sequence,
      to,
      count,
      told: isTold(own, sequence)
    }))
  }
}

type Call = Extract<Kept, { fact: "called" }>

const callsIn = (facts: ReadonlyArray<Kept>): ReadonlyArray<Call> =>
  facts
    .filter((each): each is Call => each.fact === "called")
    .toSorted((one, two) => one.sequence - two.sequence)

const lastCall = (facts: ReadonlyArray<Kept>): Call | undefined => callsIn(facts).at(-1)

const isTold = (facts: ReadonlyArray<Kept>, sequence: number): boolean =>
  facts.some((each) => each.fact === "told" && each.sequence === sequence)

const lastTold = (inOrder: ReadonlyArray<Kept>): Status | undefined =>
  inOrder.flatMap((each) => (each.fact === "told" ? [each.to] : [])).at(-1)

/** Returns the status that today's rule calls the handler with, by the evidence of a call. */
const decide = (
  row: Row,
  { at, evidence, read, sequence }: Call,
  told: Status | undefined,
  policy: Evidence.Policy
): Status | undefined => {
  const then: Row = {
    ...row,
    evidence,
    told,
    sequence: sequence - 1,
    pendingStatus: undefined,
    attempt: 0,
    amountCleared: true,
    deadLetter: undefined
  }
  const step = NextWork.nextStep(then, Evidence.standing(evidence, read, policy), at)
  return step._tag === "Call" ? step.to : undefined
}

const differencesOf = (folded: Folded, row: Folded): ReadonlyArray<string> =>
  Object.keys(row).flatMap((field) => {
    const [told, kept] = [folded, row].map((each) => JSON.stringify(each[field as keyof Folded]))
    return told === kept
      ? []
      : [`The facts say that ${field} is ${told ?? "empty"}, and the row says ${kept ?? "empty"}.`]
  })

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((one, two) => one + two, 0)
