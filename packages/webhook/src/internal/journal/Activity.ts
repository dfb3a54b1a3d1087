/** The latest activity of a process. */
import * as Effect from "effect/Effect"
import type { Entry, Failure, Journal, Subject } from "../../Journal.ts"

/**
 * The kinds of events.
 *
 * - `acceptedCurrent`, `acceptedPrevious`: stored callbacks, by the secret that signed them.
 * - `refused`: callbacks with a wrong checksum. `notStored`: callbacks that the ledger could not
 *   store.
 * - `answered`, `silent`: reads with and without an answer.
 * - `denied`: reads with refused credentials, which are `silent` too.
 * - `told`, `handlerFailed`: calls of the handler.
 */
export const names = [
  "acceptedCurrent",
  "acceptedPrevious",
  "refused",
  "notStored",
  "answered",
  "silent",
  "denied",
  "told",
  "handlerFailed"
] as const

export type Name = (typeof names)[number]

/** An event that a person must look at; times are milliseconds since the epoch. */
export interface Alarm {
  readonly reason: string
  readonly count: number
  readonly at: number
  readonly method?: string | undefined
  readonly transactionId?: string | undefined
}

export interface Failing {
  readonly method: string
  readonly transactionId: string
  readonly to: string
  readonly attempts: number
  readonly at: number
}

/**
 * The activity since the start. `notStored` is the last failure to store a callback, once callbacks
 * of two transactions failed after the last stored one, or the store refuses all. Alarms, failing
 * and `recent` transactions come newest first, the `minutes` of the last hour oldest first.
 */
export interface Latest {
  readonly events: Readonly<
    Record<Name, { readonly count: number; readonly at: number | undefined }>
  >
  readonly notStored: { readonly cause: string; readonly at: number } | undefined
  /** Whether the service accepted the credentials of the last read that it answered. */
  readonly credentials: "accepted" | "refused" | "unknown"
  readonly alarms: ReadonlyArray<Alarm>
  readonly failing: ReadonlyArray<Failing>
  readonly recent: ReadonlyArray<Subject>
  readonly minutes: ReadonlyArray<Minute>
}

export interface Minute {
  readonly at: number
  readonly counts: Readonly<Partial<Record<Name, number>>>
}

export const minute = 60_000
/** Only minutes with an event count. */
const hour = 60

const capacity = 50

export const observe = (journal: Journal["Service"]): Effect.Effect<Latest> => {
  const events = Object.fromEntries(
    names.map((name) => [name, { count: 0, at: undefined as number | undefined }])
  ) as Record<Name, { count: number; at: number | undefined }>
  const alarms = new Map<string, Alarm>()
  const failing = new Map<string, Failing>()
  const recent = new Map<string, Subject>()
  const minutes: Array<{ at: number; counts: Partial<Record<Name, number>> }> = []
  const failed = new Set<string>()
  let notStored: Latest["notStored"]
  let credentials: Latest["credentials"] = "unknown"
  const fail = ({ cause, isOfStore, transaction }: Failure, at: number) => {
    if (failed.size < 2) failed.add(transaction)
    if (isOfStore || failed.size > 1) notStored = { cause, at }
  }
  const count = (name: Name, at: number) => {
    events[name].count++
    events[name].at = at
    const begin = at - (at % minute)
    let last = minutes.at(-1)
    if (last === undefined || last.at < begin) {
      last = { at: begin, counts: {} }
      minutes.push(last)
      if (minutes.length > hour) minutes.shift()
    }
    last.counts[name] = (last.counts[name] ?? 0) + 1
  }
  const raise = (reason: string, { at, method, transactionId }: Entry) => {
    const count = (alarms.get(reason)?.count ?? 0) + 1
    setLast(alarms, reason, { reason, count, at, method, transactionId })
  }
  journal.observe((event) => {
    if ("transactionId" in event) {
      const { method, transactionId } = event
      if (method !== undefined && transactionId !== undefined) {
        setLast(recent, keyOf(event), { method, transactionId })
      }
    }
    switch (event._tag) {
      // The receiver notes accepted callbacks by their secrets.
      case "Accepted":
        return undefined
      case "Read":
        if (event.result === "no answer") return count("silent", event.at)
        credentials = "accepted"
        return count("answered", event.at)
      case "Told":
        failing.delete(keyOf(event))
        return count("told", event.at)
      case "HandlerFailed": {
        const { at, attempt: attempts, method = "", to, transactionId = "" } = event
        setLast(failing, keyOf(event), { method, transactionId, to, attempts, at })
        return count("handlerFailed", at)
      }
      case "DeadLettered":
        failing.delete(keyOf(event))
        return raise(`a dead letter: ${event.reason}`, event)
      case "Quarantined":
        return raise(`a callback in quarantine: ${event.field}`, event)
      case "Alarm":
        return raise(event.reason, event)
      case "acceptedCurrent":
      case "acceptedPrevious":
        failed.clear()
        notStored = undefined
        return count(event._tag, event.at)
      case "notStored":
        if (event.failure !== undefined) fail(event.failure, event.at)
        return count(event._tag, event.at)
      case "denied":
        credentials = "refused"
        return count(event._tag, event.at)
      case "refused":
        return count(event._tag, event.at)
    }
  })
  return Effect.sync(() => ({
    events: structuredClone(events),
    notStored,
    credentials,
    alarms: [...alarms.values()].toReversed(),
    failing: [...failing.values()].toReversed(),
    recent: [...recent.values()].toReversed(),
    minutes: structuredClone(minutes)
  }))
}

const keyOf = ({ method, transactionId }: Entry): string => `${method}/${transactionId}`

const setLast = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
  map.delete(key)
  map.set(key, value)
  for (const first of map.keys()) {
    if (map.size <= capacity) break
    map.delete(first)
  }
}
