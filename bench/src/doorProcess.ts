/**
 * The process of one variant of `door.ts`: the promises of `pawl`, or the packages that it is made of. Its arguments are the
 * name of the variant and the port of the service. It makes the requested number of calls, and reports their CPU time.
 */
import { ApmPayments } from "@pawl/http/ApmPayments"
import { Requests } from "@pawl/webhook/Requests"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { open } from "pawl"
import * as Options from "pawl/Options"
import * as Services from "pawl/Services"
import { answerWithCost } from "./harness.ts"

const concurrency = 64

const [name = "", port = ""] = process.argv.slice(2)
const options = {
  baseUrl: `http://127.0.0.1:${port}/api`,
  merchantKey: "key",
  merchantSecret: "merchant-secret",
  store: "memory",
  onChange: () => {}
}

let count = 0
const payment = () => ({
  requestId: `order-${++count}`,
  accountId: "1001",
  apmPayload: { paymentType: "APM", paymentMethod: "EWALLET" },
  amount: "10.50",
  currency: "EUR"
})

const read = ApmPayments.use(({ status }) => status("100001"))

type Calls = (times: number) => Promise<void>

/** Makes calls of promises, 64 concurrently. */
const promises =
  (call: () => Promise<unknown>): Calls =>
  async (times) => {
    let left = times
    const loop = async () => {
      while (left-- > 0) await call()
    }
    await Promise.all(Array.from({ length: concurrency }, loop))
  }

const makeRuntime = async () => {
  const settings = await Effect.runPromise(Options.read(options))
  return ManagedRuntime.make(Services.layer(Services.client(options), settings, options))
}

/** Makes calls of effects, 64 concurrently. */
const effects = async <E>(
  call: Effect.Effect<unknown, E, ApmPayments | Requests>
): Promise<Calls> => {
  const runtime = await makeRuntime()
  return (times) =>
    runtime.runPromise(
      Effect.forEach(Array.from({ length: times }), () => call, { concurrency, discard: true })
    )
}

/** Runs each call by `runPromise`, as a program of promises does without pawl. */
const runPromises = async <E>(
  call: Effect.Effect<unknown, E, ApmPayments | Requests>
): Promise<Calls> => {
  const runtime = await makeRuntime()
  return promises(() => runtime.runPromise(call))
}

const variants: Readonly<Record<string, () => Promise<Calls>>> = {
  "pawl, a create": async () => {
    const { apmPayments } = await open(options)
    return promises(() => apmPayments.create(payment()))
  },
  "packages, a create": () =>
    effects(Effect.suspend(() => Requests.use(({ send }) => send("apm-payment", payment())))),
  "pawl, a read": async () => {
    const { apmPayments } = await open(options)
    return promises(() => apmPayments.status("100001"))
  },
  "packages, a read": () => effects(read),
  "packages, a read by runPromise": () => runPromises(read)
}

const make = variants[name]
if (make === undefined) throw new Error(`Unknown variant ${name}`)
answerWithCost(await make())
