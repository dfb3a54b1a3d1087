/**
 * All stores share `RequestRule`. So the expected facts come from `requestFacts.ts`, which knows
 * nothing of it, and ten planted bugs show that each law is checked.
 */
import { describe, expect, it } from "vitest"
import type { NewRequest, RequestRow } from "../src/internal/rule/RequestRow.ts"
import * as RequestRule from "../src/internal/rule/RequestRule.ts"
import * as Facts from "./requestFacts.ts"

const original = { ...RequestRule }
type Rule = typeof original

const request: NewRequest = {
  requestId: "1",
  kind: "apm-payment",
  digest: "digest",
  hasCardData: false,
  body: "sealed"
}

const answered = { _tag: "Answered", text: "a" } as const
const refused = { _tag: "Refused", text: "r" } as const
const noEffect = { _tag: "NotSent", reason: "no-effect" } as const

const alphabet: ReadonlyArray<Facts.Step> = [
  { type: "send" },
  { type: "enqueue", expiresAt: 3 * Facts.gap },
  { type: "claim" },
  { type: "begin", with: "last" },
  { type: "begin", with: "first" },
  { type: "renew", with: "last" },
  { type: "release", with: "last" },
  { type: "release", with: "last", refusal: "404" },
  { type: "release", with: "last", hadNoEffect: true },
  { type: "release", with: "first", hadNoEffect: true },
  { type: "settle", with: "no lease", outcome: answered },
  { type: "settle", with: "no lease", outcome: { _tag: "Found" } },
  { type: "settle", with: "last", outcome: noEffect },
  { type: "settle", with: "first", outcome: refused },
  { type: "cancel" },
  { type: "park", with: "last" },
  { type: "redrive", hadNoEffect: false },
  { type: "redrive", hadNoEffect: true },
  { type: "restart" }
]

const enqueue: Facts.Step = { type: "enqueue", expiresAt: undefined }
const claim: Facts.Step = { type: "claim" }
const begin: Facts.Step = { type: "begin", with: "last" }
const refusal: Facts.Step = { type: "release", with: "last", refusal: "404" }
const otherRefusal: Facts.Step = { type: "release", with: "last", refusal: "400" }

/** Histories to states that few steps do not reach. */
const prefixes: ReadonlyArray<readonly [prefix: ReadonlyArray<Facts.Step>, length: number]> = [
  [[], 4],
  [[enqueue, claim, begin, refusal, claim, refusal], 2],
  [[enqueue, claim, begin, otherRefusal, claim, refusal, claim, refusal], 2],
  [[{ type: "send" }, claim, claim, { type: "park", with: "last" }], 3],
  [
    [{ type: "send" }, ...Array.from({ length: 4 }, () => claim), { type: "park", with: "last" }],
    3
  ],
  [[enqueue, claim, claim, claim, claim, begin], 2],
  [
    [
      { type: "enqueue", expiresAt: 4 * Facts.gap },
      claim,
      begin,
      { type: "settle", with: "last", outcome: noEffect }
    ],
    2
  ],
  [
    [
      { type: "enqueue", expiresAt: 5 * Facts.gap },
      claim,
      begin,
      { type: "settle", with: "last", outcome: noEffect },
      { type: "restart" }
    ],
    3
  ],
  [[enqueue, claim, begin, claim, { type: "release", with: "last", hadNoEffect: true }], 3]
]

interface State {
  readonly row: RequestRow | undefined
  readonly facts: Facts.Facts
}

const take = (
  rule: Rule,
  { facts, row }: State,
  step: Facts.Step,
  at: number,
  newId: number
): RequestRow | undefined => {
  const newLease = { id: newId, until: at + Facts.leaseTime }
  if (step.type === "send") return row === undefined ? rule.write(request, at, newLease) : undefined
  if (step.type === "enqueue") {
    const { expiresAt } = step
    return row === undefined ? rule.write({ ...request, expiresAt }, at) : undefined
  }
  if (row === undefined) return undefined
  const id = "with" in step ? (Facts.chosen(facts, step.with)?.id ?? -1) : -1
  switch (step.type) {
    case "claim":
      return rule.isClaimable(row, at) ? rule.lease(row, newLease) : undefined
    case "begin":
      return rule.begin(row, id, at, Facts.window)
    case "renew":
      return rule.renew(row, id, at + Facts.leaseTime)
    case "release":
      return rule.release(row, id, { at, dueAt: at + Facts.minute, ...step })
    case "settle":
      return rule.settle(row, { outcome: step.outcome, at, lease: id === -1 ? undefined : id })
    case "cancel":
      return rule.cancel(row, at)
    case "park":
      return rule.park(row, id, "no-key", at)
    case "redrive":
      return rule.redrive(row, { at, window: Facts.window, hadNoEffect: step.hadNoEffect })
    case "restart":
      return rule.restart(row, request, at, newLease)
  }
}

