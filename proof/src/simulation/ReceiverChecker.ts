/**
 * Checks the responses of the receivers, their rows, and the transitions of the handler (S1 to S10,
 * S15, S16, P1 to P3).
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Transition } from "@pawl/core/Handler"
import { isStatus, isTerminal, rank, type Status } from "@pawl/core/Status"
import type { Transaction } from "@pawl/testkit/Gateway"
import type { Ledger } from "@pawl/webhook/Ledger"
import type { StatusCode } from "@pawl/webhook/Receiver"
import type { Row } from "@pawl/webhook/internal/rule/Row"
import * as Effect from "effect/Effect"
import { getOrMake } from "../GetOrMake.ts"
import * as Stories from "../rel/Stories.ts"
import type { ClientChecker } from "./ClientChecker.ts"
import type { Post } from "./Network.ts"
import * as OutageChecker from "./OutageChecker.ts"
import { day, type Operation, type Plan, type Process } from "./Plan.ts"
import { subjectOf } from "./Subject.ts"
import type { Trace } from "./Trace.ts"
import * as TurnChecker from "./TurnChecker.ts"

export type ReceiverChecker = ReturnType<typeof make>

interface History {
  readonly accepted: Map<Status, ReadonlyArray<number>>
  readonly commits: Array<{ readonly at: number; readonly transition: Transition }>
  /** The last attempt of each call, by its id. */
  readonly calls: Map<string, number>
}

/** The longest time from a callback to its commit in the quiet time, in milliseconds. */
const maxDelay = 3000

const maxGap = 14 * day
const faultTime = day

/** Reads go on for this time after the last new claim, in milliseconds. */
const watchTime = 180 * day
/**
 * A transaction in FAILED or CANCELLED is read once more after 12 hours, and a clock may be wrong
 * by an hour.
 */
const lastReadTime = 10 * 3_600_000

