/**
 * The process of one client of `client.ts`, whose arguments are the name of the client and the port
 * of the server. It reports the CPU time of its calls.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Api from "@pawl/sandbox/internal/contract/Api"
import * as ApmPayments from "@pawl/http/ApmPayments"
import * as Pawl from "@pawl/http/Pawl"
import axios from "axios"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import { strictEqual } from "node:assert/strict"
import { createSecretKey } from "node:crypto"
import { Agent as HttpAgent } from "node:http"
import Stripe from "stripe"
import { Agent, request } from "undici"
import { answerWithCost } from "./harness.ts"
import * as Payments from "./payments.ts"

const secret = "merchant-secret"
const key = createSecretKey(Buffer.from(secret))
const authorization = "Bearer a.e30.b"

const payment = () =>
  Payments.payment({
    successRedirectUrl: "https://shop.example/paid",
    failureRedirectUrl: "https://shop.example/failed",
    callbackUrl: "https://shop.example/callback",
    ...Payments.details
  })
const signed = () => Payments.signed(payment(), key)

type Calls = (times: number) => Promise<void>

const loops =
  (call: () => Promise<void>): Calls =>
  (times) =>
    Payments.callAll(times, call)

const effects =
  <R, E>(
    call: Effect.Effect<void, unknown, R>,
    runtime: ManagedRuntime.ManagedRuntime<R, E>
  ): Calls =>
  (times) =>
    Payments.runAll(times, call, runtime)

const pay = Effect.suspend(() => {
  const plain = payment()
  return ApmPayments.ApmPayments.use(({ create }) =>
    Effect.map(create(plain), ({ requestId }) => strictEqual(plain.requestId, requestId))
  )
})

const read = ApmPayments.ApmPayments.use(({ status }) =>
  Effect.map(status("100001"), (status) => strictEqual("PENDING", status))
)

const tracer = Layer.succeed(
  Tracer.Tracer,
  Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
)

const [name = "", port = ""] = process.argv.slice(2)
const base = `http://127.0.0.1:${port}`
const url = `${base}/api/v1/payments/apm`
const headers = { authorization, "content-type": "application/json", accept: "application/json" }
const pawl = Pawl.layer({
  baseUrl: `${base}/api`,
  merchantKey: "key",
  merchantSecret: Redacted.make(secret)
})

const clients: Readonly<Record<string, () => Calls | Promise<Calls>>> = {
  "undici.request": () => {
    const dispatcher = new Agent()
    return loops(async () => {
      const body = signed()
      const response = await request(url, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        dispatcher
      })
      const answer = (await response.body.json()) as { requestId: string }
      strictEqual(body.requestId, answer.requestId)
    })
  },
  "undici.request, a read": () => {
    const dispatcher = new Agent()
    return loops(async () => {
      const response = await request(`${url}/status/100001`, { headers, dispatcher })
      strictEqual("PENDING", (await response.body.json()) as string)
    })
  },
  "pawl, a read": () => effects(read, ManagedRuntime.make(pawl)),
  pawl: () => effects(pay, ManagedRuntime.make(pawl)),
  "pawl, with a span": () => effects(pay, ManagedRuntime.make(Layer.merge(pawl, tracer))),
  fetch: () =>
    loops(async () => {
      const body = signed()
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
      const answer = (await response.json()) as { requestId: string }
      strictEqual(body.requestId, answer.requestId)
    }),
  axios: () => {
    const httpAgent = new HttpAgent({ keepAlive: true })
    return loops(async () => {
      const body = signed()
      const response = await axios.post<{ requestId: string }>(url, body, { headers, httpAgent })
      strictEqual(body.requestId, response.data.requestId)
    })
  },
  "plain HttpApiClient": async () => {
    const plain = ManagedRuntime.make(NodeHttpClient.layerUndici)
    const derived = await plain.runPromise(
      HttpApiClient.make(Api.Api, {
        baseUrl: base,
        transformClient: HttpClient.mapRequest(
          HttpClientRequest.setHeader("authorization", authorization)
        )
      })
    )
    const call = Effect.suspend(() => {
      const payload = signed()
      return Effect.map(
        derived.apmPayments.createApmPayment({ payload: payload as never }),
        ({ requestId }) => strictEqual(payload.requestId, requestId)
      )
    })
    return effects(call, plain)
  },
  "stripe-node": () => {
    const stripe = new Stripe("sk_test_bench", { host: "127.0.0.1", port, protocol: "http" })
    return loops(async () => {
      const body = payment()
      const answer = await stripe.paymentIntents.create(
        { ...body, amount: 1050 } as unknown as Stripe.PaymentIntentCreateParams,
        { idempotencyKey: body.requestId }
      )
      strictEqual(body.requestId, (answer as unknown as { requestId: string }).requestId)
    })
  }
}

const make = clients[name]
if (make === undefined) throw new Error(`Unknown client ${name}`)
answerWithCost(await make())
