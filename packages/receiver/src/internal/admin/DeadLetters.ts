/** The dead letters of the admin API: pages, and a redrive of all of one reason. */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Ledger } from "@pawl/webhook/Ledger"
import type { DeadLetter, Parked, ParkedKey } from "@pawl/webhook/internal/rule/Row"
import { isKind } from "../story/Kinds.ts"
import * as Time from "../story/Time.ts"
import { ofDeadLetter } from "@pawl/webhook/internal/rule/TransactionReport"
import { invalid, json, page, type Response } from "./Response.ts"
import { noteIn } from "./Story.ts"

const defaultPageSize = 100
const maxPageSize = 1000
/** The handler calls in a second after a redrive of many. */
const defaultRate = 10
const maxRate = 1000
/** The most dead letters in a page, whose changes are committed together. */
const batchSize = 500

export const list = (
  ledger: Ledger["Service"],
  query: URLSearchParams
): Effect.Effect<Response, StoreUnavailable> => {
  const limit = countOf(query, "limit", defaultPageSize, maxPageSize)
  if (limit === undefined) return refuse(`limit must be a number from 1 to ${maxPageSize}`)
  const reason = query.get("reason") ?? undefined
  if (reason !== undefined && !isReason(reason)) return refuse(reasonFault)
  const text = query.get("after")
  const after = text === null ? undefined : readCursor(text)
  if (text !== null && after === undefined) return refuse("after must be the cursor of a page")
  return Effect.map(ledger.deadLetters({ after, limit, reason }), (rows) =>
    page("/dead-letters", query, rows, { limit, show: ofDeadLetter, cursorOf: writeCursor })
  )
}

/** `rate` dead letters become due in each second, oldest first. */
export const redriveAll: (
  ledger: Ledger["Service"],
  query: URLSearchParams
) => Effect.Effect<Response, StoreUnavailable> = Effect.fnUntraced(function* (ledger, query) {
  const reason = query.get("reason") ?? ""
  if (!isReason(reason)) return invalid(reasonFault)
  const rate = countOf(query, "rate", defaultRate, maxRate)
  if (rate === undefined) return invalid(`rate must be a number of rows a second, up to ${maxRate}`)
  const read = noteIn(query)
  if ("status" in read) return read
  const clock = yield* Clock.Clock
  const at = ledger.time(clock)
  const batch = { reason, before: at, rate, limit: batchSize, note: read.note }
  let [listed, redriven] = [0, 0]
  let after: ParkedKey | undefined
  do {
    const dueAt = at + Math.floor((listed * 1000) / rate)
    const now = ledger.time(clock)
    const page = yield* ledger.redriveAll({ ...batch, after, now, dueAt })
    listed += page.listed
    redriven += page.redriven
    after = page.last
  } while (after !== undefined)
  const last = at + Math.floor((Math.max(0, listed - 1) * 1000) / rate)
  return json({ reason, redriven, rate, lastDueAt: Time.textOf(last) })
})

const refuse = (message: string) => Effect.succeed(invalid(message))

const reasons: Readonly<Record<DeadLetter["reason"], true>> = {
  "handler-failed": true,
  "unknown-transaction": true,
  "amount-mismatch": true,
  unreadable: true
}
export const reasonFault = `reason must be one of ${Object.keys(reasons).join(", ")}`

export const isReason = (text: string): text is DeadLetter["reason"] => Object.hasOwn(reasons, text)

const countOf = (query: URLSearchParams, name: string, fallback: number, most: number) => {
  const text = query.get(name) ?? String(fallback)
  const count = /^[1-9][0-9]{0,3}$/u.test(text) ? Number(text) : Infinity
  return count <= most ? count : undefined
}

const writeCursor = ({ deadLetter, scope, transactionId }: Parked): string =>
  `${deadLetter.at}.${scope}.${transactionId}`

const readCursor = (text: string): ParkedKey | undefined => {
  const [, at, scope = "", transactionId = ""] =
    /^([0-9]{1,15})\.([a-z-]+)\.(\P{Cc}+)$/u.exec(text) ?? []
  return isKind(scope) ? { at: Number(at), scope, transactionId } : undefined
}
