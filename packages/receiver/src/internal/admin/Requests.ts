/** The requests of the admin API, the parked ones in pages, and their redrive. */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { RequestRow } from "@pawl/webhook/internal/rule/RequestRow"
import { cures } from "@pawl/webhook/internal/requests/Cures"
import type { RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import * as Time from "../story/Time.ts"
import * as Reply from "./Response.ts"
import { timeOf } from "./Transactions.ts"

type Store = RequestStore["Service"]
type Respond = Effect.Effect<Reply.Response, StoreUnavailable>

const maxNote = 64
const pageSize = 100

/** Returns the routes of a store, whose requests are sent again within the window. */
export const routes = (store: Store, window: number): ReadonlyArray<Reply.Route> => [
  ["GET", /^\/parked-requests$/u, (query) => list(store, query)],
  ["GET", /^\/requests\/([^/]+)$/u, (_, [id = ""]) => show(store, id)],
  [
    "POST",
    /^\/requests\/([^/]+)\/redrive$/u,
    (query, [id = ""]) => redrive(store, id, query, window)
  ]
]

const show = (store: Store, requestId: string): Respond =>
  Effect.map(store.get(requestId), (row) =>
    row === undefined ? Reply.notFound : Reply.json(describe(row))
  )

const list = (store: Store, query: URLSearchParams): Respond => {
  const text = query.get("after")
  const after = text === null ? undefined : readCursor(text)
  if (text !== null && after === undefined) {
    return Effect.succeed(Reply.invalid("after must be the cursor of a page"))
  }
  return Effect.map(store.parked({ limit: pageSize, after }), (rows) =>
    Reply.page("/parked-requests", query, rows, {
      limit: pageSize,
      show: describe,
      cursorOf: ({ parked, requestId }) => `${parked.at}.${requestId}`
    })
  )
}

/**
 * Redrives a parked request, and logs who did it and why; 404 if the request is not parked, or may
 * not be sent any more.
 */
const redrive = Effect.fnUntraced(function* (
  store: Store,
  requestId: string,
  query: URLSearchParams,
  window: number
): Effect.fn.Return<Reply.Response, StoreUnavailable> {
  const stated = query.get("hadNoEffect") ?? "false"
  if (stated !== "true" && stated !== "false") {
    return Reply.invalid("hadNoEffect must be true or false")
  }
  const parkedAt = query.has("parkedAt") ? timeOf(query.get("parkedAt") ?? "") : undefined
  if (Number.isNaN(parkedAt)) {
    return Reply.invalid("parkedAt must be a time such as 2026-11-27T00:00:00Z")
  }
  const at = store.time(yield* Clock.Clock)
  const row = yield* store.get(requestId)
  const isRedriven = yield* store.redrive(requestId, {
    at,
    parkedAt,
    window,
    hadNoEffect: stated === "true",
    canSend: row?.hasCardData !== true
  })
  if (!isRedriven) return Reply.notFound
  const [by, why] = ["by", "why"].map((name) => query.get(name)?.slice(0, maxNote) ?? null)
  yield* Effect.annotateLogs(Effect.logInfo("A parked request was redriven"), {
    requestId,
    hadNoEffect: stated,
    by,
    why
  })
  return yield* show(store, requestId)
})

const stateOf = ({ begunAt, lease, outcome, parked }: RequestRow) => {
  if (outcome !== undefined) return "settled"
  if (parked !== undefined) return "parked"
  if (begunAt === undefined) return "written"
  return lease?.inDoubt === false ? "sent" : "in doubt"
}

export type RequestReport = ReturnType<typeof describe>

/** Describes a request without its body. */
const describe = (row: RequestRow) => {
  const { attempts, createdAt, kind, outcome, parked, refusals, requestId, transaction } = row
  return {
    requestId,
    kind,
    state: stateOf(row),
    createdAt: Time.textOf(createdAt),
    begunAt: Time.textOrNull(row.begunAt),
    attempts,
    refusal: refusals?.reason ?? null,
    outcome: outcome?._tag ?? null,
    notSent: outcome?._tag === "NotSent" ? outcome.reason : null,
    settledAt: Time.textOrNull(row.settledAt),
    transaction: transaction ?? null,
    parked:
      parked === undefined
        ? null
        : {
            reason: parked.reason,
            at: Time.textOf(parked.at),
            explanation: cures[parked.reason]
          }
  }
}

const readCursor = (text: string) => {
  const [, at, requestId] = /^([0-9]{1,15})\.(\P{Cc}+)$/u.exec(text) ?? []
  return requestId === undefined ? undefined : { at: Number(at), requestId }
}
