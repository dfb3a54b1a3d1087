/**
 * The admin API of a running receiver over HTTP, and a page for a person.
 *
 * **Details**
 *
 * | request | response |
 * |---|---|
 * | `GET /transactions` | the last 50 transactions that something happened to in this process, each with its order and amount |
 * | `GET /transactions?text=…&from=…&before=…` | those with an id, requestId or amount, stored in a time; the header `Link` names the next page of the store |
 * | `GET /transactions/{method}/{id}` | the transaction with its standing; 404 if it is unknown |
 * | `GET /transactions/{method}/{id}/story` | its facts, each with a sentence; with `?kind=refund` those of another transaction with the id |
 * | `GET /dead-letters` | the oldest 100 dead letters, each with its reason; the header `Link` names the next page |
 * | `GET /dead-letters?reason=…&limit=…` | only those of a reason; up to 1,000 in a page |
 * | `POST /dead-letters/{method}/{id}/redrive` | redrives a dead letter and returns its transaction; 404 if there is none, or with `?reason=…` none for that reason |
 * | `POST /dead-letters/redrive?reason=…&rate=…` | redrives all of a reason, `rate` (10) of them a second |
 * | either redrive with `&by=…&why=…` | keeps who redrives (32 bytes), and why (64 bytes), in the story |
 * | `GET /requests/{requestId}` | a request with its state and outcome; 404 if it is unknown |
 * | `GET /parked-requests` | the oldest 100 parked requests, each with its reason; the header `Link` names the next page |
 * | `POST /requests/{requestId}/redrive` | redrives a parked request; with `?hadNoEffect=true` a person states that it had no effect; with `&parkedAt=…` 404 if it was sent or found since |
 * | `GET /overview` | the condition of the receiver, the backlog, the use of the read budget, the activity of this process, the last alarms, the secrets in use |
 * | `GET /metrics` | metrics in Prometheus' text format |
 * | `GET /` | the page for a person, if it is among the options |
 *
 * Without a `token` only this machine has access: the response is 404 if a proxy says that it
 * forwarded the request (`Forwarded`, `Via`, `X-Real-IP`, `X-Forwarded-*`), if its `Host` is not
 * this machine, or if a page of another site made it. With a `token` every request but those for
 * the files of the page must carry it as a bearer token, else the response is 401, and `hosts` may
 * name the server too.
 *
 * **Gotchas**
 *
 * A proxy on this machine may name itself in no header: serve the admin API on a port that no proxy
 * reaches.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Ledger } from "@pawl/webhook/Ledger"
import * as Access from "./internal/admin/Access.ts"
import * as Operator from "./internal/admin/Operator.ts"
import type * as Reply from "./internal/admin/Response.ts"

/**
 * A request to the admin API. `path` is without the query, `search` is the query.
 *
 * @category models
 * @since 0.1.0
 */
export type Request = Reply.Request

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
    /** Responds to a request of an operator. */
    readonly respond: (request: Request) => Effect.Effect<Response>
    /**
     * Reads the condition of the receiver. `ready` tells whether the receiver can store callbacks,
     * and is false once it is about to end.
     */
    readonly condition: Effect.Effect<{ readonly ready: boolean }>
  }
>()("@pawl/receiver/Admin") {}

/**
 * The settings of the admin API.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Access.Options, Operator.Options {}

/**
 * Layer that responds with the rows of the ledger. With a `RequestStore` in its context it responds
 * with the requests too; with the `Journal` and the `Worker` of the receiver the overview shows
 * their activity.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<Admin, never, Ledger> =>
  Layer.effect(
    Admin,
    Effect.map(Operator.make(options), ({ condition, route }) => ({
      respond: Access.guard(options, route),
      condition
    }))
  )
