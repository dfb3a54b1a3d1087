/**
 * What a call costs: an APM payment is created, 64 at a time, against one origin in a process of its
 * own. The floor is undici's `request` with everything else by hand, the checksum included.
 *
 * All send the same fields, and hold the answer against the requestId they sent. Stripe's client has the
 * settings it comes with, and sends the fields as a form, since that is what it speaks.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Api from "@pawl/http/Api"
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
import { fork } from "node:child_process"
import { createHmac, createSecretKey } from "node:crypto"
import { once } from "node:events"
import { Agent as HttpAgent } from "node:http"
import Stripe from "stripe"
import { Agent, request } from "undici"
import { type Bench, type Costs, measure, type Variant } from "./harness.ts"

const concurrency = 64
const secret = "merchant-secret"
const key = createSecretKey(Buffer.from(secret))
const authorization = "Bearer a.e30.b"

const fields = {
  accountId: "1001",
  apmPayload: { paymentType: "APM", paymentMethod: "EWALLET" },
  amount: "10.50",
  currency: "EUR",
  successRedirectUrl: "https://shop.example/paid",
  failureRedirectUrl: "https://shop.example/failed",
  callbackUrl: "https://shop.example/callback",
  metadata: { basket: "7" },
  order: { orderId: "order-1", title: "Tea" },
  billingDetails: { firstName: "Ada", lastName: "Lovelace", email: "ada@shop.example" }
}

let count = 0
/** The fields under a requestId of their own. */
const payment = () => ({ requestId: `order-${++count}`, ...fields })
const signed = () => {
  const plain = payment()
  const text = [plain.accountId, plain.requestId, plain.amount, plain.currency].join("|")
  return { ...plain, checksum: createHmac("sha256", key).update(text).digest("hex") }
}

const hold = (sent: string, got: unknown): void => {
  if (sent !== got) throw new Error(`${sent} was answered with ${String(got)}`)
}

/** A variant of plain promises: as many loops at a time as there may be calls. */
const loops = (name: string, call: () => Promise<void>): Variant => ({
  name,
  check: call,
  run: async (times) => {
    let left = times
    const loop = async (): Promise<void> => {
      while (left-- > 0) await call()
    }
    await Promise.all(Array.from({ length: concurrency }, loop))
  }
})

/** A variant of effects, in the runtime that has what they need. */
const effects = <R, E>(
  name: string,
  call: Effect.Effect<void, unknown, R>,
  runtime: ManagedRuntime.ManagedRuntime<R, E>
): Variant => ({
  name,
  check: () => runtime.runPromise(call),
  run: (times) =>
    runtime.runPromise(
      Effect.suspend(() => {
        let left = times
        const loop = Effect.whileLoop({
          while: () => left-- > 0,
          body: () => call,
          step: () => undefined
        })
        return Effect.all(
          Array.from({ length: concurrency }, () => loop),
          {
            concurrency: "unbounded",
            discard: true
          }
        )
      })
    )
})

const pay = Effect.suspend(() => {
  const plain = payment()
  return ApmPayments.ApmPayments.use(({ create }) =>
    Effect.map(create(plain), ({ requestId }) => hold(plain.requestId, requestId))
  )
})

/** Takes the spans, as one that exports them would, and lets go of them. */
const tracer = Layer.succeed(
  Tracer.Tracer,
  Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
)

const run = async (): Promise<Costs> => {
  const origin = fork(new URL("origin.ts", import.meta.url))
  const [port] = (await once(origin, "message")) as [number]
  const base = `http://127.0.0.1:${port}`
  const url = `${base}/api/v1/payments/apm`
  const headers = { authorization, "content-type": "application/json", accept: "application/json" }

  const agent = new Agent()
  const keepAlive = new HttpAgent({ keepAlive: true })
  const stripe = new Stripe("sk_test_bench", {
    host: "127.0.0.1",
    port,
    protocol: "http"
  })
  const pawl = Pawl.layer({
    baseUrl: `${base}/api`,
    merchantKey: "key",
    merchantSecret: Redacted.make(secret)
  })
  const plain = ManagedRuntime.make(NodeHttpClient.layerUndici)
  const ours = ManagedRuntime.make(pawl)
  const traced = ManagedRuntime.make(Layer.merge(pawl, tracer))

  const derived = await plain.runPromise(
    HttpApiClient.make(Api.Api, {
      baseUrl: base,
      transformClient: HttpClient.mapRequest(
        HttpClientRequest.setHeader("authorization", authorization)
      )
    })
  )

  const variants: ReadonlyArray<Variant> = [
    loops("undici.request", async () => {
      const body = signed()
      const response = await request(url, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        dispatcher: agent
      })
      const answer = (await response.body.json()) as { requestId: string }
      hold(body.requestId, answer.requestId)
    }),
    effects("pawl", pay, ours),
    effects("pawl, with a span", pay, traced),
    loops("fetch", async () => {
      const body = signed()
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
      const answer = (await response.json()) as { requestId: string }
      hold(body.requestId, answer.requestId)
    }),
    loops("axios", async () => {
      const body = signed()
      const response = await axios.post<{ requestId: string }>(url, body, {
        headers,
        httpAgent: keepAlive
      })
      hold(body.requestId, response.data.requestId)
    }),
    effects(
      "plain HttpApiClient",
      Effect.suspend(() => {
        const payload = signed()
        return Effect.map(
          derived.apmPayments.createApmPayment({ payload: payload as never }),
          ({ requestId }) => hold(payload.requestId, requestId)
        )
      }),
      plain
    ),
    loops("stripe-node", async () => {
      const body = payment()
      // Nested where Stripe has no such field; its client encodes whatever it is given.
      const answer = await stripe.paymentIntents.create(
        { ...body, amount: 1050 } as unknown as Stripe.PaymentIntentCreateParams,
        { idempotencyKey: body.requestId }
      )
      hold(body.requestId, (answer as unknown as { requestId: string }).requestId)
    })
  ]
  try {
    return await measure(variants, { synchronous: false, slice: 300, warmUp: 8000 })
  } finally {
    await Promise.all([ours.dispose(), traced.dispose(), plain.dispose(), agent.destroy()])
    keepAlive.destroy()
    origin.disconnect()
  }
}

export const client: Bench = {
  what: "a create, 64 at a time, against an origin in another process",
  floor: "undici.request",
  goals: [
    { variant: "pawl", against: "undici.request", atMost: 1.35 },
    { variant: "pawl, with a span", against: "undici.request", atMost: 1.75 },
    { variant: "pawl", against: "stripe-node", atMost: 0.4 }
  ],
  run
}
