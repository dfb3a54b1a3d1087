/**
 * The admin API of a running receiver: transactions, dead letters and metrics, over HTTP, and a page for a person.
 *
 * **Details**
 *
 * | request | response |
 * |---|---|
 * | `GET /transactions/{method}/{id}` | the transaction with its standing; 404 if it is unknown |
 * | `GET /transactions/{method}/{id}/story` | its facts, each with a sentence; with `?kind=refund` those of another transaction with the id |
 * | `GET /dead-letters` | the oldest 100 dead letters, each with its reason; the header `Link` names the next page |
 * | `GET /dead-letters?reason=…&limit=…` | only those of a reason; up to 1,000 in a page |
 * | `POST /dead-letters/{method}/{id}/redrive` | redrives a dead letter and returns its transaction; 404 if there is none |
 * | `POST /dead-letters/redrive?reason=…&rate=…` | redrives all of a reason, `rate` (10) of them a second |
 * | either redrive with `&by=…&why=…` | keeps who redrives (32 bytes), and why (64 bytes), in the story |
 * | `GET /requests/{requestId}` | a request with its state and outcome; 404 if it is unknown |
 * | `GET /parked-requests` | the oldest 100 parked requests, each with its reason; the header `Link` names the next page |
 * | `POST /requests/{requestId}/redrive` | redrives a parked request; with `?hadNoEffect=true` a person states that it had no effect |
 * | `GET /overview` | the condition of the receiver, the backlog, the use of the read budget, the activity of this process, the last alarms, the secrets in use |
 * | `GET /metrics` | metrics in Prometheus' text format |
 * | `GET /` | the page for a person, if it is among the options (`NodeAdminPage`) |
 *
 * Without a `token` only this machine has access: the response is 404 if a proxy says that it forwarded the request
 * (`Forwarded`, `X-Forwarded-*`), if its `Host` is not this machine, or if a page of another site made it. With a
 * `token` every request must carry it as a bearer token, else the response is 401, and `hosts` may name the server
 * too. The files of the page need no token, because a browser that opens an address sends none: they are the same for
 * everybody, and the page asks for the token.
 *
 * **Gotchas**
 *
 * A proxy on this machine that names itself in no header looks like this machine. Serve the admin API on a port of its
 * own that no proxy reaches.
 *
 * @since 0.1.0
 */
import type * as Evidence from "@pawl/core/Evidence"
import type { Method } from "@pawl/core/Kind"
import { Profile } from "@pawl/core/Profile"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Access from "./internal/admin/Access.ts"
import * as DeadLetters from "./internal/admin/DeadLetters.ts"
import * as Overview from "./internal/admin/Overview.ts"
import * as Requests from "./internal/admin/Requests.ts"
import * as Reply from "./internal/admin/Response.ts"
import * as Story from "./internal/admin/Story.ts"
import * as LedgerClock from "@pawl/webhook/internal/LedgerClock"
import { Journal } from "@pawl/webhook/Journal"
import { Ledger } from "@pawl/webhook/Ledger"
import * as Metrics from "@pawl/webhook/Metrics"
import { RequestStore } from "@pawl/webhook/RequestStore"
import * as TransactionReport from "@pawl/webhook/TransactionReport"
import { Worker } from "@pawl/webhook/Worker"

/**
 * A request to the admin API. `path` is without the query, `search` is the query.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly method: string
  readonly path: string
  readonly search?: string | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

/**
 * The response to a request.
 *
 * @category models
 * @since 0.1.0
 */
export type Response = Reply.Response

/**
 * Service that responds to the requests of an operator.
 *
 * @category services
 * @since 0.1.0
 */
export class Admin extends Context.Service<
  Admin,
  {
    readonly respond: (request: Request) => Effect.Effect<Response>
  }
>()("@pawl/receiver/Admin") {}

