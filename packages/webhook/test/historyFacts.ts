/**
 * The facts of a history of one transaction id, in plain code.
 *
 * Every fact is a question to the events of a row; nothing changes a row step by step as `RowRule`
 * does. Time is in milliseconds.
 */
import { type Status, statuses } from "@pawl/core/Status"
import type { Lane } from "../src/internal/rule/Row.ts"

export type Kind = "card" | "card-payment" | "refund"
export type Reason = "unknown-transaction" | "amount-mismatch"

export type Step = { readonly at: number } & (
  | {
      readonly type: "accept"
      readonly kind: Kind
      readonly status: Status
      readonly ordered: string | undefined
    }
  | {
      readonly type: "register"
      readonly kind: "card-payment" | "refund"
      readonly status: Status | undefined
      readonly ordered: string | undefined
    }
  | { readonly type: "claim"; readonly until: number }
  | {
      readonly type: "write"
      readonly with: "first lease" | "last lease"
      readonly confirmed?: Status
      readonly poll?: { readonly polls: number; readonly pollAt: number }
      readonly told?: Status
      readonly once?: boolean
      readonly found?: "refund"
      readonly parked?: Reason
      readonly until?: number
      readonly release?: { readonly dueAt: number | undefined }
    }
  | { readonly type: "redrive" }
  | { readonly type: "deleteBodies" }
)

type Event =
  | Extract<Step, { type: "accept" | "register" | "redrive" }>
  | (Extract<Step, { type: "write" }> & { readonly lease: number })
  | { readonly type: "lease"; readonly at: number; readonly id: number; readonly until: number }
  | { readonly type: "deleted"; readonly at: number; readonly status: Status }
  | { readonly type: "joined"; readonly at: number; readonly events: ReadonlyArray<Event> }

/** The events of one row in order. The first one made the row. */
interface Row {
  readonly scope: Kind
  readonly events: ReadonlyArray<Event>
}

interface Lease {
  readonly scope: Kind
  readonly kind: Kind
  readonly id: number
}

/** The rows that a history leaves, the kind of the shown row, and the result of the last step. */
export interface Facts {
  readonly rows: ReadonlyArray<object>
  readonly shown: Kind | undefined
  readonly result: unknown
}

/** The kinds of the rows to which an event of each named kind may belong, in order. */
const takes = {
  callback: {
    card: ["card-payment", "refund", "card"],
    "card-payment": ["card-payment", "card"],
    refund: ["refund"]
  },
  registration: { "card-payment": ["card-payment", "card"], refund: ["refund", "card"] }
} as const

const flat = (events: ReadonlyArray<Event>): ReadonlyArray<Event> =>
  events.flatMap((event) => (event.type === "joined" ? flat(event.events) : [event]))

const last = <A>(list: ReadonlyArray<A>): A | undefined => list.at(-1)

/** Remembers the result for each list of events: histories share their beginnings. */
export const remembered = <Value extends object, Result>(compute: (value: Value) => Result) => {
  const results = new WeakMap<Value, Result>()
  return (value: Value): Result => {
    const known = results.get(value)
    if (known !== undefined) return known
    const result = compute(value)
    results.set(value, result)
    return result
  }
}

const claims = remembered((events: ReadonlyArray<Event>): ReadonlyArray<Status> =>
  flat(events).flatMap((event) => (event.type === "accept" ? [event.status] : []))
)

const confirmations = (events: ReadonlyArray<Event>): ReadonlyArray<Status> =>
  flat(events).flatMap((event) =>
    event.type === "register" && event.status !== undefined
      ? [event.status]
      : event.type === "write" && event.confirmed !== undefined
        ? [event.confirmed]
        : []
  )

const withPast = remembered((events: ReadonlyArray<Event>) =>
  events.map((event, index) => ({ event, past: events.slice(0, index) }))
)

/** Returns accepts of a status no callback had claimed. */
const firstClaims = (events: ReadonlyArray<Event>) =>
  withPast(events).filter(
    ({ event, past }) => event.type === "accept" && !claims(past).includes(event.status)
  )

