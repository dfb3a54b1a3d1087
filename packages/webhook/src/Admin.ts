/**
 * The admin API of a running receiver: transactions, dead letters and metrics, over HTTP.
 *
 * **Details**
 *
 * | request | response |
 * |---|---|
 * | `GET /healthz` | 200 `ok` |
 * | `GET /transactions/{method}/{id}` | the transaction with its standing; 404 if it is unknown |
 * | `GET /dead-letters` | every dead letter with its reason, oldest first |
 * | `POST /dead-letters/{method}/{id}/redrive` | redrives a dead letter and returns its transaction; 404 if there is none |
 * | `GET /metrics` | metrics in Prometheus' text format |
 *
 * Every path except `/healthz` is for this machine only. The response is 404 if a proxy forwarded the request
 * (`Forwarded`, `X-Forwarded-*`), if its `Host` is not this machine, or if a page of another site made it.
 * Bind the server to a loopback address.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Method } from "@pawl/core/Kind"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Ledger } from "./Ledger.ts"
import * as Metrics from "./Metrics.ts"
import type { Row } from "./Row.ts"

/**
 * A request to the admin API. `path` is without the query.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

/**
 * The response to a request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Response {
  readonly status: 200 | 404 | 405 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

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
>()("@pawl/webhook/Admin") {}

/**
 * Layer that responds with the rows of the ledger. `policy` must be the policy of the receiver.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options?: {
  readonly policy?: Evidence.Policy
}): Layer.Layer<Admin, never, Ledger> =>
  Layer.effect(
    Admin,
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const policy = options?.policy ?? "final"

      const transaction = Effect.fnUntraced(function* (method: Method, transactionId: string) {
        const row = yield* ledger.get(method, transactionId)
        return row === undefined ? notFound : json(describe(row, policy))
      })

      const redrive = Effect.fnUntraced(function* (method: Method, transactionId: string) {
        const at = yield* Clock.currentTimeMillis
        const isRedriven = yield* ledger.redrive({ method, transactionId }, at)
        return isRedriven ? yield* transaction(method, transactionId) : notFound
      })

      const deadLetters = Effect.map(ledger.deadLetters, (rows) =>
        json(
          rows.map((row) => {
            const { kind, method, transactionId } = row
            return { method, kind, transactionId, ...deadLetterOf(row) }
          })
        )
      )

      const metrics = Effect.map(Effect.provideService(Metrics.scrape, Ledger, ledger), (body) =>
        text(body, "text/plain; version=0.0.4; charset=utf-8")
      )

      const route = ({ headers, method: verb, path }: Request) => {
        const [collection = "", method = "", id = "", action, ...rest] = path.split("/").slice(1)
        const only = <E>(allowed: string, effect: Effect.Effect<Response, E>) =>
          verb === allowed ? effect : Effect.succeed(notAllowed(allowed))
        if (path === "/healthz") return only("GET", Effect.succeed(ok))
        if (!isOperator(headers)) return Effect.succeed(notFound)
        if (path === "/dead-letters") return only("GET", deadLetters)
        if (path === "/metrics") return only("GET", metrics)
        const transactionId = decode(id)
        if (!isMethod(method) || transactionId === undefined || rest.length > 0) {
          return Effect.succeed(notFound)
        }
        if (collection === "transactions" && action === undefined) {
          return only("GET", transaction(method, transactionId))
        }
        return collection === "dead-letters" && action === "redrive"
          ? only("POST", redrive(method, transactionId))
          : Effect.succeed(notFound)
      }

      return Admin.of({
        respond: (request) =>
          Effect.catchTag(route(request), "StoreUnavailable", () => Effect.succeed(unavailable))
      })
    })
  )

/** Returns a transaction as the admin API shows it. */
const describe = (row: Row, policy: Evidence.Policy) => {
  const { callbacks, evidence, kind, method, told, transactionId } = row
  const { confirmed, conflict, status } = Evidence.standing(evidence, row.read?.status, policy)
  return {
    method,
    kind,
    transactionId,
    status: status ?? null,
    confirmed,
    conflict,
    claimed: Evidence.claimedStatuses(evidence),
    confirmedStatuses: Evidence.confirmedStatuses(evidence),
    told: told ?? null,
    callbacks,
    deadLetter: deadLetterOf(row)
  }
}

const deadLetterOf = ({ attempt, deadLetter }: Row) =>
  deadLetter === undefined
    ? null
    : {
        reason: deadLetter.reason,
        to: deadLetter.to ?? null,
        at: DateTime.formatIso(DateTime.makeUnsafe(deadLetter.at)),
        attempts: attempt,
        explanation: explanations[deadLetter.reason]
      }

const explanations: Readonly<Record<NonNullable<Row["deadLetter"]>["reason"], string>> = {
  "handler-failed":
    "Every call of the handler failed for 24 hours. Correct the cause of the failures, then redrive.",
  "unknown-transaction":
    "For 24 hours no status endpoint of the service has known this id. Check whether it belongs to another merchant or environment; redrive to read its status again.",
  "amount-mismatch":
    "A callback has another amount or currency than was ordered. Compare it with the order; redrive to accept it."
}

const isMethod = (text: string): text is Method => text === "apm" || text === "card"

const decode = (segment: string): string | undefined => {
  const isEncoded = /^(?:[^%]|%[0-7][0-9a-f])+$/iu.test(segment)
  return isEncoded ? decodeURIComponent(segment) : undefined
}

const isOperator = (headers: Request["headers"]): boolean => {
  const { host = "", origin } = headers
  const isForwarded = Object.keys(headers).some((name) =>
    /^(?:forwarded$|x-forwarded-)/iu.test(name)
  )
  const isLocal = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]+)?$/iu.test(String(host))
  return !isForwarded && isLocal && (origin === undefined || origin === `http://${String(host)}`)
}

const text = (body: string, type: string, status: Response["status"] = 200): Response => ({
  status,
  headers: {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff"
  },
  body
})

const json = (body: unknown, status: Response["status"] = 200): Response =>
  text(`${JSON.stringify(body)}\n`, "application/json", status)

const ok = text("ok\n", "text/plain; charset=utf-8")
const notFound = json({ message: "Not found" }, 404)
const unavailable = json({ message: "The ledger is not available" }, 503)

const notAllowed = (allow: string): Response => {
  const { headers, ...others } = json({ message: `Only ${allow} is allowed here` }, 405)
  return { ...others, headers: { ...headers, allow } }
}
