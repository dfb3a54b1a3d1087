/**
 * An application of the client and the receiver that imports no module of Node, and checks of it
 * for every JavaScript runtime (`pnpm runtimes`).
 *
 * The checks send several requests at once: in a Worker the handler of one request cannot wait for
 * the input or output of another.
 */
import * as Checksum from "@pawl/core/Checksum"
import * as Handler from "@pawl/core/Handler"
import * as Hmac from "@pawl/core/Hmac"
import { StatusReader } from "@pawl/core/StatusReader"
import { ApmPayments } from "@pawl/http/ApmPayments"
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as PawlPortable from "@pawl/http/PawlPortable"
import * as Transport from "@pawl/http/Transport"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as WebReceiver from "@pawl/webhook/WebReceiver"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"

const secret = Redacted.make("portable-secret")

export type Fetch = (request: Request) => Promise<Response>

/**
 * `POST /pay?order-1` creates a payment with that requestId and responds with its status. `POST
 * /callback` receives callbacks. `GET /told` lists what the handler was told.
 */
export const makeApplication = (baseUrl: string): Fetch => {
  const client = ManagedRuntime.make(
    PawlPortable.layerPerRequest.pipe(
      Layer.provide(Transport.layerFetch()),
      Layer.provide(Hmac.layer),
      Layer.provide(PawlConfig.layer({ baseUrl, merchantKey: "key", merchantSecret: secret }))
    )
  )
  const told: Array<string> = []
  const receiver = WebReceiver.toHandler(
    Receiver.layer().pipe(
      Layer.provide([
        Handler.layer(({ to, transactionId }) =>
          Effect.sync(() => {
            told.push(`${transactionId} ${to}`)
          })
        ),
        Ledger.layerMemory,
        Layer.succeed(StatusReader, {
          read: () => Effect.succeed({ kind: "card-payment", status: "SUCCEED" })
        }),
        Verifier.layer({ current: secret })
      ]),
      Layer.provide(Hmac.layer)
    )
  )
  const pay = (requestId: string) =>
    ApmPayments.use(({ create }) =>
      create({
        requestId,
        accountId: "1001",
        apmPayload: { paymentMethod: "EWALLET" },
        amount: "10.50",
        currency: "EUR"
      })
    ).pipe(
      Effect.match({
        onFailure: (error) => error.message,
        onSuccess: ({ transactionStatus }) => transactionStatus
      })
    )
  return async (request) => {
    const { pathname, search } = new URL(request.url)
    if (pathname === "/pay") return new Response(await client.runPromise(pay(search.slice(1))))
    return pathname === "/told" ? Response.json(told) : receiver.handler(request)
  }
}

const expectSame = (actual: unknown, expected: unknown): void => {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (found !== wanted) throw new Error(`${found} is not ${wanted}`)
}

const signed = { account: "mid-1", amount: "10.50", currency: "EUR", transactionId: "100001" }

const callback = (changes: object = {}) => {
  const { account, amount, currency, transactionId } = signed
  const body = { mid: account, orderAmount: amount, orderCurrency: currency, transactionId }
  const sign = Hmac.keyed(secret)
  return new Request("https://shop.example/callback?paymentMethod=card", {
    method: "POST",
    headers: { "content-type": "application/json", "x-checksum": Checksum.callback(sign, signed) },
    body: JSON.stringify({ ...body, transactionStatus: "SUCCEED", ...changes })
  })
}

/**
 * Runs the checks one after the other, and returns the failures. `send` sends a request to the
 * application; `service` is the URL of the payments service. Without `hasBackground` background work
 * ends with its request, as in Workers, so no handler is called.
 */
export const runChecks = async (send: Fetch, service: string, hasBackground: boolean) => {
  const text = async (path: string, method = "GET") =>
    (await send(new Request(`https://shop.example${path}`, { method }))).text()
  const payFive = (name: string) =>
    Promise.all([1, 2, 3, 4, 5].map((n) => text(`/pay?${name}-${n}`, "POST")))
  const fiveNew = ["NEW", "NEW", "NEW", "NEW", "NEW"]
  const countTokens = async () => Number(await (await fetch(`${service}/tokens`)).text())

  const isTold = async () => {
    for (let tries = 0; tries < 40; tries++) {
      if ((await text("/told")) !== "[]") break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expectSame(await text("/told"), '["100001 SUCCEED"]')
  }

  const checks: Readonly<Record<string, () => Promise<void>>> = {
    "five payments at once, before there is a token": async () =>
      expectSame(await payFive("cold"), fiveNew),
    "five payments at once, with a token": async () => {
      const tokens = await countTokens()
      expectSame(await payFive("warm"), fiveNew)
      expectSame(await countTokens(), tokens)
    },
    "five payments at once, after the token was revoked": async () => {
      const tokens = await countTokens()
      await fetch(`${service}/revoke`, { method: "POST" })
      expectSame(await payFive("revoked"), fiveNew)
      expectSame((await countTokens()) > tokens, true)
    },
    "five callbacks at once, one of them forged": async () => {
      const responses = await Promise.all([
        ...[1, 2, 3, 4].map(() => send(callback())),
        send(callback({ orderAmount: "99.00" }))
      ])
      expectSame(
        responses.map(({ status }) => status),
        [200, 200, 200, 200, 401]
      )
    },
    ...(hasBackground ? { "the handler is told once": isTold } : {})
  }

  const failed: Array<string> = []
  for (const [name, check] of Object.entries(checks)) {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("it took more than five seconds")), 5000)
    })
    await Promise.race([check(), late]).catch((error: unknown) =>
      failed.push(`${name}: ${String(error)}`)
    )
    clearTimeout(timer)
  }
  return { passed: Object.keys(checks).length - failed.length, failed }
}
