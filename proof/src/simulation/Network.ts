/**
 * The links: requests to the service, and callbacks to the receivers.
 */
import { Unreachable } from "@pawl/core/PaymentsError"
import type { Transport } from "@pawl/http/Transport"
import type { Kind as FaultKind } from "@pawl/testkit/Faults"
import type * as Gateway from "@pawl/testkit/Gateway"
import type { StatusCode } from "@pawl/webhook/Receiver"
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Scope from "effect/Scope"
import { origin } from "./Client.ts"
import type { ClientChecker } from "./ClientChecker.ts"
import type { Nemesis } from "./Nemesis.ts"
import type { Observer } from "./Observer.ts"
import type { Process as ProcessName } from "./Plan.ts"
import type { ReceiverChecker } from "./ReceiverChecker.ts"
import type { Trace } from "./Trace.ts"

export type Receive = (incoming: Incoming) => Effect.Effect<StatusCode | undefined>

const utf8 = new TextEncoder()

export const transport = (
  from: ProcessName,
  service: () => ((request: Gateway.Request) => Effect.Effect<Gateway.Response>) | undefined,
  {
    checker,
    nemesis,
    trace
  }: { readonly checker: ClientChecker; readonly nemesis: Nemesis; readonly trace: Trace }
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
      checker.sent(from, request)
      const fault = nemesis.strike(from)?.kind
      if (fault === "hang") return yield* Effect.never
      const handle = service()
      if (handle === undefined) return yield* unreachable(false)
      const processed = Effect.tap(
        handle({ method, path, headers, body: utf8.encode(body) }),
        ({ status }) => Effect.sync(() => checker.processed(request, status))
      )
      const response = yield* withFault(fault, processed)
      if (response === undefined) return yield* unreachable(true)
      trace.note(`${from} gets ${response.status} for ${method} ${path} ${response.body}`)
      checker.responded(from, request, response)
      return { ...response, body: utf8.encode(response.body) }
    })
  }
}

const withFault = (
  fault: FaultKind | undefined,
  processed: Effect.Effect<Gateway.Response>
): Effect.Effect<Gateway.Response | undefined> => {
  switch (fault) {
    case undefined:
      return processed
    case "500":
    case "401":
      return Effect.succeed(refusal(Number(fault), {}))
    case "503":
      return Effect.succeed(refusal(503, { "retry-after": "1" }))
    case "delay":
      return Effect.tap(processed, Effect.sleep("5 seconds"))
    case "content-type":
      return Effect.map(processed, (response) => ({
        ...response,
        headers: { ...response.headers, "content-type": "text/html" }
      }))
    case "reset-before":
      return Effect.undefined
    case "truncate":
    case "reset-after":
      return Effect.as(processed, undefined)
  }
}

const refusal = (status: number, headers: Gateway.Response["headers"]): Gateway.Response => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ message: `A fault of the plan: ${status}` })
})

export interface Post {
  readonly incoming: Incoming
  readonly isVerifiable: boolean
}

/** The link to the receivers; `recent` are the service's posts, newest first. */
export interface Callbacks {
  readonly client: HttpClient.HttpClient
  readonly deliver: (post: Post) => Effect.Effect<StatusCode | undefined>
  readonly recent: ReadonlyArray<Incoming>
}

export const callbacks = Effect.fnUntraced(function* (
  runningReceivers: () => ReadonlyArray<Receive>,
  {
    checker,
    nemesis,
    observer,
    trace
  }: {
    readonly checker: ReceiverChecker
    readonly nemesis: Nemesis
    readonly observer: Observer
    readonly trace: Trace
  }
): Effect.fn.Return<Callbacks, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const recent: Array<Incoming> = []
  let posts = 0
  let heldPosts = 0

  const deliver = Effect.fnUntraced(function* (post: Post) {
    const receivers = runningReceivers()
    const receive = receivers[posts++ % Math.max(1, receivers.length)]
    const delivered = observer.delivering(post)
    const status = receive === undefined ? undefined : yield* receive(post.incoming)
    delivered(status)
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

  const client = HttpClient.make((request, url) => {
    const incoming = incomingOf(request, url)
    recent.unshift(incoming)
    recent.length = Math.min(recent.length, 10)
    return Effect.flatMap(deliverWithFault({ incoming, isVerifiable: true }), (status) =>
      status === undefined
        ? Effect.fail(
            new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({ request })
            })
          )
        : // A null body needs no promise, so virtual time stays exact.
          Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status })))
    )
  })
  return { client, deliver, recent }
})

const incomingOf = ({ body, headers, method }: HttpClientRequest, { search }: URL): Incoming => ({
  method,
  search,
  contentType: headers["content-type"],
  contentEncoding: undefined,
  checksum: headers["x-checksum"],
  body: body._tag === "Uint8Array" ? body.body : new Uint8Array()
})

const decode = ({ body }: Incoming): string => new TextDecoder().decode(body)
