/** The facts of a history of one request. It knows nothing of `RequestRule`. */
import type { Outcome, RequestRow } from "../src/internal/rule/RequestRow.ts"

export const minute = 60_000
/** The time between two steps, the time of a lease, and the window. */
export const gap = 6 * minute
export const leaseTime = 10 * minute
export const window = 40 * minute

export type Step =
  | { readonly type: "send" }
  | { readonly type: "enqueue"; readonly expiresAt: number | undefined }
  | { readonly type: "claim" }
  | { readonly type: "begin"; readonly with: Which }
  | { readonly type: "renew"; readonly with: Which }
  | {
      readonly type: "release"
      readonly with: Which
      readonly refusal?: string
      readonly hadNoEffect?: boolean
    }
  | { readonly type: "settle"; readonly with: Which | "no lease"; readonly outcome: Outcome }
  | { readonly type: "cancel" }
  | { readonly type: "park"; readonly with: Which }
  | { readonly type: "redrive"; readonly hadNoEffect: boolean }
  | { readonly type: "restart" }

export type Which = "last" | "first"

/** A given lease. `wasSent`: the first byte may have left before it. */
interface Given {
  readonly id: number
  readonly wasSent: boolean
}

export interface Facts {
  readonly isWritten: boolean
  readonly given: ReadonlyArray<Given>
  readonly holder: Given | undefined
  readonly endsAt: number
  readonly dueAt: number | undefined
  /** The time since which the first byte may have left. */
  readonly sentAt: number | undefined
  readonly openSince: number
  readonly expiresAt: number | undefined
  readonly leases: number
  readonly refusals: ReadonlyArray<{ readonly reason: string; readonly at: number }>
  readonly isParked: boolean
  readonly outcome: Outcome | undefined
  /** Whether the body was deleted with an outcome. */
  readonly isBodyDeleted: boolean
}

export const nothing: Facts = {
  isWritten: false,
  given: [],
  holder: undefined,
  endsAt: 0,
  dueAt: undefined,
  sentAt: undefined,
  openSince: 0,
  expiresAt: undefined,
  leases: 0,
  refusals: [],
  isParked: false,
  outcome: undefined,
  isBodyDeleted: false
}

export const chosen = ({ given }: Facts, which: Which | "no lease"): Given | undefined =>
  which === "no lease" ? undefined : which === "last" ? given.at(-1) : given[0]

const isHeldBy = (facts: Facts, which: Which | "no lease"): boolean =>
  facts.holder !== undefined && facts.holder.id === chosen(facts, which)?.id

/** Whether the service may have forgotten the requestId. */
const isForgotten = ({ sentAt }: Facts, at: number) => sentAt !== undefined && at - sentAt >= window

const isOver = ({ expiresAt, openSince, sentAt }: Facts, at: number) =>
  sentAt === undefined && (at >= (expiresAt ?? Infinity) || at - openSince >= window)

export const isAccepted = (facts: Facts, step: Step, at: number): boolean => {
  const isOpen = facts.isWritten && facts.outcome === undefined
  switch (step.type) {
    case "send":
    case "enqueue":
      return !facts.isWritten
    case "claim":
      if (!isOpen || facts.isParked) return false
      return facts.holder === undefined ? (facts.dueAt ?? Infinity) <= at : facts.endsAt <= at
    case "begin":
      return isHeldBy(facts, step.with) && !isForgotten(facts, at) && !isOver(facts, at)
    case "renew":
    case "release":
    case "park":
      return isHeldBy(facts, step.with)
    case "settle":
      if (!facts.isWritten) return false
      // An outcome that proves an effect replaces one that says there was none.
      if (step.outcome._tag === "Answered") return facts.outcome?._tag !== "Answered"
      if (step.outcome._tag === "Found") {
        return facts.outcome?._tag !== "Answered" && facts.outcome?._tag !== "Found"
      }
      return isOpen && isHeldBy(facts, step.with) && facts.holder?.wasSent === false
    case "cancel":
      return isOpen && facts.sentAt === undefined
    case "redrive":
      return facts.outcome?._tag === "Found"
        ? step.hadNoEffect
        : facts.isParked && (step.hadNoEffect || !isForgotten(facts, at))
    case "restart":
      return facts.outcome === undefined
        ? isOpen && facts.sentAt === undefined && facts.holder === undefined
        : facts.outcome._tag === "NotSent" && facts.outcome.reason === "no-effect"
  }
}

/** Tells whether there are three refusals, the first of them ten minutes ago. */
const areMany = (refusals: Facts["refusals"], at: number): boolean =>
  refusals.length >= 3 && at - (refusals[0]?.at ?? at) >= 10 * minute

