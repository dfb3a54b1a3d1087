/** The responses about one receiver. `Admin` has the table of the requests. */
import type { Policy } from "@pawl/core/Evidence"
import { Profile } from "@pawl/core/Profile"
import { Journal } from "@pawl/webhook/Journal"
import { Ledger } from "@pawl/webhook/Ledger"
import * as Metrics from "@pawl/webhook/Metrics"
import { RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import type { Key } from "@pawl/webhook/internal/rule/Row"
import { Worker } from "@pawl/webhook/internal/work/Worker"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TransactionReport from "@pawl/webhook/internal/rule/TransactionReport"
import * as DeadLetters from "./DeadLetters.ts"
import * as Overview from "./Overview.ts"
import * as Requests from "./Requests.ts"
import * as Reply from "./Response.ts"
import * as Story from "./Story.ts"
import * as Transactions from "./Transactions.ts"

export interface Options {
  /** The policy, which must be that of the receiver. */
  readonly policy?: Policy | undefined
  /** The names of the receiver's secrets, and whether each is set. Never a value. */
  readonly secrets?: ReadonlyArray<Overview.Secret> | undefined
}

/** Makes the responses about one receiver. `state` has the condition and the backlog. */
export const make = Effect.fnUntraced(function* ({ policy = "final", secrets = [] }: Options) {
  const ledger = yield* Ledger
  const requests = Option.getOrUndefined(yield* Effect.serviceOption(RequestStore))
  const { condition, recent, report, state, watched } = yield* Overview.make({
    ledger,
    journal: Option.getOrUndefined(yield* Effect.serviceOption(Journal)),
    worker: Option.getOrUndefined(yield* Effect.serviceOption(Worker)),
    policy,
    secrets
  })
  const window = Duration.toMillis((yield* Profile).requestIdWindow)

  const show = Effect.fnUntraced(function* ({ method, transactionId }: Key) {
    const row = yield* ledger.get(method, transactionId)
    return row === undefined ? Reply.notFound : Reply.json(TransactionReport.make(row, policy))
  })

  const redrive = Effect.fnUntraced(function* (key: Key, query: URLSearchParams) {
    const reason = query.get("reason") ?? undefined
    if (reason !== undefined && !DeadLetters.isReason(reason)) {
      return Reply.invalid(DeadLetters.reasonFault)
    }
    const read = Story.noteIn(query)
    if ("status" in read) return read
    const at = ledger.time(yield* Clock.Clock, key)
    const isRedriven = yield* ledger.redrive({ ...key, reason }, at, read.note)
    return isRedriven ? yield* show(key) : noLetter
  })

  const metrics = Effect.map(Effect.provideService(Metrics.scrape, Ledger, watched), (body) =>
    Reply.text(body, Metrics.contentType)
  )

  const routes: ReadonlyArray<Reply.Route> = [
    ["GET", /^\/overview$/u, () => Effect.map(report, Reply.json)],
    ["GET", /^\/metrics$/u, () => metrics],
    [
      "GET",
      /^\/transactions$/u,
      (query) => Transactions.list({ ledger, policy, recent, requests }, query)
    ],
    ["GET", /^\/transactions\/(apm|card)\/([^/]+)$/u, (_, ids) => show(keyOf(ids))],
    [
      "GET",
      /^\/transactions\/(apm|card)\/([^/]+)\/story$/u,
      (query, ids) => Story.show(ledger, keyOf(ids), query)
    ],
    ["GET", /^\/dead-letters$/u, (query) => DeadLetters.list(ledger, query)],
    ["POST", /^\/dead-letters\/redrive$/u, (query) => DeadLetters.redriveAll(ledger, query)],
    [
      "POST",
      /^\/dead-letters\/(apm|card)\/([^/]+)\/redrive$/u,
      (query, ids) => redrive(keyOf(ids), query)
    ],
    ...(requests === undefined ? [] : Requests.routes(requests, window))
  ]

  const route = ({ method, path, search = "" }: Reply.Request): Effect.Effect<Reply.Response> => {
    for (const [verb, pattern, respond] of routes) {
      const ids = pattern.exec(path)?.slice(1).map(decode)
      if (ids === undefined || ids.includes(undefined)) continue
      if (method !== verb) return Effect.succeed(Reply.notAllowed(verb))
      return Effect.catchTag(
        respond(new URLSearchParams(search), ids.map(String)),
        "StoreUnavailable",
        () => Effect.succeed(Reply.unavailable)
      )
    }
    return Effect.succeed(Reply.notFound)
  }
  return { condition, route, state }
})

const noLetter = Reply.json(
  { message: "This is not a dead letter, or it has another reason: look at it again" },
  404
)

const keyOf = ([method, transactionId = ""]: ReadonlyArray<string>): Key => ({
  method: method === "apm" ? method : "card",
  transactionId
})

/** Decodes an id, which has no control characters. */
const decode = (segment: string): string | undefined => {
  // This parser throws nothing, unlike decodeURIComponent.
  const text =
    new URLSearchParams(`id=${segment.replaceAll(/[+&]/gu, encodeURIComponent)}`).get("id") ?? ""
  return /\p{Cc}/u.test(text) ? undefined : text
}
