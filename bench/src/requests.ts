/**
 * Measures the time of a durable request: 32 callers create APM payments, by the client alone and
 * by `Requests` over a SQLite file whose commits reach the disk (`synchronous=FULL`). The server is
 * another process.
 */
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as ApmPayments from "@pawl/http/ApmPayments"
import * as Pawl from "@pawl/http/Pawl"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Requests from "@pawl/webhook/Requests"
import * as Seal from "@pawl/webhook/Seal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"
import { type Bench, type Costs, measure, type Variant } from "./harness.ts"
import * as Payments from "./payments.ts"
import { startServer } from "./processes.ts"
import { scratch } from "./scratch.ts"

const callers = 32
const current = Redacted.make("merchant-secret")

const payment = () =>
  Payments.payment({ callbackUrl: "https://shop.example/callback", ...Payments.details })

const variant = <R, E>(
  name: string,
  call: (
    input: ReturnType<typeof payment>
  ) => Effect.Effect<{ readonly requestId?: string | null }, unknown, R>,
  runtime: ManagedRuntime.ManagedRuntime<R, E>
): Variant => {
  const one = Effect.suspend(() => {
    const input = payment()
    return Effect.map(call(input), ({ requestId }) => {
      if (requestId !== input.requestId) throw new Error(`${name}: another response`)
    })
  })
  return {
    name,
    check: () => runtime.runPromise(one),
    run: async (times) => {
      const start = performance.now()
      await runtime.runPromise(
        Effect.forEach(Array.from({ length: times }), () => one, {
          concurrency: callers,
          discard: true
        })
      )
      return (performance.now() - start) * 1000
    }
  }
}

const run = async (delay: number): Promise<Costs> => {
  const directory = scratch()
  const origin = await startServer(new URL("origin.ts", import.meta.url), [String(delay)])
  const client = Pawl.layer({
    baseUrl: `http://127.0.0.1:${origin.port}/api`,
    merchantKey: "key",
    merchantSecret: current
  })
  const bare = ManagedRuntime.make(client)
  const durable = ManagedRuntime.make(
    Requests.layer().pipe(
      Layer.provide([
        client,
        CallbackUrl.layer(current),
        Seal.layer({ current }),
        NodeSqlite.layerLedger({ filename: join(directory, "ledger.sqlite") })
      ]),
      Layer.provide(NodeHmac.layer)
    )
  )
  try {
    const { of } = await measure(
      [
        variant(
          "client",
          (input) => ApmPayments.ApmPayments.use(({ create }) => create(input)),
          bare
        ),
        variant(
          "Requests.send",
          (input) => Requests.Requests.use(({ send }) => send("apm-payment", input)),
          durable
        )
      ],
      { synchronous: false, slice: 10 * callers, warmUp: 3000 }
    )
    return { unit: "time", of }
  } finally {
    await Promise.all([bare.dispose(), durable.dispose()])
    origin.close()
  }
}

const what = (service: string): string => `a create written to SQLite before and after; ${service}`

/** The ratio depends on the time that the service takes: payments take 100 ms and more. */
export const requests: Bench = {
  what: what("the service takes 100 ms"),
  floor: "client",
  goals: [{ variant: "Requests.send", against: "client", atMost: 1.3 }],
  run: () => run(100)
}

export const requestsQuick: Bench = {
  what: what("the service takes 20 ms"),
  floor: "client",
  goals: [],
  run: () => run(20)
}

export const requestsAtOnce: Bench = {
  what: what("the service responds at once"),
  floor: "client",
  goals: [],
  run: () => run(0)
}
