/** Planted bugs of a gateway: each changes the requests or the responses of a right one. */
import { bugsOf } from "@pawl/test-support/Bugs"
import * as Effect from "effect/Effect"
import type { Request, Response } from "@pawl/testkit/Gateway"
import type { GatewayUnderTest } from "../../src/gateway/GatewayLaw.ts"

type Handle = GatewayUnderTest["Service"]["handle"]
type Json = Readonly<Record<string, unknown>>

const utf8 = new TextEncoder()
const textOf = ({ body }: Request) => new TextDecoder().decode(body)
const jsonOf = (request: Request) => JSON.parse(textOf(request) || "{}") as Json
const withBody = (request: Request, body: unknown): Request => ({
  ...request,
  body: utf8.encode(JSON.stringify(body))
})
const changeBody = (response: Response, change: (body: Json) => unknown): Response => ({
  ...response,
  body: JSON.stringify(change(JSON.parse(response.body) as Json))
})
const isPost = (request: Request, path: string) =>
  request.method === "POST" && request.path === `/api/v1${path}`
const isStatus = (request: Request, { status }: Response) =>
  request.path.includes("/status/") && status === 200

/** Plants a bug that gives the gateway other requests. */
const asking =
  (change: (request: Request) => Request) =>
  (handle: Handle): Handle =>
  (request) =>
    handle(change(request))

/** Plants a bug that gives the caller other responses. */
const answering =
  (change: (response: Response, request: Request) => Response) =>
  (handle: Handle): Handle =>
  (request) =>
    Effect.map(handle(request), (response) => change(response, request))

const rewriting = (path: string, change: (text: string) => string) =>
  asking((request) =>
    isPost(request, path) ? { ...request, body: utf8.encode(change(textOf(request))) } : request
  )

export const plantedBugs = bugsOf<(handle: Handle) => Handle>({
  "an access token needs the key and the secret": {
    "any secret gets an access token": rewriting("/auth", (text) =>
      JSON.stringify({ ...JSON.parse(text), merchantSecret: "sandbox-secret" })
    ),
    "an access token never expires": (handle) => {
      const responses = new Map<string, Response>()
      const credentials = { merchantKey: "sandbox-key", merchantSecret: "sandbox-secret" }
      return Effect.fnUntraced(function* (request) {
        const response = yield* handle(request)
        if (isPost(request, "/auth") && response.status === 200) {
          responses.set(`Bearer ${JSON.parse(response.body).accessToken}`, response)
        }
        if (response.status !== 401 || !responses.has(request.headers["authorization"] ?? ""))
          return response
        const authResponse = yield* handle(
          withBody({ ...request, method: "POST", path: "/api/v1/auth", headers: json }, credentials)
        )
        const authorization = `Bearer ${JSON.parse(authResponse.body).accessToken}`
        return yield* handle({ ...request, headers: { ...request.headers, authorization } })
      })
    }
  },
  "the checks come in order": {
    "404 comes before 401": (handle) => (request) =>
      request.path.endsWith("/999999")
        ? Effect.succeed({ status: 404, headers: json, body: "{}" })
        : handle(request),
    "a 400 repeats the request": answering((response, request) =>
      response.status === 400 && isPost(request, "/payments/apm")
        ? changeBody(response, (body) => ({ ...body, request: jsonOf(request) }))
        : response
    )
  },
  "a payment needs the checksum": {
    "the checksum is accepted in upper case": rewriting("/payments/apm", (text) =>
      text.replace(/"checksum":"[^"]*"/u, (checksum) => checksum.toLowerCase())
    )
  },
  "a body that is not JSON": {
    "the last of two equal keys counts": asking((request) =>
      textOf(request).startsWith('{"') ? withBody(request, jsonOf(request)) : request
    )
  },
  "a requestId is processed once": {
    "two requests at the same instant are both processed": (handle) => {
      let isBusy = false
      return (request) => {
        if (!isPost(request, "/payouts/card")) return handle(request)
        const text = textOf(request)
        const again = isBusy
          ? { ...request, body: utf8.encode(text.replace('"r-1"', '"r-1b"')) }
          : request
        isBusy = true
        return Effect.andThen(Effect.yieldNow, handle(again)).pipe(
          Effect.ensuring(Effect.sync(() => (isBusy = false)))
        )
      }
    },
    "a repeat of a refund is processed again": (handle) => {
      let refunds = 0
      const another = (text: string) => text.replace('"r-1"', `"r-1-${++refunds}"`)
      return rewriting("/refunds/card", another)(handle)
    },
    "a repeat gets the current status": (handle) =>
      Effect.fnUntraced(function* (request) {
        const response = yield* handle(request)
        if (!isPost(request, "/payouts/card") || response.status !== 200) return response
        const { transactionId } = JSON.parse(response.body) as Json
        const path = `/api/v1/payouts/card/status/${String(transactionId)}`
        const read = yield* handle({ ...request, method: "GET", path, body: new Uint8Array() })
        return changeBody(response, (body) => ({
          ...body,
          transactionStatus: JSON.parse(read.body)
        }))
      })
  },
  "an amount is rounded half up": {
    "amounts are cut after two decimals": rewriting("/payouts/card", (text) =>
      text.replace(/("amount":"\d+\.\d\d)\d+"/u, '$1"')
    )
  },
  "a status is a bare JSON string": {
    "a read is answered by a stale replica": (handle) => {
      const responses: Array<Response> = []
      return answering((response, request) =>
        isStatus(request, response) && responses.push(response) % 3 === 0
          ? (responses[0] ?? response)
          : response
      )(handle)
    },
    "a status is an object": answering((response, request) =>
      isStatus(request, response) ? changeBody(response, (status) => ({ status })) : response
    )
  },
  "the refunds of a payment never exceed": {
    "each refund is compared with the payment alone": answering((response, request) =>
      isPost(request, "/refunds/card") && response.status === 400
        ? { ...response, status: 200, body: '{"refundId":"1","transactionStatus":"NEW"}' }
        : response
    ),
    "a payment can be refunded once": (handle) => {
      let refunds = 0
      return (request) =>
        isPost(request, "/refunds/card") && refunds++ > 0
          ? Effect.succeed({ status: 400, headers: json, body: "{}" })
          : handle(request)
    }
  },
  "metadata is returned exactly as sent": {
    "the names of metadata become lower case": answering((response) =>
      response.status === 200 && response.body.includes('"metadata"')
        ? changeBody(response, ({ metadata, ...body }) => ({
            ...body,
            metadata: Object.fromEntries(
              Object.entries(metadata as Json).map(([name, value]) => [name.toLowerCase(), value])
            )
          }))
        : response
    )
  },
  "each transaction has an id of its own": {
    "the endpoints of another kind know an id": (handle) =>
      Effect.fnUntraced(function* (request) {
        const response = yield* handle(request)
        if (response.status !== 404) return response
        return yield* handle({
          ...request,
          path: request.path.replace("payments/apm", "payouts/card")
        })
      })
  }
})

const json = { "content-type": "application/json" }
