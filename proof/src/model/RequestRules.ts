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

const none: Scope = { isLimited: false, refuses: true, faults: 0 }
const one: Scope = { ...none, faults: 1 }
const two: Scope = { ...none, faults: 2 }

const broken = (breaks: string, scope: Scope, name: string, change: Partial<Rules>) => ({
  breaks,
  scope,
  name,
  change
})

const certain = <A extends RequestRow>(row: A): A =>
  row.lease === undefined ? row : { ...row, lease: { ...row.lease, inDoubt: false } }

export const mutants = [
  broken(law.once, one, "a request in doubt is sent again under a new requestId", {
    keepsRequestId: false
  }),
  broken(
    law.once,
    one,
    "a request in doubt is sent again after the service may have forgotten it",
    {
      begin: (row, id, at) => RequestRule.begin(row, id, at, Infinity),
      isPastWindow: () => false,
      sentUntil: () => Infinity
    }
  ),
  broken(
    law.once,
    one,
    "a redrive sends a request again that is in doubt for longer than the window",
    {
      redrive: (row, options) => {
        const redriven = RequestRule.redrive(row, { ...options, window: Infinity })
        return redriven && { ...redriven, begunAt: redriven.begunAt && options.at }
      }
    }
  ),
  broken(law.cancelled, none, "a redrive opens a request that is settled", {
    redrive: (row, options) =>
      RequestRule.redrive({ ...row, parked: { reason: "window", at: 0 } }, options)
  }),
  broken(law.cancelled, one, "a change is written over another one that it did not see", {
    comparesVersions: false
  }),
  broken(law.cancelled, none, "a cancellation does not look whether the request is sent", {
    cancel: (row, at) => RequestRule.cancel({ ...row, begunAt: undefined }, at)
  }),
  broken(law.none, two, "a lease forgets that the request was in doubt before it", {
    lease: (row, lease) => certain(RequestRule.lease(row, lease))
  }),
  broken(law.none, two, "a refusal settles a request without its lease", {
    settle: (row, settlement) => {
      const { lease: id = 0 } = settlement
      return RequestRule.settle({ ...row, lease: { id, until: 0, inDoubt: false } }, settlement)
    }
  }),
  broken(law.kept, none, "a callback settles a request that is answered", {
    find: (row, found) => RequestRule.find({ ...row, outcome: undefined }, found)
  }),
  broken(law.alone, none, "a request is sent beside an attempt that runs", {
    isClaimable: ({ outcome }) => outcome === undefined
  }),
  broken(law.none, { ...one, isLimited: true }, "a request in doubt expires", {
    isExpired: (row, at, window) =>
      RequestRule.isExpired({ ...row, begunAt: undefined }, at, window),
    settle: (row, settlement) => RequestRule.settle(certain(row), settlement)
  }),
  broken(law.registered, none, "the outcome is written before the transaction is registered", {
    registersFirst: false
  }),
  broken(law.due, one, "an attempt that failed leaves the request without a time", {
    release: (...of) => {
      const released = RequestRule.release(...of)
      return released && { ...released, dueAt: undefined }
    }
  }),
  broken(law.cancelled, one, "a process begins without the lease", {
    begin: (row, id, at, window) =>
      RequestRule.begin({ ...row, lease: { id, until: 0, inDoubt: true } }, id, at, window)
  }),
  broken(
    law.goal,
    none,
    "nothing ends the wait for a request that is in doubt for longer than the window",
    {
      park: () => undefined
    }
  )
]
