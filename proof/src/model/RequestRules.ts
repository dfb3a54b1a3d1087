/** The rules of a durable request, and the mutants that the check must find. */
import type { RequestRow } from "@pawl/webhook/internal/rule/RequestRow"
import * as RequestRule from "@pawl/webhook/internal/rule/RequestRule"

/** The settings of a check; `refuses`: something before the service may refuse any attempt. */
export interface Scope {
  readonly isLimited: boolean
  readonly refuses: boolean
  readonly faults: number
}

export const scopes: ReadonlyArray<Scope> = [
  { isLimited: false, refuses: true, faults: 1 },
  { isLimited: true, refuses: true, faults: 1 },
  { isLimited: false, refuses: false, faults: 2 }
]

export const law = {
  once: "a request has at most one effect",
  none: "a request that is settled as not sent or refused has no effect",
  kept: "a stored answer stays",
  cancelled: "a cancelled request is not sent",
  registered: "the transaction of a stored answer is registered",
  alone: "one attempt at a time",
  due: "an open request is due",
  goal: "every request is settled, or left to a person"
} as const

export const rules = {
  ...RequestRule,
  comparesVersions: true as boolean,
  keepsRequestId: true as boolean,
  registersFirst: true as boolean
}
export type Rules = typeof rules

/** A broken model, with changed rules. */
interface Mutant extends Partial<Rules> {
  readonly breaks: string
  readonly scope: Scope
}

const faults = (count: number): Scope => ({ isLimited: false, refuses: true, faults: count })

const certain = <A extends RequestRow>(row: A): A =>
  row.lease === undefined ? row : { ...row, lease: { ...row.lease, inDoubt: false } }

export const mutants: Readonly<Record<string, Mutant>> = {
  "a request in doubt is sent again under a new requestId": {
    breaks: law.once,
    scope: faults(1),
    keepsRequestId: false
  },
  "a request in doubt is sent again after the service may have forgotten it": {
    breaks: law.once,
    scope: faults(1),
    begin: (row, id, at) => RequestRule.begin(row, id, at, Infinity),
    isPastWindow: () => false,
    sentUntil: () => Infinity
  },
  "a redrive sends a request again that is in doubt for longer than the window": {
    breaks: law.once,
    scope: faults(1),
    redrive: (row, options) => {
      const redriven = RequestRule.redrive(row, { ...options, window: Infinity })
      return redriven && { ...redriven, begunAt: redriven.begunAt && options.at }
    }
  },
  "a redrive opens a request that is settled": {
    breaks: law.cancelled,
    scope: faults(0),
    redrive: (row, options) =>
      RequestRule.redrive({ ...row, parked: { reason: "window", at: 0 } }, options)
  },
  "a change is written over another one that it did not see": {
    breaks: law.cancelled,
    scope: faults(1),
    comparesVersions: false
  },
  "a cancellation does not look whether the request is sent": {
    breaks: law.cancelled,
    scope: faults(0),
    cancel: (row, at) => RequestRule.cancel({ ...row, begunAt: undefined }, at)
  },
  "a lease forgets that the request was in doubt before it": {
    breaks: law.none,
    scope: faults(2),
    lease: (row, lease) => certain(RequestRule.lease(row, lease))
  },
  "a refusal settles a request without its lease": {
    breaks: law.none,
    scope: faults(2),
    settle: (row, settlement) => {
      const { lease: id = 0 } = settlement
      return RequestRule.settle({ ...row, lease: { id, until: 0, inDoubt: false } }, settlement)
    }
  },
  "a callback settles a request that is answered": {
    breaks: law.kept,
    scope: faults(0),
    find: (row, found) => RequestRule.find({ ...row, outcome: undefined }, found)
  },
  "a request is sent beside an attempt that runs": {
    breaks: law.alone,
    scope: faults(0),
    isClaimable: ({ outcome }) => outcome === undefined
  },
  "a request in doubt expires": {
    breaks: law.none,
    scope: { ...faults(1), isLimited: true },
    isExpired: (row, at, window) =>
      RequestRule.isExpired({ ...row, begunAt: undefined }, at, window),
    settle: (row, settlement) => RequestRule.settle(certain(row), settlement)
  },
  "the outcome is written before the transaction is registered": {
    breaks: law.registered,
    scope: faults(0),
    registersFirst: false
  },
  "an attempt that failed leaves the request without a time": {
    breaks: law.due,
    scope: faults(1),
    release: (...of) => {
      const released = RequestRule.release(...of)
      return released && { ...released, dueAt: undefined }
    }
  },
  "a process begins without the lease": {
    breaks: law.cancelled,
    scope: faults(1),
    begin: (row, id, at, window) =>
      RequestRule.begin({ ...row, lease: { id, until: 0, inDoubt: true } }, id, at, window)
  },
  "nothing ends the wait for a request that is in doubt for longer than the window": {
    breaks: law.goal,
    scope: faults(0),
    park: () => undefined
  }
}