/** Returns the number of steps, and the first fault. */
const explore = (rule: Rule): { readonly steps: number; readonly fault: string | undefined } => {
  let steps = 0
  let fault: string | undefined

  const next = (state: State, step: Facts.Step, depth: number): State => {
    steps++
    const at = depth * Facts.gap
    const newId = depth + 1
    const changed = take(rule, state, step, at, newId)
    const isAccepted = Facts.isAccepted(state.facts, step, at)
    if (isAccepted !== (changed !== undefined)) {
      fault ??= `${step.type} is ${isAccepted ? "accepted" : "refused"}`
    }
    if (changed === undefined || !isAccepted) return state
    const facts = Facts.after(state.facts, step, at, newId)
    // A request that is written later was not born at 0.
    fault ??= Facts.faultIn(facts, { ...changed, createdAt: birthOf(changed, state.row) })
    return { row: changed, facts }
  }

  const birthOf = (row: RequestRow, before: RequestRow | undefined): number =>
    before === undefined || before.createdAt === row.createdAt ? 0 : row.createdAt + 1

  const all = (state: State, depth: number, left: number): void => {
    if (left === 0 || fault !== undefined) return
    for (const step of alphabet) all(next(state, step, depth), depth + 1, left - 1)
  }

  for (const [prefix, length] of prefixes) {
    const start: State = { row: undefined, facts: Facts.nothing }
    const state = prefix.reduce((from, step, depth) => next(from, step, depth), start)
    all(state, prefix.length, length)
  }
  return { steps, fault }
}

const planted: Readonly<Record<string, Partial<Rule>>> = {
  "any failure ends the doubt": {
    release: (row, id, options) => {
      const released = RequestRule.release(row, id, options)
      return released && { ...released, begunAt: options.hadNoEffect ? undefined : row.begunAt }
    }
  },
  "a lease forgets the doubt": {
    lease: (row, lease) => ({
      ...RequestRule.lease(row, lease),
      lease: { ...lease, inDoubt: false }
    })
  },
  "a stale lease settles": {
    settle: (row, settlement) =>
      RequestRule.settle(row, { ...settlement, lease: row.lease?.id ?? settlement.lease })
  },
  "a later outcome replaces the first": {
    settle: (row, settlement) => RequestRule.settle({ ...row, outcome: undefined }, settlement)
  },
  "a begun request is cancelled": {
    cancel: (row, at) => RequestRule.cancel({ ...row, begunAt: undefined }, at)
  },
  "an expired request is begun": {
    begin: (row, id, at, window) =>
      RequestRule.begin({ ...row, expiresAt: undefined }, id, at, window)
  },
  "a request is redriven after the window": {
    redrive: (row, options) => RequestRule.redrive(row, { ...options, window: Infinity })
  },
  "two refusals park": {
    release: (row, id, options) =>
      RequestRule.release(
        row.refusals === undefined
          ? row
          : { ...row, refusals: { ...row.refusals, count: row.refusals.count + 1 } },
        id,
        options
      )
  },
  "a refusal in other words counts anew": {
    release: (row, id, options) =>
      RequestRule.release(
        options.refusal === row.refusals?.reason ? row : { ...row, refusals: undefined },
        id,
        options
      )
  },
  "a request that is written anew forgets when it expires": {
    restart: (row, ...again) => RequestRule.restart({ ...row, expiresAt: undefined }, ...again)
  },
  "a settled request keeps its body": {
    settle: (row, settlement) => {
      const settled = RequestRule.settle(row, settlement)
      return settled && { ...settled, body: row.body }
    }
  },
  "a lease is taken while it holds": {
    isClaimable: (row) => RequestRule.claimableAt(row) !== undefined
  },
  "a parked request stays leased": {
    park: (row, id, reason, at) => {
      const parked = RequestRule.park(row, id, reason, at)
      return parked && { ...parked, lease: row.lease }
    }
  }
}

describe("every short history of a request", () => {
  it("leaves the row that the laws demand", () => {
    const { fault, steps } = explore(original)
    expect(fault).toBeUndefined()
    expect(steps).toBeGreaterThan(100_000)
  })

  for (const [name, bug] of Object.entries(planted)) {
    it(`catches a rule in which ${name}`, () => {
      expect(explore({ ...original, ...bug }).fault).toBeDefined()
    })
  }
})
