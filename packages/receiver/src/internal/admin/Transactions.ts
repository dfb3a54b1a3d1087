/** The list of transactions of the admin API. */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Grammar from "@pawl/core/internal/Grammar"
import type { Policy } from "@pawl/core/Evidence"
import type { Subject } from "@pawl/webhook/Journal"
import type { Ledger } from "@pawl/webhook/Ledger"
import type { RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import type { Row } from "@pawl/webhook/internal/rule/Row"
import * as TransactionReport from "@pawl/webhook/internal/rule/TransactionReport"
import * as Effect from "effect/Effect"
import { isKind } from "../story/Kinds.ts"
import * as Time from "../story/Time.ts"
import { invalid, json, type Response, withHeaders } from "./Response.ts"

/**
 * The rows that one request examines, so that a search of a large store holds no other work for
 * long.
 */
const pageSize = 500
const longestText = 256

interface Sources {
  readonly ledger: Ledger["Service"]
  readonly requests: RequestStore["Service"] | undefined
  readonly recent: Effect.Effect<ReadonlyArray<Subject>>
  readonly policy: Policy
}

export type Listed = ReturnType<typeof report>

const report = (row: Row, policy: Policy) => {
  const { confirmed, kind, method, status, told, transactionId } = TransactionReport.make(
    row,
    policy
  )
  const { amount = null, currency = null } = moneyOf(row)
  const requestId = row.ordered?.requestId ?? null
  const createdAt = Time.textOf(row.createdAt)
  return {
    method,
    kind,
    transactionId,
    status,
    confirmed,
    told,
    createdAt,
    requestId,
    amount,
    currency
  }
}

const moneyOf = ({ newestCallbacks, ordered }: Row) => {
  if (ordered?.amount !== undefined) return ordered
  const [signed] = Object.values(newestCallbacks).flatMap((each) => each.signed ?? [])
  return signed ?? {}
}

/**
 * Responds with the last transactions of this process, or with those of the query: `text` is an id,
 * a requestId or an amount, `from` and `before` (ISO 8601) limit when they were stored. An id or
 * requestId that is a key of the stores is found at once. Else each response is one page of the
 * store; `Link` names the next.
 */
export const list = Effect.fnUntraced(function* (
  { ledger, policy, recent, requests }: Sources,
  query: URLSearchParams
): Effect.fn.Return<Response, StoreUnavailable> {
  const answer = (rows: ReadonlyArray<Row>) => json(rows.map((row) => report(row, policy)))
  const rowsOf = (keys: ReadonlyArray<Subject>) =>
    Effect.map(
      Effect.forEach(keys, ({ method, transactionId }) => ledger.get(method, transactionId)),
      (rows) => rows.flatMap((row) => row ?? [])
    )
  const { after, before, from, text } = read(query)
  if (text.length > longestText || /\p{Cc}/u.test(text)) return invalid("text must be an id")
  if (Number.isNaN(from) || Number.isNaN(before)) {
    return invalid("from and before must be times such as 2026-11-27T00:00:00Z")
  }
  if (query.has("after") && after === undefined)
    return invalid("after must be the cursor of a page")
  const isLimited = query.has("from") || query.has("before")
  if (text === "" && !isLimited) return answer(yield* rowsOf(yield* recent))
  if (text !== "" && !isLimited && after === undefined) {
    const request = yield* requests?.get(text) ?? Effect.undefined
    const known = yield* rowsOf([
      { method: "apm", transactionId: text },
      { method: "card", transactionId: text },
      ...(request?.transaction === undefined ? [] : [request.transaction])
    ])
    if (known.length > 0) return answer(known)
  }
  const page = yield* ledger.page({ after, limit: pageSize, from, before })
  const found = answer(page.rows.filter((row) => matches(row, text)))
  if (page.last === undefined) return found
  const next = new URLSearchParams(query)
  next.set("after", `${page.last.scope}.${page.last.transactionId}`)
  return withHeaders(found, { link: `</transactions?${next}>; rel="next"` })
})

const read = (query: URLSearchParams) => {
  const [, scope = "", transactionId = ""] =
    /^([a-z-]+)\.(\P{Cc}+)$/u.exec(query.get("after") ?? "") ?? []
  return {
    text: query.get("text")?.trim() ?? "",
    from: timeOf(query.get("from") ?? "1970-01-01"),
    before: timeOf(query.get("before") ?? "9999-01-01"),
    after: isKind(scope) ? { scope, transactionId } : undefined
  }
}

/** Reads a day in UTC, or a time with its offset; else returns NaN. */
export const timeOf = (text: string): number =>
  Grammar.dateOrTime.test(text) && Grammar.isOnCalendar(text) && hasOffset.test(text)
    ? Date.parse(text)
    : NaN

/** A time without an offset would be that of the machine's time zone. */
const hasOffset = /^[^T]+$|(?:Z|[+-]..:..)$/u

const matches = (row: Row, text: string): boolean => {
  if (text === "" || text === row.transactionId || text === row.ordered?.requestId) return true
  const { amount, currency } = moneyOf(row)
  const [, asked, unit = currency] = /^([0-9.,]+)(?: ?([A-Za-z]{3}))?$/u.exec(text) ?? []
  return (
    amount !== undefined &&
    asked !== undefined &&
    plain(asked) === plain(amount) &&
    unit?.toUpperCase() === currency
  )
}

const plain = (amount: string): string =>
  amount
    .replace(",", ".")
    .replace(/(\.[0-9]*?)0+$/u, "$1")
    .replace(/\.$/u, "")