const settledAs = (facts: Facts, outcome: Outcome): Facts => ({
  ...facts,
  outcome,
  isBodyDeleted: facts.isBodyDeleted || outcome._tag !== "Found",
  holder: undefined,
  dueAt: undefined,
  isParked: false,
  sentAt: outcome._tag === "NotSent" ? undefined : facts.sentAt
})

/** Returns the facts after an accepted step, which may give the lease `leaseId`. */
export const after = (facts: Facts, step: Step, at: number, leaseId: number | undefined): Facts => {
  const give = (wasSent: boolean) => {
    const holder = { id: leaseId ?? -1, wasSent }
    return { holder, given: [...facts.given, holder], endsAt: at + leaseTime, dueAt: undefined }
  }
  switch (step.type) {
    case "send":
      return { ...facts, isWritten: true, openSince: at, sentAt: at, leases: 1, ...give(false) }
    case "enqueue":
      return { ...facts, isWritten: true, openSince: at, dueAt: at, expiresAt: step.expiresAt }
    case "claim":
      return { ...facts, leases: facts.leases + 1, ...give(facts.sentAt !== undefined) }
    case "begin":
      return { ...facts, sentAt: facts.sentAt ?? at }
    case "renew":
      return { ...facts, endsAt: at + leaseTime }
    case "release": {
      const { hadNoEffect, refusal: reason } = step
      const refusals = reason === undefined ? facts.refusals : [...facts.refusals, { reason, at }]
      const isParked = reason !== undefined && areMany(refusals, at)
      const isUnsent = hadNoEffect === true && facts.holder?.wasSent === false
      return {
        ...facts,
        holder: undefined,
        refusals,
        isParked,
        dueAt: isParked ? undefined : at + minute,
        sentAt: isUnsent ? undefined : facts.sentAt
      }
    }
    case "settle":
      return settledAs(facts, step.outcome)
    case "cancel":
      return settledAs(facts, { _tag: "NotSent", reason: "cancelled" })
    case "park":
      return { ...facts, holder: undefined, isParked: true }
    case "redrive":
      // Without its body a found request cannot be sent, so its caller has to send it.
      if (facts.outcome?._tag === "Found" && facts.isBodyDeleted) {
        return settledAs(facts, { _tag: "NotSent", reason: "no-effect" })
      }
      return {
        ...facts,
        isParked: false,
        outcome: undefined,
        dueAt: at,
        openSince: at,
        leases: 0,
        refusals: [],
        sentAt: step.hadNoEffect ? undefined : facts.sentAt
      }
    case "restart":
      if (at >= (facts.expiresAt ?? Infinity)) {
        return settledAs(facts, { _tag: "NotSent", reason: "expired" })
      }
      return {
        ...facts,
        outcome: undefined,
        isParked: false,
        isBodyDeleted: false,
        openSince: at,
        sentAt: at,
        leases: 1,
        refusals: [],
        ...give(false)
      }
  }
}

export const faultIn = (facts: Facts, row: RequestRow | undefined): string | undefined => {
  if (row === undefined) return facts.isWritten ? "a written request is kept" : undefined
  const { body, dueAt, lease, outcome, parked } = row
  const places = [dueAt, lease, parked, outcome].filter((place) => place !== undefined)
  if (places.length !== 1) return "a request is due, leased, parked or settled, and one of these"
  const isOutcome =
    outcome?._tag === facts.outcome?._tag &&
    (outcome?._tag !== "NotSent" ||
      facts.outcome?._tag !== "NotSent" ||
      outcome.reason === facts.outcome.reason)
  if (!isOutcome) return "the outcome is the one that was accepted"
  const isFound = outcome?._tag === "Found"
  if (outcome !== undefined && !isFound && body !== undefined) {
    return "a settled request has no body"
  }
  if ((outcome === undefined || isFound) && (body === undefined) !== facts.isBodyDeleted) {
    return "a request without an answer has its body"
  }
  if ((row.begunAt !== undefined) !== (facts.sentAt !== undefined)) {
    return "a request is in doubt from its first byte until its outcome"
  }
  if (row.begunAt !== undefined && row.begunAt !== facts.sentAt) {
    return "the window counts from the first byte"
  }
  if ((parked !== undefined) !== facts.isParked) return "what a person must decide is parked"
  if (lease?.id !== facts.holder?.id) return "one lease holds at a time"
  if (lease !== undefined && lease.inDoubt !== facts.holder?.wasSent) {
    return "doubt belongs to the requestId, not to the lease"
  }
  if (lease !== undefined && lease.until !== facts.endsAt) return "a lease ends when it says"
  if (dueAt !== facts.dueAt) return "a released request is due when planned"
  if (outcome === undefined && row.attempts !== facts.leases) return "each lease is counted"
  return row.digest === "digest" && row.createdAt === 0 ? undefined : "the digest and birth stay"
}
