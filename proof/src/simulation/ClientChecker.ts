/**
 * Checks the requests of the merchant's processes, and the ends of their calls (C1 to C7).
 */
import * as Json from "@pawl/core/internal/Json"
import { isStatus, type Status } from "@pawl/core/Status"
import type { Request } from "@pawl/http/Transport"
import type * as Gateway from "@pawl/testkit/Gateway"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { origin, secret } from "./Client.ts"
import { type Process, processes } from "./Plan.ts"
import { memberOf } from "./Subject.ts"
import type { Trace } from "./Trace.ts"

const callTimeout = Duration.toMillis(Duration.seconds(30))

/** A token is valid for 30 days and renewed a day early; another day is for skewed clocks. */
const accessTokenRenewal = 28 * 86_400_000

export type ClientChecker = ReturnType<typeof make>

export const make = (trace: Trace) => {
  const bodies = new Map<string, string>()
  const changes = new Map<string, number>()
  const statuses = new Map<string, Set<Status>>()
  const reads = new Map<string, Array<number>>()
  const tokens = new Map(processes.map((process) => [process, { reasons: 0, at: 0 }]))
  let openCalls = 0

  const addStatus = (id: unknown, status: unknown) => {
    if (typeof id !== "string" || typeof status !== "string" || !isStatus(status)) return
    statuses.set(id, (statuses.get(id) ?? new Set()).add(status))
  }

  return {
    started: (process: Process) => {
      tokens.set(process, { reasons: 1, at: trace.now() })
    },
    sent: (from: Process, { body = "", headers, method, url }: Request) => {
      if (new URL(url).origin !== origin) trace.violation("C4", `${from} sent to ${url}`)
      if (!url.endsWith("/auth") && (body + JSON.stringify(headers)).includes(secret))
        trace.violation("C4", `${from} sent the secret to ${url}`)
      const requestId = /"requestId":"([^"]*)"/u.exec(body)?.[1]
      const key = `${url} ${requestId}`
      if (requestId !== undefined && (bodies.get(key) ?? body) !== body)
        trace.violation("C1", `${requestId} was sent with another body`)
      if (requestId !== undefined) bodies.set(key, body)
      const id = /\/status\/(\d+)$/u.exec(url)?.[1]
      if (method === "GET" && id !== undefined && from !== "client")
        reads.set(id, [...(reads.get(id) ?? []), trace.now()])
    },
    processed: ({ body, method, url }: Request, status: number) => {
      if (method !== "PUT" || status === 401) return
      const key = `${url} ${body}`
      changes.set(key, (changes.get(key) ?? 0) + 1)
      if (changes.get(key) !== 1) trace.violation("C2", `PUT ${url} was sent again`)
    },
    responded: (from: Process, { method, url }: Request, { body, status }: Gateway.Response) => {
      const token = tokens.get(from)
      if (token !== undefined && status === 401) token.reasons++
      if (token !== undefined && url.endsWith("/auth") && status === 200) {
        const isOld = trace.now() - token.at >= accessTokenRenewal
        if (token.reasons === 0 && !isOld)
          trace.violation("C3", `${from} requested an access token it did not need`)
        if (isOld && token.reasons === 0) trace.mark("an access token was renewed")
        tokens.set(from, { reasons: 0, at: trace.now() })
      }
      if (status !== 200) return
      const json = parse(body)
      if (method === "GET") addStatus(/\/status\/(\d+)$/u.exec(url)?.[1], json)
      addStatus(
        memberOf(json, "refundId") ?? memberOf(json, "transactionId"),
        memberOf(json, "transactionStatus")
      )
    },
    call: Effect.fnUntraced(function* <A, E extends { readonly _tag: string }>(
      name: string,
      call: Effect.Effect<A, E>,
      wasMade: Effect.Effect<boolean> = Effect.succeed(false)
    ) {
      const startedAt = trace.now()
      openCalls++
      const exit = yield* Effect.ensuring(
        Effect.exit(call),
        Effect.sync(() => openCalls--)
      )
      const duration = trace.now() - startedAt
      if (duration > callTimeout + 100) trace.violation("C5", `${name} took ${duration} ms`)
      if (Exit.isSuccess(exit)) return exit
      if (Cause.hasDies(exit.cause))
        trace.violation("C6", `${name} died: ${Cause.pretty(exit.cause)}`)
      const tag = Option.getOrUndefined(Cause.findErrorOption(exit.cause))?._tag
      if (tag === undefined) return exit
      trace.mark(`a call ended ${tag}`)
      trace.note(`${name} ended ${tag}`)
      if (tag !== "OutcomeUnknown" && tag !== "Declined" && (yield* wasMade))
        trace.violation("C7", `${name} ended ${tag}, but it was made`)
      return exit
    }),
    /** Returns the statuses that the service stated in any response. */
    confirmed: (id: string): ReadonlySet<Status> => statuses.get(id) ?? new Set(),
    reads: (id: string): ReadonlyArray<number> => reads.get(id) ?? [],
    end: (transactions: ReadonlyArray<Gateway.Transaction>) => {
      const byOrder = Map.groupBy(
        transactions.filter(({ subscriptionId }) => subscriptionId === undefined),
        ({ kind, metadata }) => `${kind} of order ${metadata?.["order"]}`
      )
      for (const [name, { length }] of byOrder)
        if (length > 1) trace.violation("C1", `there are ${length} of ${name}`)
      if (openCalls > 0) trace.violation("C5", `${openCalls} calls never ended`)
    }
  }
}

const utf8 = new TextEncoder()

const parse = (text: string): unknown => Result.getOrUndefined(Json.fromBytes(utf8.encode(text)))
