/**
 * Plays a history to a request store and to the rule of its rows
 * (`@pawl/webhook/internal/rule/RequestRule`).
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import {
  isLeased,
  isParked,
  type LeasedRequest,
  type RequestRow
} from "@pawl/webhook/internal/rule/RequestRow"
import * as RequestRule from "@pawl/webhook/internal/rule/RequestRule"
import { RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as HistoryLaws from "../HistoryLaws.ts"
import { type Facet, facetOf } from "./Facets.ts"
import type { Step } from "./Steps.ts"

interface Held {
  readonly actual: LeasedRequest
  readonly id: number
}

export const replay = HistoryLaws.replaying(
  Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, compare: HistoryLaws.Comparison<Facet>) {
    const store = yield* RequestStore
    const rows = new Map<string, RequestRow>()
    const leases: Array<Held> = []
    let now = 0
    let stepNumber = 0

    const checkDone = (of: Facet, subject: string, actual: unknown, wanted: unknown) =>
      compare.result(of, subject, actual !== undefined && actual !== false, wanted !== undefined)
    const change = (id: string, by: (row: RequestRow) => RequestRow | undefined) => {
      const before = rows.get(id)
      const after = before && by(before)
      if (after !== undefined) rows.set(id, after)
      return after
    }
    const checkRow = (
      id: string,
      actual: RequestRow | undefined,
      wanted: RequestRow | undefined
    ) => {
      compare.result("written", `the row of ${id}`, actual?.requestId, wanted?.requestId)
      compare.row(facetOf, id, actual, wanted, plain)
      compare.result("doubt", `lease of ${id}`, actual?.lease?.inDoubt, wanted?.lease?.inDoubt)
    }
    /** No two leases have the same id. */
    const hold = (actual: RequestRow) => {
      const wanted = rows.get(actual.requestId)
      if (!isLeased(actual) || wanted === undefined || !isLeased(wanted))
        return compare.result("leases", `the lease of ${actual.requestId}`, actual, wanted)
      const isUsed = leases.some((held) => held.actual.lease.id === actual.lease.id)
      compare.result("leases", `whether the id of the lease is used`, isUsed, false)
      leases.push({ actual, id: wanted.lease.id })
    }
    const underLease = (
      { which }: { readonly which: number },
      use: (held: Held) => Generator<Effect.Effect<unknown, StoreUnavailable>, void, never>
    ) => {
      const held = leases.at(-1 - which)
      return held === undefined ? Effect.void : Effect.gen(() => use(held))
    }
    const requestOf = ({ digest, id }: { readonly digest: string; readonly id: string }) => ({
      requestId: id,
      kind: "refund" as const,
      digest,
      hasCardData: false,
      body: "1.key.body"
    })

    const playStep = Effect.fnUntraced(function* (step: Step) {
      const at = now
      const lease = (milliseconds: number) => ({ id: stepNumber, until: at + milliseconds })
      switch (step._tag) {
        case "write": {
          const { body, expiresIn, hold: time, id } = step
          const request = {
            ...requestOf(step),
            body,
            hasCardData: body === undefined,
            expiresAt: expiresIn === undefined ? undefined : at + expiresIn
          }
          const until = time === undefined ? undefined : at + time
          const isNew = !rows.has(id)
          if (isNew)
            rows.set(
              id,
              RequestRule.write(request, at, time === undefined ? undefined : lease(time))
            )
          const written = yield* store.write(request, { at, until })
          compare.result("written", `whether ${id} is new`, written.isNew, isNew)
          checkRow(id, written.row, rows.get(id))
          if (isNew && until !== undefined) hold(written.row)
          return
        }
        case "restart": {
          const { hold: time, id } = step
          const request = requestOf(step)
          const wanted = change(id, (row) =>
            RequestRule.restart(row, request, at, time === undefined ? undefined : lease(time))
          )
          const until = time === undefined ? undefined : at + time
          const actual = yield* store.restart(request, { at, until })
          checkDone("outcomes", "whether it restarts", actual, wanted)
          if (actual?.lease !== undefined) hold(actual)
          return
        }
        case "claim": {
          const until = at + step.hold
          const options = { at, until, limit: step.limit, requestId: step.id }
          const claimed = yield* store.claim(options)
          const open = [...rows.values()].filter((row) =>
            step.id === undefined
              ? RequestRule.isClaimable(row, at)
              : row.requestId === step.id && RequestRule.isIdle(row, at)
          )
          const times = open
            .map((row) => RequestRule.claimableAt(row) ?? 0)
            .toSorted((one, two) => one - two)
            .slice(0, step.id === undefined ? step.limit : 1)
          const ids = claimed.rows.map(({ requestId }) => requestId)
          const found = ids.flatMap((id) => open.find(({ requestId }) => requestId === id) ?? [])
          compare.result(
            "due",
            "the times of the claimed requests",
            found.map((row) => RequestRule.claimableAt(row) ?? 0),
            times
          )
          compare.result("leases", "the number of claimed requests", ids.length, found.length)
          for (const [index, row] of claimed.rows.entries()) {
            const id = stepNumber * 100 + index
            change(row.requestId, (each) => RequestRule.lease(each, { id, until }))
            checkRow(row.requestId, row, rows.get(row.requestId))
            hold(row)
          }
          if (step.id !== undefined) return
          const due = [...rows.values()].flatMap((row) => RequestRule.claimableAt(row) ?? [])
          const dueAt = due.length === 0 ? undefined : Math.min(...due)
          return compare.result("due", "when the next one may be claimed", claimed.dueAt, dueAt)
        }
        case "begin":
          return yield* underLease(step, function* ({ actual, id }) {
            const wanted = change(actual.requestId, (row) =>
              RequestRule.begin(row, id, at, step.window)
            )
            const begun = yield* store.begin(actual, { at, window: step.window })
            checkDone("leases", "whether it begins", begun, wanted)
          })
        case "renew":
          return yield* underLease(step, function* ({ actual, id }) {
            const until = at + step.hold
            const wanted = change(actual.requestId, (row) => RequestRule.renew(row, id, until))
            const isRenewed = yield* store.renew(actual, until)
            checkDone("leases", "whether it is renewed", isRenewed, wanted)
          })
        case "release":
          return yield* underLease(step, function* ({ actual, id }) {
            const { hadNoEffect, refusal, wait } = step
            const release = { at, dueAt: at + wait, hadNoEffect, refusal }
            const wanted = change(actual.requestId, (row) => RequestRule.release(row, id, release))
            const row = yield* store.release(actual, release)
            checkDone("leases", "whether it is released", row, wanted)
          })
        case "park":
          return yield* underLease(step, function* ({ actual, id }) {
            const { reason } = step
            const wanted = change(actual.requestId, (row) => RequestRule.park(row, id, reason, at))
            const row = yield* store.park(actual, reason, at)
            checkDone("leases", "whether it is parked", row, wanted)
          })
        case "settle":
          return yield* underLease(step, function* ({ actual, id }) {
            const { hasLease, outcome, transaction } = step
            const { requestId } = actual
            const settlement = { outcome, at, transaction }
            const wanted = change(requestId, (row) =>
              RequestRule.settle(row, hasLease ? { ...settlement, lease: id } : settlement)
            )
            const settled = yield* store.settle(
              requestId,
              hasLease ? { ...settlement, lease: actual.lease.id } : settlement
            )
            checkDone("outcomes", "whether it is settled", settled.isSettled, wanted)
            checkRow(requestId, settled.row, rows.get(requestId))
          })
        case "cancel": {
          const wanted = change(step.id, (row) => RequestRule.cancel(row, at))
          const isCancelled = yield* store.cancel(step.id, at)
          return checkDone("outcomes", "whether it is cancelled", isCancelled, wanted)
        }
        case "deleteTexts": {
          const before = at - step.age
          const wanted = [...rows.keys()].flatMap(
            (id) => change(id, (row) => RequestRule.deleteTexts(row, before)) ?? []
          )
          const count = yield* store.deleteTexts({ before, limit: 100 })
          return compare.result("bodies", "the number of deleted texts", count, wanted.length)
        }
        case "redrive": {
          const { canSend, hadNoEffect, id, window } = step
          const redrive = { at, window, hadNoEffect, canSend }
          const wanted = change(id, (row) => RequestRule.redrive(row, redrive))
          const isRedriven = yield* store.redrive(id, redrive)
          return checkDone("parked", "whether it is redriven", isRedriven, wanted)
        }
      }
    })

    for (const step of steps) {
      now += step.after
      stepNumber++
      compare.step()
      yield* playStep(step)
      for (const [id, wanted] of rows) checkRow(id, yield* store.get(id), wanted)
      compare.result("parked", "the parked requests", yield* allParked(store), listed(rows))
    }
  })
)

/** Replaces the ids of leases, which are the store's own. */
const plain = (value: unknown): unknown =>
  Predicate.hasProperty(value, "inDoubt") && Predicate.hasProperty(value, "until")
    ? { until: value.until }
    : value

const listed = (rows: ReadonlyMap<string, RequestRow>) =>
  [...rows.values()]
    .filter(isParked)
    .toSorted(
      (one, two) => one.parked.at - two.parked.at || (one.requestId < two.requestId ? -1 : 1)
    )
    .map(({ requestId }) => requestId)

const allParked = Effect.fnUntraced(function* ({ parked }: RequestStore["Service"]) {
  const all: Array<string> = []
  let after: { readonly at: number; readonly requestId: string } | undefined
  for (;;) {
    const [row] = yield* parked({ limit: 1, after })
    // A store may ignore the cursor.
    if (row === undefined || all.length > 100) return all
    all.push(row.requestId)
    after = { at: row.parked.at, requestId: row.requestId }
  }
})