export const make = (
  trace: Trace,
  client: ClientChecker,
  plan: Plan,
  ledger: Ledger["Service"],
  operationOf: (transactionId: string) => Operation | undefined
) => {
  const { policy = "final", quietAt, skews } = plan
  const turns = TurnChecker.make(trace, plan)
  const outages = OutageChecker.make(trace, plan)
  const histories = new Map<string, History>()
  const historyOf = (id: string) =>
    getOrMake(histories, id, () => ({ accepted: new Map(), commits: [], calls: new Map() }))
  const skew = Math.max(...Object.values(skews)) - Math.min(...Object.values(skews))
  let told = 0

  const delivered = Effect.fnUntraced(function* (
    { incoming, isVerifiable }: Post,
    response: StatusCode | undefined
  ) {
    trace.mark(`answered ${response ?? "by no receiver"}`)
    if (response !== 200) return
    if (!isVerifiable)
      return trace.violation("S3", `a forgery was answered 200: ${incoming.search}`)
    const { method, status, transactionId } = subjectOf(incoming)
    if (!isStatus(status)) return
    const row = yield* Effect.orDie(ledger.get(method, transactionId))
    const isStored = row !== undefined && (row.evidence & Evidence.claimed(status)) !== 0
    if (!isStored)
      trace.violation("S2", `${status} of ${transactionId} was answered 200 and is not stored`)
    const { accepted } = historyOf(transactionId)
    accepted.set(status, [...(accepted.get(status) ?? []), trace.now()])
    if (row === undefined) return
    if (canBeTold(row, status)) turns.due(transactionId)
    else if (hasTerminalClaim(row)) turns.overtaken(transactionId)
  })

  const canBeTold = (row: Row, status: Status): boolean => {
    const { attempt, deadLetter, evidence, read, told, transactionId } = row
    return (
      !hasTerminalClaim(row) &&
      Evidence.news(Evidence.standing(evidence, read?.status, policy), told) === status &&
      attempt === 0 &&
      deadLetter === undefined &&
      operationOf(transactionId)?.isUnreadable !== true &&
      !turns.isCalled(transactionId)
    )
  }

  const checkTransition = (prefix: string, transition: Transition) => {
    const { confirmed, from, id, to, transactionId } = transition
    const { commits } = historyOf(transactionId)
    const last = commits.at(-1)?.transition
    const name = `${prefix} ${to} of ${transactionId}`
    if (commits.some((each) => each.transition.id === id))
      trace.violation("S5", `${name} was repeated`)
    if (from !== (last?.to ?? null))
      trace.violation("S4", `${name} states ${from} as the last status told, which was ${last?.to}`)
    if (last !== undefined && !mayFollow(last.to, to))
      trace.violation("S4", `${name} followed ${last.to}`)
    const needsConfirmation = isTerminal(to) || policy === "always"
    if ((needsConfirmation || confirmed) && !(confirmed && client.confirmed(transactionId).has(to)))
      trace.violation("S9", `${name} was not confirmed by the service`)
  }

  const end = Effect.fnUntraced(function* (transaction: Transaction, isRegistered: boolean) {
    const { history, kind, status, transactionId } = transaction
    const { accepted, calls, commits } = historyOf(transactionId)
    const method = kind.startsWith("apm") ? "apm" : "card"
    const row = yield* Effect.orDie(ledger.get(method, transactionId))
    const name = `${kind} ${transactionId}`
    if (row === undefined) {
      if (isRegistered || accepted.size > 0) trace.violation("S1", `there is no row of ${name}`)
      return
    }
    let count = 0
    for (const [claim, { length }] of accepted) {
      count += length
      if ((row.evidence & Evidence.claimed(claim)) === 0)
        trace.violation("S1", `${name} lost ${claim}`)
    }
    if (row.callbacks < count)
      trace.violation("S1", `${name} counts ${row.callbacks} of ${count} callbacks`)
    for (const each of Evidence.confirmedStatuses(row.evidence)) {
      if (!client.confirmed(transactionId).has(each))
        trace.violation("S3", `${name} has ${each}, which the service never stated`)
    }
    const last = commits.at(-1)?.transition
    if (row.told !== last?.to)
      trace.violation("S5", `${name} is marked told ${row.told}, but ${last?.to} was committed`)
    const standing = Evidence.standing(row.evidence, row.read?.status, policy)
    if (Evidence.news(standing, row.told) !== undefined)
      trace.violation(
        "S7",
        `the evidence of ${name} says ${standing.status}, and ${row.told} was told`
      )
    if (row.deadLetter !== undefined)
      trace.violation("S1", `${name} is still a dead letter: ${row.deadLetter.reason}`)

    for (const story of yield* Effect.orDie(ledger.story(method, transactionId))) {
      if (!story.complete) trace.violation("S16", `${name} has no complete story`)
      for (const difference of Stories.differencesOf(story, new Set(calls.keys())))
        trace.violation("S16", `${name} ${difference}`)
    }

    const wentBack = history.some(
      ({ status }, index) => rank(status) < rank(history[index - 1]?.status ?? status)
    )
    if (wentBack) trace.mark("the service went back")
    else if (isTerminal(status) && row.told !== status)
      trace.violation("S6", `${name} is ${status}, and ${row.told} was told`)
    const ends = Evidence.confirmedStatuses(row.evidence).filter(
      (each) => rank(each) === rank("SUCCEED")
    )
    if (standing.rank === rank("SUCCEED") && ends.length > 1) {
      trace.mark("a conflict was told")
      if (last?.conflict?.join() !== ends.join())
        trace.violation("S8", `${name} was told ${last?.to} without its conflict`)
    }
    if (last !== undefined && isTerminal(last.to) && last.signed === null)
      trace.mark(`found by a read: ${last.to}`)
    if (!wentBack) checkLastRead(transaction)
    turns.end(transactionId)
    checkEnds(transaction)
    checkQuiet(transaction)
  })

  const checkLastRead = ({ createdTime, history, kind, status, transactionId }: Transaction) => {
    const lastRead = client.reads(transactionId).at(-1) ?? 0
    const name = `${kind} ${transactionId} is ${status}, and was last read at ${lastRead}`
    if (kind !== "refund" && (status === "SUCCEED" || status === "REFUNDED")) {
      const claims = [...historyOf(transactionId).accepted.values()]
      const newClaimAt = Math.max(Date.parse(createdTime), ...claims.map(([first = 0]) => first))
      if (lastRead < Math.min(trace.now(), newClaimAt + watchTime) - maxGap - faultTime)
        trace.violation("P2", `${name}, more than 15 days before the end of its watch`)
    }
    const hasFailed = status === "FAILED" || status === "CANCELLED"
    const endedAt = Date.parse(history.at(-1)?.at ?? "")
    // After an outage of the receivers this read comes sooner.
    if (hasFailed && plan.outages === undefined && lastRead < endedAt + lastReadTime)
      trace.violation("P2", `${name}, and not after 12 hours`)
  }

  const checkEnds = ({ history, kind, transactionId }: Transaction) => {
    const { handlerActions = [], isUnreadable = false } = operationOf(transactionId) ?? {}
    if (isUnreadable || handlerActions.includes("fails for days")) return
    if (kind === "refund") return
    const { accepted, commits } = historyOf(transactionId)
    const acceptedAt = Math.min(...[...accepted.values()].flat())
    for (const [index, { at, status }] of history.entries()) {
      const isLower = (other: Status) => rank(other) < rank(status)
      const isNew = history.slice(0, index).every((before) => isLower(before.status))
      const stays = !history.slice(index).some((later) => isLower(later.status))
      if (!isTerminal(status) || !isNew || !stays) continue
      const reachedAt = Date.parse(at)
      const toldAt = commits.find(({ transition: { to } }) => !isLower(to))?.at
      const name = `${status} of ${kind} ${transactionId}`
      outages.end(name, { acceptedAt, reachedAt, toldAt })
      const latest = reachedAt + maxGap + faultTime
      if (trace.now() > latest && (toldAt ?? Infinity) > latest)
        trace.violation("P3", `${name} was reached at ${reachedAt} and told at ${toldAt}`)
    }
  }

  const checkQuiet = ({ createdTime, history, transactionId }: Transaction) => {
    if (Date.parse(createdTime) <= quietAt) return
    const { accepted, commits } = historyOf(transactionId)
    const reads = client.reads(transactionId)
    for (const { at, status } of history) {
      const acceptedAt = accepted.get(status)?.find((each) => each >= Date.parse(at))
      if (acceptedAt === undefined || !isTerminal(status)) continue
      if (history.findLast((each) => Date.parse(each.at) <= acceptedAt)?.status !== status) continue
      const commit = commits.find(
        ({ transition: { to } }) => to === status || rank(to) > rank(status)
      )
      if ((commit?.at ?? Infinity) > acceptedAt + maxDelay)
        trace.violation(
          "S10",
          `${status} of ${transactionId} was accepted at ${acceptedAt} and told at ${commit?.at}`
        )
    }
    if (accepted.size > 0) return
    // Without a callback only the poll ladder finds changes.
    trace.mark("followed by reads alone")
    const [first = Infinity] = reads
    const ladder = [5, 5, 10, 30, 60]
    if (first < Date.parse(createdTime) + 5 * 60_000 - skew)
      trace.violation("P1", `${transactionId} was first read at ${first}, too early`)
    for (const [index, at] of reads.slice(1).entries()) {
      const last = reads[index] ?? 0
      const age = last - Date.parse(createdTime)
      const status = history.findLast((each) => Date.parse(each.at) <= last)?.status
      const isOpen = status === undefined || !isTerminal(status)
      const tail = isOpen && age >= day ? Math.min(age / 10, 2 * day) : 0
      const gap = Math.max((ladder[index + 1] ?? 60) * 60_000, tail)
      if (at - last < gap - 5000)
        trace.violation("P1", `read ${index + 2} of ${transactionId} was too early`)
    }
  }

  return {
    delivered,
    reading: turns.reading,
    called: (receiver: Process, transition: Transition) => {
      checkTransition("the call for", transition)
      const { attempt, id, to, transactionId } = transition
      const { calls } = historyOf(transactionId)
      if (attempt <= (calls.get(id) ?? 0))
        trace.violation("S13", `attempt ${attempt} of ${id} followed attempt ${calls.get(id)}`)
      calls.set(id, attempt)
      if (trace.now() < quietAt && operationOf(transactionId)?.isUnreadable === true)
        trace.violation("S15", `${to} of ${transactionId} was told from a row that cannot be read`)
      return turns.called(receiver, transition)
    },
    committed: (transition: Transition) => {
      told++
      checkTransition("the effect of", transition)
      historyOf(transition.transactionId).commits.push({ at: trace.now(), transition })
    },
    outage: outages.outage,
    end,
    told: () => told
  }
}

const hasTerminalClaim = ({ evidence }: Row): boolean =>
  Evidence.claimedStatuses(evidence).some(isTerminal)

/** Allows a higher rank, or an equal one for CUSTOMER_VERIFICATION and another terminal status. */
const mayFollow = (last: Status, next: Status): boolean =>
  rank(next) > rank(last) ||
  (rank(next) === rank(last) &&
    next !== last &&
    (isTerminal(next) || next === "CUSTOMER_VERIFICATION"))
