/** The rules of a durable request, and the mutants that the check must find. */
import type { RequestRow } from "@pawl/webhook/internal/rule/RequestRow"
import * as RequestRule from "@pawl/webhook/internal/rule/RequestRule"
import type { Mutants } from "./Checker.ts"

/** The settings of a check; `refuses`: something before the service may refuse any attempt. */
export interface Scope {
  readonly isLimited: boolean
  readonly refuses: boolean
  readonly faults: number
}

const none: Scope = { isLimited: false, refuses: true, faults: 0 }
const one: Scope = { ...none, faults: 1 }
const two: Scope = { ...none, faults: 2 }
const limited: Scope = { ...one, isLimited: true }

export const scopes: ReadonlyArray<Scope> = [one, limited, { ...two, refuses: false }]

/** The functions of the package, and the rule of the model that does not hold. */
export type Rules = typeof RequestRule & {
  readonly without?: "comparesVersions" | "keepsRequestId" | "registersFirst" | "writesFirst"
}

const certain = <A extends RequestRow>(row: A): A =>
  row.lease === undefined ? row : { ...row, lease: { ...row.lease, inDoubt: false } }

const leasedTo = (row: RequestRow, id = 0, inDoubt = true): RequestRow => ({
  ...row,
  lease: { id, until: 0, inDoubt }
})

const notBegun = (row: RequestRow): RequestRow => ({ ...row, begunAt: undefined })

const mutant = (...of: Mutants<Scope, Partial<Rules>>[string]) => of

export const mutants = {
  "a request in doubt gets a new requestId": mutant("once", one, { without: "keepsRequestId" }),
  "a request is sent before it is written down": mutant("alone", none, { without: "writesFirst" }),
  "a request in doubt is sent again after the service may have forgotten it": mutant("once", one, {
    begin: (row, id, at) => RequestRule.begin(row, id, at, Infinity),
    isPastWindow: () => false,
    sentUntil: () => Infinity
  }),
  "a redrive sends a request again after the window": mutant("once", one, {
    redrive: (row, options) => {
      const after = RequestRule.redrive(row, { ...options, window: Infinity })
      return after?.begunAt === undefined ? after : { ...after, begunAt: options.at }
    }
  }),
  "a redrive opens a request that is settled": mutant("cancelled", none, {
    redrive: (row, options) =>
      RequestRule.redrive({ ...row, parked: { reason: "window", at: 0 } }, options)
  }),
  "a change is written over an unseen one": mutant("cancelled", one, {
    without: "comparesVersions"
  }),
  "a cancellation does not look whether the request is sent": mutant("cancelled", none, {
    cancel: (row, at) => RequestRule.cancel(notBegun(row), at)
  }),
  "a lease forgets that the request was in doubt before it": mutant("noEffect", two, {
    lease: (row, lease) => certain(RequestRule.lease(row, lease))
  }),
  "a refusal settles a request without its lease": mutant("noEffect", two, {
    settle: (row, of) => RequestRule.settle(leasedTo(row, of.lease, false), of)
  }),
  "a callback settles a request that is answered": mutant("kept", none, {
    find: (row, found) => RequestRule.find({ ...row, outcome: undefined }, found)
  }),
  "a request is sent beside an attempt that runs": mutant("alone", none, {
    isClaimable: ({ outcome }) => outcome === undefined
  }),
  "a request in doubt expires": mutant("noEffect", limited, {
    isExpired: (row, at, window) => RequestRule.isExpired(notBegun(row), at, window),
    settle: (row, settlement) => RequestRule.settle(certain(row), settlement)
  }),
  "an outcome precedes its registration": mutant("registered", none, { without: "registersFirst" }),
  "an attempt that failed leaves the request without a time": mutant("due", one, {
    release: (...of) => {
      const released = RequestRule.release(...of)
      return released && { ...released, dueAt: undefined }
    }
  }),
  "a process begins without the lease": mutant("cancelled", one, {
    begin: (row, id, at, window) => RequestRule.begin(leasedTo(row, id), id, at, window)
  }),
  "a request is in doubt after the window and not parked": mutant("goal", none, {
    park: () => undefined
  })
}