/** Returns accepts of a row without a confirmed status. */
const unconfirmedClaims = (events: ReadonlyArray<Event>) =>
  withPast(events).filter(
    ({ event, past }) => event.type === "accept" && !confirmations(past).includes(event.status)
  )

/** Returns the last claim without confirmation, of the row or a joined one. */
const unconfirmedAt = (events: ReadonlyArray<Event>): number | undefined => {
  const joined = events.flatMap((event) => (event.type === "joined" ? [event.events] : []))
  return [last(unconfirmedClaims(events))?.event.at, ...joined.map(unconfirmedAt)]
    .filter((at) => at !== undefined)
    .toSorted((one, two) => two - one)[0]
}

const newStatusAt = (events: ReadonlyArray<Event>): number | undefined =>
  last(firstClaims(events))?.event.at ?? events[0]?.at

const kindOf = remembered(({ events, scope }: Row): Kind =>
  events.reduce<Kind>((kind, event) => {
    if (event.type === "register") return event.kind
    if (event.type === "write") return event.found ?? kind
    return event.type === "accept" && kind === "card" ? event.kind : kind
  }, scope)
)

const leaseOf = (events: ReadonlyArray<Event>) => {
  const index = events.findLastIndex(({ type }) => type === "lease")
  const lease = events[index]
  const after = events.slice(index + 1)
  if (lease?.type !== "lease") return undefined
  if (after.some((event) => event.type === "write" && event.release !== undefined)) return undefined
  const renewals = after.flatMap((event) =>
    event.type === "write" && event.until !== undefined ? [event.until] : []
  )
  return {
    id: lease.id,
    until: last(renewals) ?? lease.until,
    claimed: claims(events.slice(0, index))
  }
}

/** Returns the times since the last lease at which work is due, and their lanes. */
const dues = remembered((events: ReadonlyArray<Event>) => {
  const since = events.findLastIndex(({ type }) => type === "lease")
  const first = new Set(firstClaims(events).map(({ event }) => event))
  const unconfirmed = new Set(unconfirmedClaims(events).map(({ event }) => event))
  const due = (at: number | undefined, lane: Lane) => (at === undefined ? [] : [{ at, lane }])
  return events.slice(since + 1).flatMap((event) => {
    if (event.type === "accept" && first.has(event)) {
      return due(event.at, event.status === "SUCCEED" ? "ask" : "tell")
    }
    if (event.type === "accept") return unconfirmed.has(event) ? due(event.at, "repeat") : []
    if (event.type === "write") return due(event.release?.dueAt, "repeat")
    if (event.type === "joined") return due(newStatusAt(event.events), "tell")
    if (event.type === "register") return due(event.at, "tell")
    return event.type === "redrive" ? due(event.at, "retry") : []
  })
})

const dueAt = (events: ReadonlyArray<Event>): number | undefined =>
  dues(events).length === 0 ? undefined : Math.min(...dues(events).map(({ at }) => at))

/** Returns the most urgent lane of the due work. */
const laneOf = (events: ReadonlyArray<Event>): Lane | undefined =>
  (["tell", "ask", "retry", "repeat"] as const).find((lane) =>
    dues(events).some((each) => each.lane === lane)
  )

const claimableAt = remembered(
  ({ events }: Row): number => leaseOf(events)?.until ?? dueAt(events) ?? Infinity
)

const deadLetter = (events: ReadonlyArray<Event>): Reason | undefined => {
  const parked = events.findLastIndex(
    (event) => event.type === "write" && event.parked !== undefined
  )
  const event = events[parked]
  if (event?.type !== "write") return undefined
  return events.slice(parked).some(({ type }) => type === "redrive") ? undefined : event.parked
}

/** Returns the redrives out of the dead letters. */
const redrives = (events: ReadonlyArray<Event>) =>
  withPast(events).flatMap(({ event, past }) => {
    const reason = deadLetter(past)
    return event.type === "redrive" && reason !== undefined ? [{ event, reason }] : []
  })

