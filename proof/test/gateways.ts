/**
 * Services with a bug each: the gateway, and what is wrong around it.
 */
import * as Effect from "effect/Effect"
import type { Response, Request } from "@pawl/testkit/Gateway"
import type { Door } from "../src/gateway/GatewayLaws.ts"

type Handle = Door["Service"]["handle"]
type Json = Readonly<Record<string, unknown>>

const utf8 = new TextEncoder()
const textOf = ({ body }: Request) => new TextDecoder().decode(body)
const jsonOf = (request: Request) => JSON.parse(textOf(request) || "{}") as Json
const saying = (request: Request, body: unknown): Request => ({
  ...request,
  body: utf8.encode(JSON.stringify(body))
})
const answering = (answer: Response, change: (body: Json) => unknown): Response => ({
  ...answer,
  body: JSON.stringify(change(JSON.parse(answer.body) as Json))
})
const isPost = (request: Request, path: string) =>
  request.method === "POST" && request.path === `/api/v1${path}`

/** Every planted bug of a gateway, with the beginning of the law that is to catch it. */
export const gateways: ReadonlyArray<
  readonly [bug: string, law: string, plant: (handle: Handle) => Handle]
> = [
  [
    "any secret buys a token",
    "a token is bought with the key and the secret",
    (handle) => (request) =>
      handle(
        isPost(request, "/auth")
          ? saying(request, { ...jsonOf(request), merchantSecret: "sandbox-secret" })
          : request
      )
  ],
  [
    "a token never ends",
    "a token is bought with the key and the secret",
    (handle) => {
      const good = new Map<string, Response>()
      const buy = { merchantKey: "sandbox-key", merchantSecret: "sandbox-secret" }
      return Effect.fnUntraced(function* (request) {
        const answer = yield* handle(request)
        if (isPost(request, "/auth") && answer.status === 200) {
          good.set(`Bearer ${JSON.parse(answer.body).accessToken}`, answer)
        }
        if (answer.status !== 401 || !good.has(request.headers["authorization"] ?? ""))
          return answer
        const fresh = yield* handle(
          saying({ ...request, method: "POST", path: "/api/v1/auth", headers: json }, buy)
        )
        const authorization = `Bearer ${JSON.parse(fresh.body).accessToken}`
        return yield* handle({ ...request, headers: { ...request.headers, authorization } })
      })
    }
  ],
  [
    "404 comes before 401",
    "the first check that fails answers",
    (handle) => (request) =>
      request.path.endsWith("/999999")
        ? Effect.succeed({ status: 404, headers: json, body: "{}" })
        : handle(request)
  ],
  [
    "a 400 repeats the request",
    "the first check that fails answers",
    (handle) => (request) =>
      Effect.map(handle(request), (answer) =>
        answer.status === 400 && isPost(request, "/payments/apm")
          ? answering(answer, (body) => ({ ...body, given: jsonOf(request) }))
          : answer
      )
  ],
  [
    "the checksum is taken in any case",
    "a payment needs the checksum",
    (handle) => (request) => {
      const isSigned = isPost(request, "/payments/apm") && textOf(request).includes('"checksum"')
      if (!isSigned) return handle(request)
      const body = jsonOf(request)
      return handle(saying(request, { ...body, checksum: String(body["checksum"]).toLowerCase() }))
    }
  ],
  [
    "the last of two equal keys counts",
    "a body that can be read in two ways",
    (handle) => (request) =>
      textOf(request).startsWith('{"') ? handle(saying(request, jsonOf(request))) : handle(request)
  ],
  [
    "two that come at once are both carried out",
    "a requestId is carried out once",
    (handle) => {
      let isBusy = false
      return (request) => {
        if (!isPost(request, "/payouts/card")) return handle(request)
        const given = textOf(request)
        const again = isBusy
          ? { ...request, body: utf8.encode(given.replace('"r-1"', '"r-1b"')) }
          : request
        isBusy = true
        return Effect.andThen(Effect.yieldNow, handle(again)).pipe(
          Effect.ensuring(Effect.sync(() => (isBusy = false)))
        )
      }
    }
  ],
  [
    "a repeat is answered with where it stands now",
    "a requestId is carried out once",
    (handle) =>
      Effect.fnUntraced(function* (request) {
        const answer = yield* handle(request)
        if (!isPost(request, "/payouts/card") || answer.status !== 200) return answer
        const { transactionId } = JSON.parse(answer.body) as Json
        const path = `/api/v1/payouts/card/status/${String(transactionId)}`
        const now = yield* handle({ ...request, method: "GET", path, body: new Uint8Array() })
        return answering(answer, (body) => ({ ...body, transactionStatus: JSON.parse(now.body) }))
      })
  ],
  [
    "amounts are cut after two decimals",
    "an amount is rounded half up",
    (handle) => (request) =>
      handle(
        isPost(request, "/payouts/card")
          ? {
              ...request,
              body: utf8.encode(textOf(request).replace(/("amount":"\d+\.\d\d)\d+"/u, '$1"'))
            }
          : request
      )
  ],
  [
    "a status is told by a replica that is behind",
    "a status is a bare JSON string, and only goes forward",
    (handle) => {
      const seen: Array<Response> = []
      return (request) =>
        Effect.map(handle(request), (answer) =>
          request.path.includes("/status/") && answer.status === 200 && seen.push(answer) % 3 === 0
            ? (seen[0] ?? answer)
            : answer
        )
    }
  ],
  [
    "a status is an object",
    "a status is a bare JSON string, and only goes forward",
    (handle) => (request) =>
      Effect.map(handle(request), (answer) =>
        request.path.includes("/status/") && answer.status === 200
          ? answering(answer, (status) => ({ status }))
          : answer
      )
  ],
  [
    "each refund is compared with the payment alone",
    "the refunds of a payment are never above",
    (handle) => (request) =>
      Effect.map(handle(request), (answer) =>
        isPost(request, "/refunds/card") && answer.status === 400
          ? { ...answer, status: 200, body: '{"refundId":"1","transactionStatus":"NEW"}' }
          : answer
      )
  ],
  [
    "a payment can be refunded once",
    "the refunds of a payment are never above",
    (handle) => {
      let refunds = 0
      return (request) =>
        isPost(request, "/refunds/card") && refunds++ > 0
          ? Effect.succeed({ status: 400, headers: json, body: "{}" })
          : handle(request)
    }
  ],
  [
    "the names of metadata are made small",
    "metadata comes back exactly as sent",
    (handle) => (request) =>
      Effect.map(handle(request), (answer) =>
        answer.status === 200 && answer.body.includes('"metadata"')
          ? answering(answer, ({ metadata, ...body }) => ({
              ...body,
              metadata: Object.fromEntries(
                Object.entries(metadata as Json).map(([name, value]) => [name.toLowerCase(), value])
              )
            }))
          : answer
      )
  ],
  [
    "an id is known to every kind's endpoint",
    "whatever is asked and when",
    (handle) =>
      Effect.fnUntraced(function* (request) {
        const answer = yield* handle(request)
        if (answer.status !== 404) return answer
        return yield* handle({
          ...request,
          path: request.path.replace("payments/apm", "payouts/card")
        })
      })
  ]
]

const json = { "content-type": "application/json" }
