/**
 * Judges what the merchant's processes send, and how their calls end (C1 to C7).
 *
 * @since 0.1.0
 */
import * as Json from "@pawl/core/Json"
import { isStatus, type Status } from "@pawl/core/Status"
import type { Request } from "@pawl/http/Transport"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Transaction } from "@pawl/testkit/Gateway"
import type { Response } from "../../../packages/testkit/src/internal/gateway/Contract.ts"
import { origin, secret } from "./Client.ts"
import { type Process, processes } from "./Plan.ts"
import type { Trace } from "./Trace.ts"

/**
 * Judges the client.
 *
 * - `sent`, `processed`, `answered`: a request left, the service was done with it, its answer came.
 * - `call`: makes a call, and judges how it ends. `wasMade` says whether the operation of a create was made.
 * - `confirmed`: what the service itself said of a transaction, to anybody.
 * - `reads`: when the receivers asked about a transaction.
 * - `end`: judges what the service has in the end.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientJudge {
  readonly sent: (from: Process, request: Request) => void
  readonly processed: (request: Request, status: number) => void
  readonly answered: (from: Process, request: Request, answer: Response) => void
  readonly call: <A, E extends Failure>(
    name: string,
    call: Effect.Effect<A, E>,
    wasMade?: Effect.Effect<boolean>
  ) => Effect.Effect<Exit.Exit<A, E>>
  readonly started: (process: Process) => void
  readonly confirmed: (transactionId: string) => ReadonlySet<Status>
  readonly reads: (transactionId: string) => ReadonlyArray<number>
  readonly end: (transactions: ReadonlyArray<Transaction>) => void
}

/** An error of the client. */
interface Failure {
  readonly _tag: string
}

/** A call may take so long with all its attempts. */
const deadline = Duration.toMillis(Duration.seconds(30))

/** A token lives 30 days and is renewed a day early; a skewed clock makes little of it. */
const renewal = 28 * 86_400_000

/**
 * Makes the judge of the client.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (trace: Trace): ClientJudge => {
  const bytes = new Map<string, string>()
  const changes = new Map<string, number>()
  const said = new Map<string, Set<Status>>()
  const asked = new Map<string, Array<number>>()
  /** Of each process, why it may ask for a token: it started, or its token was refused or grew old. */
  const tokens = new Map(processes.map((process) => [process, { reasons: 0, at: 0 }]))
  let underWay = 0

  const hear = (id: unknown, status: unknown) => {
    if (typeof id !== "string" || typeof status !== "string" || !isStatus(status)) return
    said.set(id, (said.get(id) ?? new Set()).add(status))
  }

  return {
    started: (process) => {
      tokens.set(process, { reasons: 1, at: trace.now() })
    },
    sent: (from, { body = "", headers, method, url }) => {
      if (new URL(url).origin !== origin) trace.breaks("C4", `${from} sent to ${url}`)
      if (!url.endsWith("/auth") && (body + JSON.stringify(headers)).includes(secret))
        trace.breaks("C4", `${from} sent the secret to ${url}`)
      const requestId = /"requestId":"([^"]*)"/u.exec(body)?.[1]
      const key = `${url} ${requestId}`
      if (requestId !== undefined && (bytes.get(key) ?? body) !== body)
        trace.breaks("C1", `${requestId} was sent with another body`)
      if (requestId !== undefined) bytes.set(key, body)
      const id = /\/status\/(\d+)$/u.exec(url)?.[1]
      if (method === "GET" && id !== undefined && from !== "client")
        asked.set(id, [...(asked.get(id) ?? []), trace.now()])
    },
    processed: ({ body, method, url }, status) => {
      if (method !== "PUT" || status === 401) return
      const key = `${url} ${body}`
      changes.set(key, (changes.get(key) ?? 0) + 1)
      if (changes.get(key) !== 1) trace.breaks("C2", `PUT ${url} was sent again`)
    },
    answered: (from, { method, url }, { body, status }) => {
      const token = tokens.get(from)
      if (token !== undefined && status === 401) token.reasons++
      if (token !== undefined && url.endsWith("/auth") && status === 200) {
        const isOld = trace.now() - token.at >= renewal
        if (token.reasons === 0 && !isOld)
          trace.breaks("C3", `${from} asked for a token it did not need`)
        if (isOld && token.reasons === 0) trace.mark("a token was renewed")
        tokens.set(from, { reasons: 0, at: trace.now() })
      }
      if (status !== 200) return
      const json = parse(body)
      if (method === "GET") hear(/\/status\/(\d+)$/u.exec(url)?.[1], json)
      hear(
        member(json, "refundId") ?? member(json, "transactionId"),
        member(json, "transactionStatus")
      )
    },
    call: Effect.fnUntraced(function* (name, call, wasMade = Effect.succeed(false)) {
      const began = trace.now()
      underWay++
      const exit = yield* Effect.ensuring(
        Effect.exit(call),
        Effect.sync(() => underWay--)
      )
      const took = trace.now() - began
      if (took > deadline + 100) trace.breaks("C5", `${name} took ${took} ms`)
      if (Exit.isSuccess(exit)) return exit
      if (Cause.hasDies(exit.cause)) trace.breaks("C6", `${name} died: ${Cause.pretty(exit.cause)}`)
      const tag = Option.getOrUndefined(Cause.findErrorOption(exit.cause))?._tag
      if (tag === undefined) return exit
      trace.mark(`a call ended ${tag}`)
      trace.note(`${name} ended ${tag}`)
      if (tag !== "OutcomeUnknown" && tag !== "Declined" && (yield* wasMade))
        trace.breaks("C7", `${name} ended ${tag}, but it was made`)
      return exit
    }),
    confirmed: (id) => said.get(id) ?? new Set(),
    reads: (id) => asked.get(id) ?? [],
    end: (transactions) => {
      const made = Map.groupBy(
        transactions.filter(({ subscriptionId }) => subscriptionId === undefined),
        ({ kind, metadata }) => `${kind} of order ${metadata?.["order"]}`
      )
      for (const [what, { length }] of made)
        if (length > 1) trace.breaks("C1", `there are ${length} of ${what}`)
      if (underWay > 0) trace.breaks("C5", `${underWay} calls never ended`)
    }
  }
}

const utf8 = new TextEncoder()

const parse = (text: string): unknown => Result.getOrUndefined(Json.fromBytes(utf8.encode(text)))

const member = (json: unknown, name: string): unknown =>
  typeof json === "object" && json !== null ? Reflect.get(json, name) : undefined