/** Returns the last of a new status, a write that was not overtaken, and a redrive. */
const ladder = (events: ReadonlyArray<Event>) => {
  const restarts = new Set(firstClaims(events).map(({ event }) => event))
  const reads = new Set<Event>(
    redrives(events).flatMap(({ event, reason }) =>
      reason === "unknown-transaction" ? [event] : []
    )
  )
  return withPast(events).reduce<{ polls: number; pollAt: number | undefined }>(
    (now, { event, past }) => {
      if (restarts.has(event)) return { polls: 0, pollAt: undefined }
      if (reads.has(event)) return { ...now, pollAt: event.at }
      if (event.type !== "write" || event.poll === undefined) return now
      const known = leaseOf(past)?.claimed ?? []
      return claims(past).every((status) => known.includes(status)) ? event.poll : now
    },
    { polls: 0, pollAt: undefined }
  )
}

const told = (events: ReadonlyArray<Event>): Status | undefined =>
  events.reduce<Status | undefined>((now, event) => {
    if (event.type === "write") return event.told ?? now
    return event.type === "joined" ? (now ?? told(event.events)) : now
  }, undefined)

const isTold = (events: ReadonlyArray<Event>, status: Status): boolean =>
  statuses.indexOf(status) <= statuses.indexOf(told(events) ?? "NEW") && told(events) !== undefined

const sequence = (events: ReadonlyArray<Event>): number =>
  flat(events).some((event) => event.type === "write" && event.told !== undefined) ? 1 : 0

const ordered = (events: ReadonlyArray<Event>): string | undefined => {
  const registered = events.flatMap((event) =>
    event.type === "register" && event.ordered !== undefined ? [event.ordered] : []
  )
  const others = events.flatMap((event) =>
    event.type === "accept"
      ? (event.ordered ?? [])
      : event.type === "joined"
        ? (ordered(event.events) ?? [])
        : []
  )
  return last(registered) ?? others[0]
}

/** Returns the time of the newest callback of each status. */
const bodies = (events: ReadonlyArray<Event>): Partial<Record<Status, number>> =>
  events.reduce<Partial<Record<Status, number>>>((now, event) => {
    if (event.type === "accept") return { ...now, [event.status]: event.at }
    if (event.type === "joined") return { ...bodies(event.events), ...now }
    if (event.type !== "deleted") return now
    return Object.fromEntries(Object.entries(now).filter(([status]) => status !== event.status))
  }, {})

/** Returns the time of the first callback of each status, and their number. */
const accepted = (events: ReadonlyArray<Event>) =>
  statuses.flatMap((status) => {
    const all = flat(events).filter((event) => event.type === "accept" && event.status === status)
    return all.length === 0 ? [] : [[status, all[0]?.at, all.length]]
  })

const inOrder = (list: ReadonlyArray<Status>) => statuses.filter((status) => list.includes(status))

const inOrderOfStatus = (times: Partial<Record<Status, number>>) =>
  statuses.flatMap((status) => (times[status] === undefined ? [] : [[status, times[status]]]))

const factsOf = remembered((row: Row) => {
  const { events, scope } = row
  return {
    scope,
    kind: kindOf(row),
    ordered: ordered(events) ?? null,
    claimed: inOrder(claims(events)),
    confirmed: inOrder(confirmations(events)),
    callbacks: claims(events).length,
    accepted: accepted(events),
    registered: flat(events).some(({ type }) => type === "register"),
    lane: laneOf(events) ?? null,
    createdAt: events[0]?.at,
    newStatusAt: newStatusAt(events),
    unconfirmedAt: unconfirmedAt(events) ?? null,
    polls: ladder(events).polls,
    pollAt: ladder(events).pollAt ?? null,
    told: told(events) ?? null,
    sequence: sequence(events),
    deadLetter: deadLetter(events) ?? null,
    isCleared: redrives(events).some(({ reason }) => reason === "amount-mismatch"),
    retryAt: last(redrives(events))?.event.at ?? events[0]?.at,
    bodies: inOrderOfStatus(bodies(events)),
    claimableAt: claimableAt(row) === Infinity ? null : claimableAt(row)
  }
})

export interface Past {
  readonly rows: ReadonlyArray<Row>
  readonly leases: ReadonlyArray<Lease>
}

