/**
 * Judges what the receivers answer, keep and tell (S1 to S10, P1, P2, L1).
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Transition } from "@pawl/core/Handler"
import * as Json from "@pawl/core/Json"
import { isStatus, isTerminal, rank, type Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import type { StatusCode } from "@pawl/webhook/Receiver"
import type { Row } from "@pawl/webhook/Row"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Transaction } from "@pawl/testkit/Gateway"
import type { ClientJudge } from "./ClientJudge.ts"
import type { Post } from "./Network.ts"
import { day, type Plan } from "./Plan.ts"
import type { Trace } from "./Trace.ts"

/**
 * Reads a row as it is, whatever is wrong with the store.
 *
 * @category models
 * @since 0.1.0
 */
export type Read = (method: Method, transactionId: string) => Effect.Effect<Row | undefined>

/**
 * Judges the receivers.
 *
 * - `arrived`: a post was answered, or nobody took it.
 * - `called`: the handler was called; `committed`: what it did is done.
 * - `end`: judges a transaction in the end. `isOurs` says whether it was registered.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReceiverJudge {
  readonly arrived: (post: Post, answer: StatusCode | undefined) => Effect.Effect<void>
  readonly called: (transition: Transition) => void
  readonly committed: (transition: Transition) => void
  readonly end: (transaction: Transaction, isOurs: boolean) => Effect.Effect<void>
  readonly told: () => number
}

interface Commit {
  readonly at: number
  readonly transition: Transition
}

/** All that happened to one transaction: when each status was answered 200, and what was told when. */
interface Case {
  readonly taken: Map<Status, ReadonlyArray<number>>
  readonly commits: Array<Commit>
}

/** One read and a second; nothing is slow any more. */
const promptly = 3000

