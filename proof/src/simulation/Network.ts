/**
 * The links: requests to the service, and callbacks to the receivers.
 */
import { Unreachable } from "@pawl/core/PaymentsError"
import type { Transport } from "@pawl/http/Transport"
import * as InProcess from "@pawl/testkit/internal/InProcess"
import * as FaultedResponse from "@pawl/testkit/internal/faults/FaultedResponse"
import type * as Gateway from "@pawl/testkit/Gateway"
import type { StatusCode } from "@pawl/webhook/Receiver"
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import type { Bug } from "./Bugs.ts"
import { origin } from "./Client.ts"
import type { ClientChecker } from "./ClientChecker.ts"
import type { CrashableStore } from "./CrashableStore.ts"
import type { Nemesis } from "./Nemesis.ts"
import type { Observer } from "./Observer.ts"
import type { Plan, Process as ProcessName } from "./Plan.ts"
import type { ReceiverChecker } from "./ReceiverChecker.ts"
import type { Trace } from "./Trace.ts"

/** The parts that the processes and links of a simulation share. */
export interface Parts {
  readonly plan: Plan
  readonly bug: Bug
  readonly store: CrashableStore
  readonly nemesis: Nemesis
  readonly clientChecker: ClientChecker
  readonly checker: ReceiverChecker
  readonly observer: Observer | undefined
  readonly trace: Trace
}

export type Receive = (incoming: Incoming) => Effect.Effect<StatusCode | undefined>

const utf8 = new TextEncoder()

export const transport = (
  from: ProcessName,
  service: () => ((request: Gateway.Request) => Effect.Effect<Gateway.Response>) | undefined,
  { clientChecker, nemesis, trace }: Parts
): Transport["Service"] => {
  const unreachable = (sent: boolean) =>
    Effect.fail(
      new Unreachable({ reason: sent ? "ECONNRESET" : "ECONNREFUSED", sent, attempts: 1 })
    )
  return {
    send: Effect.fnUntraced(function* (request) {
      const { body = "", headers, method, url } = request
      const path = url.slice(origin.length)
      trace.note(`${from} sends ${method} ${path} ${body}`)
      clientChecker.sent(from, request)
      const fault = nemesis.strike(from)?.kind
      if (fault === "hang") return yield* Effect.never
      const handle = service()
      if (handle === undefined) return yield* unreachable(false)
      const processed = Effect.tap(
        handle({ method, path, headers, body: utf8.encode(body) }),
        ({ status }) => Effect.sync(() => clientChecker.processed(request, status))
      )
      const faulted = yield* FaultedResponse.make(fault, processed)
      if (faulted._tag !== "whole") return yield* unreachable(true)
      const { response } = faulted
      trace.note(`${from} gets ${response.status} for ${method} ${path} ${response.body}`)
      clientChecker.responded(from, request, response)
      return { ...response, body: utf8.encode(response.body) }
    })
  }
}

export interface Post {
  readonly incoming: Incoming
  readonly isVerifiable: boolean
}

/** The link to the receivers; `recent` are the service's posts, newest first. */
export type Callbacks = Effect.Success<ReturnType<typeof callbacks>>

export const callbacks = Effect.fnUntraced(function* (
  runningReceivers: () => ReadonlyArray<Receive>,
  { checker, nemesis, observer, trace }: Parts
) {
  const scope = yield* Effect.scope
  const recent: Array<Incoming> = []
  let posts = 0
  let heldPosts = 0

  const deliver = Effect.fnUntraced(function* (post: Post) {
    const receivers = runningReceivers()
    const receive = receivers[posts++ % Math.max(1, receivers.length)]
    const delivered = observer?.delivering(post)
    const status = receive === undefined ? undefined : yield* receive(post.incoming)
    delivered?.(status)
    trace.note(
      `${status ?? "no response"} for the callback ${post.incoming.search} ${decode(post.incoming)}`
    )
    yield* checker.delivered(post, status)
    return status
  })

  const deliverLater = (post: Post, wait: number) =>
    Effect.asVoid(Effect.forkIn(Effect.delay(deliver(post), wait), scope))

  const deliverWithFault = Effect.fnUntraced(function* (post: Post) {
    const { kind, until = 0 } = nemesis.strike("callback") ?? {}
    switch (kind) {
      case undefined:
        return yield* deliver(post)
      case "lost":
        return undefined
      case "unanswered":
        yield* deliver(post)
        return undefined
      case "late":
        yield* deliverLater(post, 12_000)
        return undefined
      case "twice":
        yield* deliverLater(post, 0)
        return yield* deliver(post)
      case "held":
        // All held posts arrive within 10 seconds of the fault's end.
        yield* deliverLater(post, until - trace.now() + 10_000 - (heldPosts++ % 10_000))
        return undefined
    }
  })

  const client = InProcess.client((incoming) => {
    recent.unshift(incoming)
    recent.length = Math.min(recent.length, 10)
    return deliverWithFault({ incoming, isVerifiable: true })
  })
  return { client, deliver, recent }
})

const decode = ({ body }: Incoming): string => new TextDecoder().decode(body)