export const nothing: Past = { rows: [], leases: [] }

const choose = (rows: ReadonlyArray<Row>, kinds: ReadonlyArray<Kind>) =>
  kinds.flatMap((kind) => rows.filter((row) => kindOf(row) === kind))[0]

const append = (rows: ReadonlyArray<Row>, to: Row, event: Event) =>
  rows.map((row) => (row === to ? { ...row, events: [...row.events, event] } : row))

const add = (
  rows: ReadonlyArray<Row>,
  kinds: ReadonlyArray<Kind>,
  event: Extract<Event, { type: "accept" | "register" }>
) => {
  const row = choose(rows, kinds)
  return row === undefined
    ? [...rows, { scope: event.kind, events: [event] }]
    : append(rows, row, event)
}

/** Sorts a step into events. Returns its result. */
export const after = (past: Past, step: Step): Past & { readonly result: unknown } => {
  const { leases, rows } = past
  switch (step.type) {
    case "accept": {
      const row = choose(rows, takes.callback[step.kind])
      const isNew = row === undefined || !claims(row.events).includes(step.status)
      return { leases, rows: add(rows, takes.callback[step.kind], step), result: isNew }
    }
    case "register":
      return { leases, rows: add(rows, takes.registration[step.kind], step), result: null }
    case "claim": {
      const due = rows
        .filter((row) => claimableAt(row) <= step.at)
        .toSorted((one, two) => claimableAt(one) - claimableAt(two))
        .map((row, index) => ({ row, id: leases.length + index + 1 }))
      const { at, until } = step
      return {
        leases: [
          ...leases,
          ...due.map(({ id, row }) => ({ scope: row.scope, kind: kindOf(row), id }))
        ],
        rows: due.reduce(
          (all, { id, row }) => append(all, row, { type: "lease", at, id, until }),
          rows
        ),
        result: due.map(({ row }) => row.scope)
      }
    }
    case "write": {
      const lease = leaseFor(past, step)
      const row = rows.find(({ scope }) => scope === lease?.scope)
      const isLost = row === undefined || leaseOf(row.events)?.id !== lease?.id
      if (lease === undefined || isLost) return { ...past, result: "not written" }
      if (step.once === true && sequence(row.events) > 0) return { ...past, result: "not written" }
      const written = append(rows, row, { ...step, lease: lease.id })
      const ours = written[rows.indexOf(row)]
      const target = rows.find((other) => other !== row && kindOf(other) === step.found)
      if (target === undefined || ours === undefined) {
        return { leases, rows: written, result: "written" }
      }
      const joined: Event = { type: "joined", at: step.at, events: ours.events }
      return {
        leases,
        rows: append(rows, target, joined).filter(({ scope }) => scope !== row.scope),
        result: "joined"
      }
    }
    case "redrive": {
      const dead = rows.filter(({ events }) => deadLetter(events) !== undefined)
      return {
        leases,
        rows: dead.reduce((all, row) => append(all, row, step), rows),
        result: dead.length > 0
      }
    }
    case "deleteBodies": {
      const old = rows
        .filter(({ events }) => deadLetter(events) === undefined)
        .flatMap((row) =>
          statuses
            .filter((status) => (bodies(row.events)[status] ?? Infinity) < step.at)
            .filter((status) => claimableAt(row) === Infinity || isTold(row.events, status))
            .map((status) => ({ row, status }))
        )[0]
      return old === undefined
        ? { ...past, result: 0 }
        : {
            leases,
            rows: append(rows, old.row, { type: "deleted", at: step.at, status: old.status }),
            result: 1
          }
    }
  }
}

export const leaseFor = ({ leases }: Past, step: Extract<Step, { type: "write" }>) => {
  const lease = step.with === "first lease" ? leases[0] : last(leases)
  return step.found !== undefined && lease?.kind !== "card" ? undefined : lease
}

export const facts = ({ rows }: Past, result: unknown): Facts => {
  const shown = choose(rows, takes.callback.card)
  return { rows: rows.map(factsOf), shown: shown?.scope, result }
}