/**
 * Makes the judge of the receivers. From `quietAt` on nothing is wrong but the forger.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  trace: Trace,
  client: ClientJudge,
  { quietAt, skews }: Plan,
  read: Read
): ReceiverJudge => {
  const cases = new Map<string, Case>()
  const caseOf = (id: string): Case => {
    const found = cases.get(id) ?? { taken: new Map(), commits: [] }
    cases.set(id, found)
    return found
  }
  const skew = Math.max(...Object.values(skews)) - Math.min(...Object.values(skews))
  let told = 0

  const arrived = Effect.fnUntraced(function* (
    { incoming, isSound }: Post,
    answer: StatusCode | undefined
  ) {
    trace.mark(`answered ${answer ?? "by nobody"}`)
    if (answer !== 200) return
    if (!isSound) return trace.breaks("S3", `a forgery was answered 200: ${incoming.search}`)
    const body = Result.getOrUndefined(Json.fromBytes(incoming.body))
    const { method, status, transactionId } = subjectOf(incoming.search, body)
    if (!isStatus(status)) return
    const row = yield* read(method, transactionId)
    const isKept = row !== undefined && (row.evidence & Evidence.claimed(status)) !== 0
    if (!isKept)
      trace.breaks("S2", `${status} of ${transactionId} was answered 200 and is not stored`)
    const { taken } = caseOf(transactionId)
    taken.set(status, [...(taken.get(status) ?? []), trace.now()])
  })

  /** What holds of every call and every commit, beside what was committed before. */
  const judge = (what: string, transition: Transition) => {
    const { confirmed, from, id, to, transactionId } = transition
    const { commits } = caseOf(transactionId)
    const last = commits.at(-1)?.transition
    const how = `${what} ${to} of ${transactionId}`
    if (commits.some((each) => each.transition.id === id)) trace.breaks("S5", `${how} came again`)
    if (from !== (last?.to ?? null))
      trace.breaks("S4", `${how} is said to follow ${from}, and followed ${last?.to}`)
    if (last !== undefined && !mayFollow(last.to, to))
      trace.breaks("S4", `${how} followed ${last.to}`)
    if (isTerminal(to) && !(confirmed && client.confirmed(transactionId).has(to)))
      trace.breaks("S9", `${how} was not confirmed by the service`)
  }

  const end = Effect.fnUntraced(function* (transaction: Transaction, isOurs: boolean) {
    const { history, kind, status, transactionId } = transaction
    const { commits, taken } = caseOf(transactionId)
    const row = yield* read(kind.startsWith("apm") ? "apm" : "card", transactionId)
    const who = `${kind} ${transactionId}`
    if (row === undefined) {
      if (isOurs || taken.size > 0) trace.breaks("S1", `there is no row of ${who}`)
      return
    }
    let times = 0
    for (const [claim, { length }] of taken) {
      times += length
      if ((row.evidence & Evidence.claimed(claim)) === 0) trace.breaks("S1", `${who} lost ${claim}`)
    }
    if (row.callbacks < times)
      trace.breaks("S1", `${who} counts ${row.callbacks} of ${times} callbacks`)
    for (const each of Evidence.confirmedStatuses(row.evidence)) {
      if (!client.confirmed(transactionId).has(each))
        trace.breaks("S3", `${who} has ${each}, which the service never said`)
    }
    const last = commits.at(-1)?.transition
    if (row.told !== last?.to)
      trace.breaks("S5", `${who} is told ${row.told}, and ${last?.to} was committed`)
    const stands = Evidence.standing(row.evidence, row.read?.status)
    if (Evidence.news(stands, row.told) !== undefined)
      trace.breaks("S7", `${who} stands at ${stands.status} and is told ${row.told}`)
    if (row.deadLetter !== undefined)
      trace.breaks("S1", `${who} is a dead letter still: ${row.deadLetter.reason}`)

    const wentBack = history.some(
      ({ status }, index) => rank(status) < rank(history[index - 1]?.status ?? status)
    )
    if (wentBack) trace.mark("the service went back")
    else if (isTerminal(status) && row.told !== status)
      trace.breaks("S6", `${who} is ${status}, and ${row.told} was told`)
    const ends = Evidence.confirmedStatuses(row.evidence).filter(
      (each) => rank(each) === rank("SUCCEED")
    )
    if (stands.rank === rank("SUCCEED") && ends.length > 1) {
      trace.mark("a conflict was told")
      if (last?.conflict?.join() !== ends.join())
        trace.breaks("S8", `${who} was told ${last?.to} without its conflict`)
    }
    if (last !== undefined && isTerminal(last.to) && last.signed === null)
      trace.mark(`found by a read: ${last.to}`)
    const isPayment = kind.endsWith("payment")
    if (isPayment && (status === "SUCCEED" || status === "REFUNDED") && !wentBack) {
      const since = Date.parse(history.at(-1)?.at ?? "")
      const longest = client.reads(transactionId).filter((at) => at > since + 60 * day).length
      if (longest === 0) trace.breaks("P2", `${who} was not read 60 days after ${status}`)
    }
    yield* judgeQuiet(transaction)
  })

  /** What holds besides of a transaction that nothing was wrong with. */
  const judgeQuiet = (transaction: Transaction) =>
    Effect.sync(() => {
      const { createdTime, history, transactionId } = transaction
      if (Date.parse(createdTime) < quietAt) return
      const { commits, taken } = caseOf(transactionId)
      const reads = client.reads(transactionId)
      for (const { at, status } of history) {
        const heard = taken.get(status)?.find((each) => each >= Date.parse(at))
        if (heard === undefined || !isTerminal(status)) continue
        if (history.findLast((each) => Date.parse(each.at) <= heard)?.status !== status) continue
        const by = commits.find(
          ({ transition: { to } }) => to === status || rank(to) > rank(status)
        )
        if ((by?.at ?? Infinity) > heard + promptly)
          trace.breaks(
            "S10",
            `${status} of ${transactionId} came at ${heard}, and was told at ${by?.at}`
          )
      }
      if (taken.size > 0) return
      // Nothing but the ladder tells of it.
      trace.mark("followed by reads alone")
      const [first = Infinity] = reads
      const ladder = [5, 5, 10, 30, 60]
      if (first < Date.parse(createdTime) + 5 * 60_000 - skew)
        trace.breaks("P1", `${transactionId} was read after ${first}`)
      for (const [index, at] of reads.slice(1).entries()) {
        const gap = (ladder[index + 1] ?? 60) * 60_000
        if (at - (reads[index] ?? 0) < gap - 5000)
          trace.breaks("P1", `read ${index + 2} of ${transactionId} came too early`)
      }
    })

  return {
    arrived,
    called: (transition) => judge("the call for", transition),
    committed: (transition) => {
      told++
      judge("the effect of", transition)
      caseOf(transition.transactionId).commits.push({ at: trace.now(), transition })
    },
    end,
    told: () => told
  }
}

const subjectOf = (search: string, body: unknown) => {
  const member = (name: string) => {
    const value: unknown =
      typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined
    return typeof value === "string" ? value : undefined
  }
  const method: Method = new URLSearchParams(search).get("paymentMethod") === "apm" ? "apm" : "card"
  return {
    method,
    status: member("transactionStatus") ?? "",
    transactionId: member("refundId") ?? member("transactionId") ?? ""
  }
}

/** Ranks never fall; an equal one only for a customer to act, or for another end. */
const mayFollow = (last: Status, next: Status): boolean =>
  rank(next) > rank(last) ||
  (rank(next) === rank(last) &&
    next !== last &&
    (isTerminal(next) || next === "CUSTOMER_VERIFICATION"))
