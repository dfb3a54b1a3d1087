/**
 * The two links: from the merchant's processes to the service, and from the service to the receivers.
 *
 * @since 0.1.0
 */
import { Unreachable } from "@pawl/core/PaymentsError"
import type { Transport } from "@pawl/http/Transport"
import type { StatusCode } from "@pawl/webhook/Receiver"
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Scope from "effect/Scope"
import type * as Contract from "../../../packages/testkit/src/internal/gateway/Contract.ts"
import * as Nearby from "../../../packages/testkit/src/internal/Nearby.ts"
import * as Struck from "../../../packages/testkit/src/internal/sandbox/Struck.ts"
import { origin } from "./Client.ts"
import type { ClientJudge } from "./ClientJudge.ts"
import type { Nemesis } from "./Nemesis.ts"
import type { Process as Name } from "./Plan.ts"
import type { ReceiverJudge } from "./ReceiverJudge.ts"
import type { Trace } from "./Trace.ts"

/**
 * What a process of the merchant does with a callback; undefined when it dies over it.
 *
 * @category models
 * @since 0.1.0
 */
export type Receive = (incoming: Incoming) => Effect.Effect<StatusCode | undefined>

const utf8 = new TextEncoder()

/**
 * Makes the transport of a process. `service` answers while it is there, and never if it dies over a request.
 *
 * @category constructors
 * @since 0.1.0
 */
export const transport = (
  from: Name,
  service: () => ((request: Contract.Request) => Effect.Effect<Contract.Answer>) | undefined,
  {
    judge,
    nemesis,
    trace
  }: { readonly judge: ClientJudge; readonly nemesis: Nemesis; readonly trace: Trace }
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
      judge.sent(from, request)
      const what = nemesis.strike(from)?.what
      if (what === "hang") return yield* Effect.never
      const handle = service()
      if (handle === undefined) return yield* unreachable(false)
      const processed = Effect.tap(
        handle({ method, path, headers, body: utf8.encode(body) }),
        (answer) => Effect.sync(() => judge.processed(request, answer.status))
      )
      const seen = yield* Struck.meet(what, processed)
      if (seen._tag !== "whole") return yield* unreachable(true)
      const { answer } = seen
      trace.note(`${from} has ${answer.status} for ${method} ${path} ${answer.body}`)
      judge.answered(from, request, answer)
      return { ...answer, body: utf8.encode(answer.body) }
    })
  }
}

/**
 * A post, and whether it carries a checksum and an address that are right.
 *
 * @category models
 * @since 0.1.0
 */
export interface Post {
  readonly incoming: Incoming
  readonly isSound: boolean
}

/**
 * The link to the receivers.
 *
 * - `client`: what the service posts with.
 * - `arrive`: has a post arrive at one of them, whoever sent it; undefined when none takes it.
 * - `seen`: what the service posted lately, the newest first.
 *
 * @category models
 * @since 0.1.0
 */
export interface Callbacks {
  readonly client: HttpClient.HttpClient
  readonly arrive: (post: Post) => Effect.Effect<StatusCode | undefined>
  readonly seen: ReadonlyArray<Incoming>
}

/**
 * Makes the link to the receivers that are there.
 *
 * @category constructors
 * @since 0.1.0
 */
export const callbacks = Effect.fnUntraced(function* (
  receivers: () => ReadonlyArray<Receive>,
  {
    judge,
    nemesis,
    trace
  }: { readonly judge: ReceiverJudge; readonly nemesis: Nemesis; readonly trace: Trace }
): Effect.fn.Return<Callbacks, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const seen: Array<Incoming> = []
  let posts = 0
  let held = 0

  const arrive = Effect.fnUntraced(function* (post: Post) {
    const there = receivers()
    const receive = there[posts++ % Math.max(1, there.length)]
    const answer = receive === undefined ? undefined : yield* receive(post.incoming)
    trace.note(
      `receiver has ${answer ?? "nobody"} for ${post.incoming.search} ${decode(post.incoming)}`
    )
    yield* judge.arrived(post, answer)
    return answer
  })

  /** Arrives whenever it does; nobody waits for the answer. */
  const later = (post: Post, wait: number) =>
    Effect.asVoid(Effect.forkIn(Effect.delay(arrive(post), wait), scope))

  const travel = Effect.fnUntraced(function* (post: Post) {
    const { until = 0, what } = nemesis.strike("callback") ?? {}
    switch (what) {
      case undefined:
        return yield* arrive(post)
      case "lost":
        return undefined
      case "unanswered":
        yield* arrive(post)
        return undefined
      case "late":
        yield* later(post, 12_000)
        return undefined
      case "twice":
        yield* later(post, 0)
        return yield* arrive(post)
      case "held":
        // All at once when it ends, the last first.
        yield* later(post, until - trace.now() + 10_000 - (held++ % 10_000))
        return undefined
    }
  })

  const client = Nearby.client((incoming) => {
    seen.unshift(incoming)
    seen.length = Math.min(seen.length, 10)
    return travel({ incoming, isSound: true })
  })
  return { client, arrive, seen }
})

const decode = ({ body }: Incoming): string => new TextDecoder().decode(body)
