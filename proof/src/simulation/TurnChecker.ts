/**
 * Checks when the handler is called: turns, waits after failed calls, and that a slow call or a
 * wrong clock delays no other transaction (S11 to S14).
 */
import type { Transition } from "@pawl/core/Handler"
import { getOrMake } from "../GetOrMake.ts"
import type { Fault, Plan, Process } from "./Plan.ts"
import type { Trace } from "./Trace.ts"

export type CallEnd = "accepted" | "failed" | "interrupted"

interface Call {
  readonly at: number
  readonly receiver: Process
  readonly attempt: number
  end: { readonly at: number; readonly as: CallEnd } | undefined
}

/** Turns of a transaction; `failingSince`: the first failure in a row. */
interface Turns {
  call?: Call
  readonly reads: Array<{ readonly from: number; to: number }>
  dueAt?: number | undefined
  failingSince?: number | undefined
}

const second = 1000
const hour = 3600 * second

/** The lease, and what is at least left of it at an interruption, in milliseconds. */
const leaseTime = 30 * second
const leastRest = 3 * second
/** The longest time from a callback to its first call. */
const maxTellDelay = second
/** The longest lateness of a repeated call: a read may precede it. */
const maxRetryDelay = 5 * second
const leastParkTime = 23 * hour

const backoff = (attempt: number): number => Math.min(second * 2 ** (attempt - 1), 300 * second)

export const make = (trace: Trace, { faults: drawn, outages = [], quietAt, skews }: Plan) => {
  const faults: ReadonlyArray<Fault> = [
    ...drawn,
    ...outages.map((each) => ({
      ...each,
      target: "receiver 1" as const,
      kind: "crash" as const,
      jump: 0
    }))
  ]
  const turns = new Map<string, Turns>()
  const turnsOf = (id: string) => getOrMake(turns, id, () => ({ reads: [] }))
  const skew = Math.abs(skews["receiver 1"] - skews["receiver 2"])

  const disturbing = (from: number, to: number, disturbs: (fault: Fault) => boolean) =>
    faults.filter(
      (fault) =>
        disturbs(fault) &&
        fault.at < to &&
        from - 2 * leaseTime < fault.at + fault.duration + leaseTime
    )
  const isDisturbed = (...fault: Parameters<typeof disturbing>) => disturbing(...fault).length > 0
  const isJump = ({ kind, target }: Fault) => kind === "jump" && target !== "client"
  const endsLeases = (fault: Fault) => isJump(fault) || fault.target === "store"
  const stops = ({ kind, target }: Fault) =>
    target === "store" ||
    (target.startsWith("receiver") && (kind === "crash" || kind === "restart"))
  const delaysReads = (fault: Fault) =>
    stops(fault) || (fault.target.startsWith("receiver") && !isJump(fault))
  const disturbsRetries = (fault: Fault) => stops(fault) || isJump(fault)

  const checkTurn = (name: string, last: Call, now: number) => {
    if (isDisturbed(last.at, now, endsLeases)) return
    if (last.end === undefined) trace.violation("S11", `${name} began during another call`)
    else if (last.end.as === "interrupted" && now < last.end.at + leastRest)
      trace.violation(
        "S11",
        `${name} began at ${now}, and the lease of a call that was interrupted at ${last.end.at} had not run out`
      )
  }

  /**
   * The wait after a failed call is not cut short (S13), and a clock that is set at most doubles it
   * (S12).
   */
  const checkWait = (
    name: string,
    receiver: Process,
    last: Call,
    { at, as }: NonNullable<Call["end"]>,
    failingSince: number
  ) => {
    const now = trace.now()
    if (as !== "failed" || now >= quietAt) return
    const wait = backoff(last.attempt)
    const message = `${name} began ${now - at} ms after a failure, and not after ${wait} ms`
    const error = receiver === last.receiver ? 0 : skew
    if (now < at + wait - error && !isDisturbed(last.at, now, disturbsRetries))
      trace.violation("S13", message)
    // Each jump sets a clock back once.
    const jumps = disturbing(last.at, now, isJump).length
    const isLate = now > at + wait + jumps * Math.max(wait, leaseTime) + maxRetryDelay
    if (isLate && at - failingSince < leastParkTime && !isDisturbed(last.at, now, delaysReads))
      trace.violation("S12", message)
  }

  /** Only a read in flight may delay the first call for a status, and no wrong clock (S12, S14). */
  const checkDelay = (name: string, { dueAt: storedAt, reads }: Turns) => {
    const now = trace.now()
    if (storedAt === undefined) return
    const inFlight = reads.filter(({ from, to }) => from <= storedAt && storedAt <= to)
    const dueAt = Math.max(storedAt, ...inFlight.map(({ to }) => to))
    if (now <= dueAt + maxTellDelay || isDisturbed(dueAt, now, stops)) return
    const hasJumped = isDisturbed(dueAt, now, isJump)
    // A clock that is ahead makes a read of the poll ladder due.
    if (hasJumped && isDisturbed(dueAt, now, delaysReads)) return
    trace.violation(
      hasJumped ? "S12" : "S14",
      `${name} began ${now - dueAt} ms after ${dueAt === storedAt ? "its callback" : "a read"}`
    )
  }

  return {
    /** A stored callback needs no read. */
    due: (id: string) => {
      turnsOf(id).dueAt ??= trace.now()
    },
    /** A stored callback needs a read first. */
    overtaken: (id: string) => {
      const turn = turnsOf(id)
      if (turn.dueAt !== undefined && trace.now() <= turn.dueAt + maxTellDelay) {
        turn.dueAt = undefined
      }
    },
    reading: (id: string) => {
      const read = { from: trace.now(), to: Infinity }
      turnsOf(id).reads.push(read)
      return () => {
        read.to = trace.now()
      }
    },
    isCalled: (id: string) => {
      const { call } = turnsOf(id)
      return call !== undefined && call.end === undefined
    },
    called: (receiver: Process, { attempt, to, transactionId }: Transition) => {
      const turn = turnsOf(transactionId)
      const now = trace.now()
      const name = `the call for ${to} of ${transactionId}`
      const { call: last, failingSince = now } = turn
      if (last !== undefined) checkTurn(name, last, now)
      if (last?.end !== undefined) checkWait(name, receiver, last, last.end, failingSince)
      checkDelay(name, turn)
      turn.dueAt = undefined
      const call: Call = { at: now, receiver, attempt, end: undefined }
      turn.call = call
      return (as: CallEnd) => {
        call.end = { at: trace.now(), as }
        if (turn.call !== call) return
        turn.failingSince = as === "accepted" ? undefined : (turn.failingSince ?? trace.now())
      }
    },
    end: (id: string) => checkDelay(`no call for ${id}`, turnsOf(id))
  }
}