/**
 * The settings of the admin API.
 *
 * - `policy`: must be the policy of the receiver.
 * - `token`: the bearer token that every request must carry; without it only this machine has access.
 * - `hosts`: the hosts by which other machines name the server, with or without a port. They count only with a `token`.
 * - `page`: the files of the page, by path (`NodeAdminPage.files`).
 * - `secrets`: the names of the receiver's secrets, and whether each is set. Never a value.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Access.Options {
  readonly policy?: Evidence.Policy | undefined
  readonly page?: ReadonlyMap<string, Response> | undefined
  readonly secrets?: ReadonlyArray<Overview.Secret> | undefined
}

/**
 * Layer that responds with the rows of the ledger. If its context has a `RequestStore`, it responds with the requests too,
 * and with the `Journal` and the `Worker` of the receiver the overview has its activity.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<Admin, never, Ledger> =>
  Layer.effect(
    Admin,
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const policy = options.policy ?? "final"
      const accessOf = Access.make(options)
      const requests = Option.getOrUndefined(yield* Effect.serviceOption(RequestStore))
      const overview = yield* Overview.make({
        ledger,
        journal: Option.getOrUndefined(yield* Effect.serviceOption(Journal)),
        worker: Option.getOrUndefined(yield* Effect.serviceOption(Worker)),
        policy,
        secrets: options.secrets ?? []
      })
      const window = Duration.toMillis((yield* Profile).requestIdWindow)

      const transaction = Effect.fnUntraced(function* (method: Method, transactionId: string) {
        const row = yield* ledger.get(method, transactionId)
        return row === undefined ? Reply.notFound : Reply.json(TransactionReport.make(row, policy))
      })

      const redrive = Effect.fnUntraced(function* (
        method: Method,
        transactionId: string,
        query: URLSearchParams
      ) {
        const read = Story.noteIn(query)
        if ("status" in read) return read
        const key = { method, transactionId }
        const at = LedgerClock.timeOf(ledger, yield* Clock.Clock, key)
        const isRedriven = yield* ledger.redrive(key, at, read.note)
        return isRedriven ? yield* transaction(method, transactionId) : Reply.notFound
      })

      const metrics = Effect.map(Effect.provideService(Metrics.scrape, Ledger, ledger), (body) =>
        Reply.text(body, Metrics.contentType)
      )

      const route = ({ headers, method: verb, path, search = "" }: Request) => {
        const access = accessOf(headers)
        if (access === "hidden") return Effect.succeed(Reply.notFound)
        const only = <E>(allowed: string, effect: Effect.Effect<Response, E>) =>
          verb === allowed ? effect : Effect.succeed(Reply.notAllowed(allowed))
        const file = options.page?.get(path)
        if (file !== undefined) return only("GET", Effect.succeed(file))
        if (access === "unauthorized") return Effect.succeed(Reply.unauthorized)
        const [collection = "", method = "", id = "", action, ...rest] = path.split("/").slice(1)
        const query = new URLSearchParams(search)
        if (path === "/dead-letters")
          return only("GET", DeadLetters.list(ledger, query, TransactionReport.ofDeadLetter))
        if (path === "/dead-letters/redrive")
          return only("POST", DeadLetters.redriveAll(ledger, query))
        if (path === "/overview") return only("GET", overview.respond)
        if (path === "/metrics") return only("GET", metrics)
        if (requests !== undefined && path === "/parked-requests") {
          return only("GET", Requests.list(requests, query))
        }
        if (requests !== undefined && collection === "requests") {
          const requestId = decode(method)
          if (requestId === undefined || action !== undefined) return Effect.succeed(Reply.notFound)
          if (id === "") return only("GET", Requests.show(requests, requestId))
          return id === "redrive"
            ? only("POST", Requests.redrive(requests, requestId, query, window))
            : Effect.succeed(Reply.notFound)
        }
        const transactionId = decode(id)
        if (!isMethod(method) || transactionId === undefined || rest.length > 0) {
          return Effect.succeed(Reply.notFound)
        }
        if (collection === "transactions" && action === undefined) {
          return only("GET", transaction(method, transactionId))
        }
        if (collection === "transactions" && action === "story") {
          return only("GET", Story.show(ledger, { method, transactionId }, query))
        }
        return collection === "dead-letters" && action === "redrive"
          ? only("POST", redrive(method, transactionId, query))
          : Effect.succeed(Reply.notFound)
      }

      return Admin.of({
        respond: (request) =>
          Effect.catchTag(route(request), "StoreUnavailable", () =>
            Effect.succeed(Reply.unavailable)
          )
      })
    })
  )

const isMethod = (text: string): text is Method => text === "apm" || text === "card"

/** Decodes a segment of ASCII. Ids have no control characters. */
const decode = (segment: string): string | undefined => {
  const isEncoded = /^(?:[^%]|%[2-7][0-9a-f])+$/iu.test(segment)
  return isEncoded ? decodeURIComponent(segment) : undefined
}
