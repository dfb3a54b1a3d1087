/**
 * The facts of a transaction: each thing that happened to it, kept beside its row in the order in which they happened.
 *
 * A ledger writes a fact together with the change that it tells of, so the facts and the row never differ. A fact is
 * never changed or removed. A repeat, such as another read with the same result, raises the counter of its first fact.
 *
 * The facts of callbacks are not written at all: a ledger counts the callbacks of each status anyway. So a captured
 * callback that is sent a million times adds nothing.
 *
 * A row has at most `maxFacts` facts beside those of its callbacks. Events beyond them are counted in one fact, `more`.
 *
 * A worker begins to write facts with version 7 of the tables. A row that is older has an incomplete story.
 */
import type { Evidence } from "@pawl/core/Evidence"
import type { Kind } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import type { DeadLetter } from "./Row.ts"

/** The most facts of a row, without those of its callbacks. */
export const maxFacts = 64

/**
 * Something that happened to a transaction.
 *
 * - `registered`: the merchant registered the operation, with the status in the response to its create.
 * - `accepted`: a callback that claims a status was stored.
 * - `asked`: the service was asked for the status. `result` is the status that it stated, `404` if no endpoint knows
 *   the id, `replay` if the id is that of a transaction of the other method, or `no answer`.
 * - `called`: a call of the handler was begun. `evidence` and `read` are those by which its status was decided.
 * - `told`: the handler accepted the status. `failed`: a call of it failed.
 * - `parked`: the row became a dead letter. For `unknown-transaction` this fact stands for the last read, too.
 * - `redriven`: a person redrove it.
 * - `more`: something that is not told, because the row has `maxFacts` facts.
 */
export type Fact =
  | { readonly fact: "registered"; readonly kind: Kind; readonly status: Status | undefined }
  | { readonly fact: "accepted"; readonly status: Status }
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
 * The person who does something, and the reason. Each is text without control characters: `by` has at most 32 bytes, and
 * `why` at most 64.
 */
export interface Note {
  readonly by?: string | undefined
  readonly why?: string | undefined
}

/**
 * A fact that happens now, with its time in milliseconds since the epoch. The same fact at the time of its last repeat
 * is the same event, so a write that is made again adds none.
 */
export type Event = Fact & { readonly at: number }

/**
 * A fact as it is kept.
 *
 * - `at`, `lastAt`: when it happened for the first and the last time. `lastAt` is undefined when it is not known any
 *   more, because the bodies of callbacks were deleted.
 * - `count`: how often it happened.
 * - `number`: its place among the events of the row, counted from 1; that of the last repeat. 0 for callbacks, which
 *   have no number.
 * - `from`: the kind of the row that it happened to, if that row was joined to this one.
 */
export type Kept = Event & {
  readonly lastAt: number | undefined
  readonly count: number
  readonly number: number
  readonly from: Kind | undefined
}

/** The facts of a row without its callbacks, and the number of its events. */
export interface Facts {
  readonly number: number
  readonly kept: ReadonlyArray<Kept>
}

export const none: Facts = { number: 0, kept: [] }

/** Makes the fact of a read. A status that the specification does not list is `unlisted` if it is not a short word. */
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

/** Returns the name of a fact. A fact with the same name is a repeat. */
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

/** Adds an event to the facts of a row: as a new fact, or as a repeat. */
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

/** Adds the facts of a row that is joined to another one. */
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
