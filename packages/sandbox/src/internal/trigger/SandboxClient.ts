/** Requests to a running sandbox, of a merchant and of its operator. */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** Running sandbox. `baseUrl` ends in `/api`; `token` is for the control API. */
export interface Target {
  readonly baseUrl: string
  readonly merchantKey: string
  readonly merchantSecret: Redacted.Redacted
  readonly token: Option.Option<Redacted.Redacted>
}

/** Error raised when the sandbox cannot be used; `message` names the remedy. */
export class TriggerFailed extends Data.TaggedError("TriggerFailed")<{
  readonly message: string
}> {}

export interface Change {
  readonly name: string
  readonly item: unknown
}

const fail = (message: string) => Effect.fail(new TriggerFailed({ message }))

const start =
  "start one with `npx pawl-sandbox` (in pawl's repository `npx -y pnpm@12.18.0 sandbox`), or give its address with --base-url"

const responseTimeout = Duration.seconds(10)

const execute = (
  { baseUrl }: Target,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpClientResponse, TriggerFailed, HttpClient.HttpClient> =>
  HttpClient.execute(request).pipe(
    // A redirect would take the secret to another host.
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.timeout(responseTimeout),
    Effect.catch(() => fail(`no sandbox answers at ${baseUrl}; ${start}`))
  )

const originOf = ({ baseUrl }: Target): string => new URL(baseUrl).origin

/** Sends JSON, and returns the response with its body, which is undefined if it is not JSON. */
export const post = Effect.fnUntraced(function* (
  target: Target,
  url: string,
  body: object,
  bearer: string | undefined
) {
  const response = yield* execute(
    target,
    HttpClientRequest.post(url, {
      body: HttpBody.text(JSON.stringify(body), "application/json"),
      headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
    })
  )
  const json: unknown = yield* Effect.orElseSucceed(response.json, () => undefined)
  return { status: response.status, json }
})

const controlToken = ({ token }: Target): string | undefined =>
  Option.getOrUndefined(Option.map(token, Redacted.value))

export const move = (target: Target, id: string, status: string) =>
  post(
    target,
    `${originOf(target)}/sandbox/transactions/${id}/status`,
    { status },
    controlToken(target)
  )

const Login = Schema.Struct({ accessToken: Schema.String })
const isLogin = Schema.is(Login)

export const login = Effect.fnUntraced(function* (target: Target) {
  const { merchantKey, merchantSecret } = target
  const { json, status } = yield* post(
    target,
    `${target.baseUrl}/v1/auth`,
    { merchantKey, merchantSecret: Redacted.value(merchantSecret) },
    undefined
  )
  if (isLogin(json)) return json.accessToken
  return yield* fail(
    status === 401
      ? "the sandbox refuses the credentials; give those it was started with, as --merchant-key and PAWL_MERCHANT_SECRET"
      : `the sandbox answers ${status} to POST /v1/auth; look for a fault in its console at ${originOf(target)}`
  )
})

/**
 * Listens to the changes, a stream that only a sandbox has, so that no transaction is made on a
 * real service.
 */
export const changes = Effect.fnUntraced(function* (
  target: Target
): Effect.fn.Return<
  Queue.Dequeue<Change, TriggerFailed | Cause.Done>,
  TriggerFailed,
  HttpClient.HttpClient | Scope.Scope
> {
  const token = controlToken(target)
  const response = yield* execute(
    target,
    HttpClientRequest.get(`${originOf(target)}/sandbox/events`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` }
    })
  )
  if (response.status === 401) {
    return yield* fail(
      "the sandbox requires the token it was started with; give it as PAWL_SANDBOX_TOKEN"
    )
  }
  if (response.headers["content-type"]?.startsWith("text/event-stream") !== true) {
    return yield* fail(`${target.baseUrl} is not a sandbox, so nothing was made there; ${start}`)
  }
  const queue = yield* Queue.unbounded<Change, TriggerFailed | Cause.Done>()
  yield* response.stream.pipe(
    Stream.decodeText,
    Stream.pipeThroughChannel(Sse.decode()),
    Stream.map(({ data, event }): Change => ({ name: event, item: JSON.parse(data) })),
    Stream.mapError(() => new TriggerFailed({ message: "the sandbox ended" })),
    Stream.concat(Stream.fail(new TriggerFailed({ message: "the sandbox ended" }))),
    Stream.runIntoQueue(queue),
    Effect.forkScoped
  )
  return queue
})
