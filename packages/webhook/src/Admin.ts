/**
 * What an operator asks a running receiver: where a transaction stands, which are dead letters and why,
 * what the metrics are.
 *
 * **Details**
 *
 * | request | answer |
 * |---|---|
 * | `GET /healthz` | 200 `ok`, to everybody |
 * | `GET /transactions/{method}/{id}` | where it stands; 404 for one that is unknown |
 * | `GET /dead-letters` | every dead letter, oldest first, each with why |
 * | `POST /dead-letters/{method}/{id}/redrive` | has it worked on again, and answers as the first; 404 for none |
 * | `GET /metrics` | Prometheus' text format |
 *
 * Everything but `/healthz` is for this machine alone: a request that a proxy passed on (`Forwarded`,
 * `X-Forwarded-*`), that names another host, or that a page of another site makes, is answered 404, as if
 * nothing were there. Who serves this binds a loopback address.
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
 * A request to the operator's side.
 *
 * @category models
 * @since 0.1.0
 */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

/**
 * What it is answered.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answered {
  readonly status: 200 | 404 | 405 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Service that answers an operator.
 *
 * @category services
 * @since 0.1.0
 */
export class Admin extends Context.Service<
  Admin,
  {
    readonly answer: (asked: Asked) => Effect.Effect<Answered>
  }
>()("@pawl/webhook/Admin") {}

/**
 * Layer that answers from the ledger. `policy` is the receiver's.
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
        const isThere = yield* ledger.redrive({ method, transactionId }, at)
        return isThere ? yield* transaction(method, transactionId) : notFound
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

      const answer = ({ headers, method: verb, path }: Asked) => {
        const [place = "", method = "", id = "", last, ...rest] = path.split("/").slice(1)
        const only = <E>(allowed: string, effect: Effect.Effect<Answered, E>) =>
          verb === allowed ? effect : Effect.succeed(notAllowed(allowed))
        if (path === "/healthz") return only("GET", Effect.succeed(ok))
        if (!isOperator(headers)) return Effect.succeed(notFound)
        if (path === "/dead-letters") return only("GET", deadLetters)
        if (path === "/metrics") return only("GET", metrics)
        const transactionId = decode(id)
        if (!isMethod(method) || transactionId === undefined || rest.length > 0) {
          return Effect.succeed(notFound)
        }
        if (place === "transactions" && last === undefined) {
          return only("GET", transaction(method, transactionId))
        }
        return place === "dead-letters" && last === "redrive"
          ? only("POST", redrive(method, transactionId))
          : Effect.succeed(notFound)
      }

      return Admin.of({
        answer: (asked) =>
          Effect.catchTag(answer(asked), "StoreUnavailable", () => Effect.succeed(unavailable))
      })
    })
  )

/** A transaction as it is shown. */
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
    "Every call of the handler failed for 24 hours. Mend what it failed at, then re-drive.",
  "unknown-transaction":
    "No status endpoint of the service has known this id for 24 hours. Look whether it belongs to another merchant or environment; re-drive to ask again.",
  "amount-mismatch":
    "A callback names another amount or currency than was ordered. Compare it with the order; re-drive to let it pass."
}

const isMethod = (text: string): text is Method => text === "apm" || text === "card"

const decode = (segment: string): string | undefined => {
  const isEncoded = /^(?:[^%]|%[0-7][0-9a-f])+$/iu.test(segment)
  return isEncoded ? decodeURIComponent(segment) : undefined
}

const isOperator = (headers: Asked["headers"]): boolean => {
  const { host = "", origin } = headers
  const isPassedOn = Object.keys(headers).some((name) =>
    /^(?:forwarded$|x-forwarded-)/iu.test(name)
  )
  const isHere = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]+)?$/iu.test(String(host))
  return !isPassedOn && isHere && (origin === undefined || origin === `http://${String(host)}`)
}

const text = (body: string, type: string, status: Answered["status"] = 200): Answered => ({
  status,
  headers: {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff"
  },
  body
})

const json = (body: unknown, status: Answered["status"] = 200): Answered =>
  text(`${JSON.stringify(body)}\n`, "application/json", status)

const ok = text("ok\n", "text/plain; charset=utf-8")
const notFound = json({ message: "There is nothing here" }, 404)
const unavailable = json({ message: "The ledger is not available now" }, 503)

const notAllowed = (allow: string): Answered => {
  const { headers, ...others } = json({ message: `Only ${allow} is answered here` }, 405)
  return { ...others, headers: { ...headers, allow } }
}
