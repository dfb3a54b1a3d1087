/**
 * Checks the responses of the receivers, the rows they keep, and the changes they tell the handler (S1 to S10, P1, P2).
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Transition } from "@pawl/core/Handler"
import * as Json from "@pawl/core/Json"
import { isStatus, isTerminal, rank, type Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import type { Transaction } from "@pawl/testkit/Gateway"
import type { StatusCode } from "@pawl/webhook/Receiver"
import type { Row } from "@pawl/webhook/Row"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ClientChecker } from "./ClientChecker.ts"
import type { Post } from "./Network.ts"
import { day, type Plan } from "./Plan.ts"
import type { Trace } from "./Trace.ts"

/** Returns a row, also during a fault of the store. */
export type GetRow = (method: Method, transactionId: string) => Effect.Effect<Row | undefined>

/**
 * Checks the receivers.
 *
 * - `delivered`: a post got this response, or none.
 * - `called`: the handler was called. It returns a function for the end of the call, which may be an interruption.
 * - `committed`: the effects of the handler were committed.
 * - `end`: checks a transaction at the end. `isRegistered`: whether the shop registered it.
 * - `told`: the number of changes that were committed.
 */
export interface ReceiverChecker {
  readonly delivered: (post: Post, status: StatusCode | undefined) => Effect.Effect<void>
  readonly called: (transition: Transition) => (isInterrupted: boolean) => void
  readonly committed: (transition: Transition) => void
  readonly end: (transaction: Transaction, isRegistered: boolean) => Effect.Effect<void>
  readonly told: () => number
}

interface Commit {
  readonly at: number
  readonly transition: Transition
}

/** The history of one transaction: when a callback with each status was answered 200, and what was committed when. */
interface History {
  readonly accepted: Map<Status, ReadonlyArray<number>>
  readonly commits: Array<Commit>
  /** The last call of the handler; it has no end while it runs. */
  call: { readonly at: number; end: number | undefined; isInterrupted: boolean } | undefined
}

/** The longest time from a callback to its commit in the quiet time, in milliseconds: one read and a second. */
const maxDelay = 3000

/** The time of a lease, and what is left of it at least when a call is interrupted, in milliseconds. */
const leaseTime = 30_000
const leastRest = 3000

/** Makes the checker of the receivers. */
export const make = (
  trace: Trace,
  client: ClientChecker,
  { faults, quietAt, skews }: Plan,
  getRow: GetRow
): ReceiverChecker => {
  const histories = new Map<string, History>()
  const historyOf = (id: string): History => {
    const found = histories.get(id) ?? { accepted: new Map(), commits: [], call: undefined }
    histories.set(id, found)
    return found
  }
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
    const body = Result.getOrUndefined(Json.fromBytes(incoming.body))
    const { method, status, transactionId } = subjectOf(incoming.search, body)
    if (!isStatus(status)) return
    const row = yield* getRow(method, transactionId)
    const isStored = row !== undefined && (row.evidence & Evidence.claimed(status)) !== 0
    if (!isStored)
      trace.violation("S2", `${status} of ${transactionId} was answered 200 and is not stored`)
    const { accepted } = historyOf(transactionId)
    accepted.set(status, [...(accepted.get(status) ?? []), trace.now()])
  })

  /** Checks a call or a commit against the earlier commits. */
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
    if (isTerminal(to) && !(confirmed && client.confirmed(transactionId).has(to)))
      trace.violation("S9", `${name} was not confirmed by the service`)
  }

  /** A clock that jumps ends leases early, and one that cannot be renewed in time ends too. */
  const isDisturbed = (from: number, to: number) =>
    faults.some(
      ({ at, duration, kind, target }) =>
        (kind === "jump" || target === "store") &&
        at < to &&
        from - 2 * leaseTime < at + duration + leaseTime
    )

  /** Checks that a call begins after the one before it ended, and after its lease if that call was interrupted. */
  const checkTurn = ({ to, transactionId }: Transition) => {
    const history = historyOf(transactionId)
    const last = history.call
    const now = trace.now()
    if (last !== undefined && !isDisturbed(last.at, now)) {
      if (last.end === undefined)
        trace.violation("S11", `the call for ${to} of ${transactionId} began during another call`)
      else if (last.isInterrupted && now < last.end + leastRest)
        trace.violation(
          "S11",
          `the call for ${to} of ${transactionId} began at ${now}, and the lease of a call that was interrupted at ${last.end} had not run out`
        )
    }
    const call: NonNullable<History["call"]> = { at: now, end: undefined, isInterrupted: false }
    history.call = call
    return (isInterrupted: boolean) => {
      call.end = trace.now()
      call.isInterrupted = isInterrupted
    }
  }

  const end = Effect.fnUntraced(function* (transaction: Transaction, isRegistered: boolean) {
    const { history, kind, status, transactionId } = transaction
    const { accepted, commits } = historyOf(transactionId)
    const row = yield* getRow(kind.startsWith("apm") ? "apm" : "card", transactionId)
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
    const standing = Evidence.standing(row.evidence, row.read?.status)
    if (Evidence.news(standing, row.told) !== undefined)
      trace.violation(
        "S7",
        `the evidence of ${name} says ${standing.status}, and ${row.told} was told`
      )
    if (row.deadLetter !== undefined)
      trace.violation("S1", `${name} is still a dead letter: ${row.deadLetter.reason}`)

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
    if (kind !== "refund" && (status === "SUCCEED" || status === "REFUNDED") && !wentBack) {
      const lastRead = client.reads(transactionId).at(-1) ?? 0
      if (lastRead < trace.now() - 15 * day)
        trace.violation("P2", `${name} is ${status}, and was not read in the last 15 days`)
    }
    yield* checkQuiet(transaction)
  })

  /** Checks a transaction of the quiet time more strictly. */
  const checkQuiet = (transaction: Transaction) =>
    Effect.sync(() => {
      const { createdTime, history, transactionId } = transaction
      if (Date.parse(createdTime) < quietAt) return
      const { accepted, commits } = historyOf(transactionId)
      const reads = client.reads(transactionId)
      for (const { at, status } of history) {
        const acceptedAt = accepted.get(status)?.find((each) => each >= Date.parse(at))
        if (acceptedAt === undefined || !isTerminal(status)) continue
        if (history.findLast((each) => Date.parse(each.at) <= acceptedAt)?.status !== status)
          continue
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
      // Without a callback only the poll ladder finds the changes of a transaction.
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
    })

  return {
    delivered,
    called: (transition) => {
      checkTransition("the call for", transition)
      return checkTurn(transition)
    },
    committed: (transition) => {
      told++
      checkTransition("the effect of", transition)
      historyOf(transition.transactionId).commits.push({ at: trace.now(), transition })
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

/** Tells whether a status may follow: ranks rise; an equal rank is allowed for CUSTOMER_VERIFICATION and another terminal status. */
const mayFollow = (last: Status, next: Status): boolean =>
  rank(next) > rank(last) ||
  (rank(next) === rank(last) &&
    next !== last &&
    (isTerminal(next) || next === "CUSTOMER_VERIFICATION"))
