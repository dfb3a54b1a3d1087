/**
 * The facts of a transaction: its events, in order.
 *
 * A fact is written with its change; a repeat raises its counter. The ledger counts callbacks by
 * status instead. Rows older than version 7 of the tables have an incomplete story.
 */
import type { Evidence } from "@pawl/core/Evidence"
import type { Kind } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import type { DeadLetter } from "./Row.ts"

/** The fact `more` counts further events. */
export const maxFacts = 64

export type Fact =
  /** `evidence` and `read` decided the status of the call. */
  | { readonly fact: "registered"; readonly kind: Kind; readonly status: Status | undefined }
  | { readonly fact: "accepted"; readonly status: Status }
  /**
   * Read whose `result` is the stated status, `404`, `replay` (of the other method) or `no answer`.
   */
  | { readonly fact: "asked"; readonly result: string; readonly kind: Kind | undefined }
  | {
      readonly fact: "called"
      readonly sequence: number
      readonly to: Status
      readonly evidence: Evidence
      readonly read: Status | undefined
    }
  | { readonly fact: "told" | "failed"; readonly sequence: number; readonly to: Status }
  | {
      readonly fact: "parked"
      readonly reason: DeadLetter["reason"]
      readonly to: Status | undefined
    }
  | ({ readonly fact: "redriven" } & Note)
  | { readonly fact: "more" }

/**
 * A person and a reason, without control characters: `by` has at most 32 bytes, `why` at most 64.
 */
export interface Note {
  readonly by?: string | undefined
  readonly why?: string | undefined
}

export type Event = Fact & { readonly at: number }

export type Kept = Event & {
  /**
   * The time of the fact or its last repeat; undefined once the bodies of the fact's callbacks were
   * deleted.
   */
  readonly lastAt: number | undefined
  readonly count: number
  /** The place of its last repeat among the row's events, from 1; 0 for callbacks. */
  readonly number: number
  /** The kind of the row that was joined. */
  readonly from: Kind | undefined
}

export interface Facts {
  readonly number: number
  readonly kept: ReadonlyArray<Kept>
}

export const none: Facts = { number: 0, kept: [] }

/** An undocumented status that is not a short word becomes `unlisted`. */
export const asked = (at: number, result: string, kind?: Kind): Event => ({
  fact: "asked",
  at,
  result: /^(?:[\w-]{1,24}|no answer)$/u.test(result) ? result : "unlisted",
  kind
})

export const parked = ({ at, reason, to }: DeadLetter): Event => ({
  fact: "parked",
  at,
  reason,
  to
})

export const nameOf = (event: Event): string => {
  switch (event.fact) {
    case "registered":
      return `registered ${event.kind} ${event.status ?? "-"}`
    case "accepted":
      return `accepted ${event.status}`
    case "asked":
      return `asked ${event.result.replace(" ", "-")} ${event.kind ?? "-"}`
    case "called":
    case "told":
    case "failed":
      return `${event.fact} ${event.sequence} ${event.to}`
    case "parked":
      return `parked ${event.reason} ${event.to ?? "-"}`
    case "redriven":
      return `redriven ${event.at}`
    case "more":
      return "more"
  }
}

export const add = ({ kept, number }: Facts, event: Event | undefined): Facts => {
  if (event === undefined) return { kept, number }
  const next = number + 1
  const isNamed = (name: string) => (each: Kept) => each.from === undefined && nameOf(each) === name
  const own = kept.filter(({ from }) => from === undefined)
  const isKnown = own.some(isNamed(nameOf(event)))
  const added: Event = isKnown || own.length < maxFacts ? event : { fact: "more", at: event.at }
  const index = kept.findIndex(isNamed(nameOf(added)))
  const first = kept[index]
  if (first === undefined) {
    const entry = { ...added, lastAt: added.at, count: 1, number: next, from: undefined }
    return { number: next, kept: [...kept, entry] }
  }
  const isAgain = first.lastAt !== added.at
  const repeated = {
    ...first,
    lastAt: added.at,
    count: first.count + (isAgain ? 1 : 0),
    number: next
  }
  return { number: next, kept: kept.with(index, repeated) }
}

export const join = ({ kept, number }: Facts, other: Facts, scope: Kind): Facts => {
  const joined = other.kept.map((each) => ({ ...each, from: each.from ?? scope }))
  const isNew = (each: Kept) =>
    kept.every((own) => own.from !== each.from || nameOf(own) !== nameOf(each))
  return { number, kept: [...kept, ...joined.filter(isNew)] }
}

export const redriven = (at: number, note?: Note): Event => ({
  fact: "redriven",
  at,
  by: note?.by,
  why: note?.why
})
