/**
 * Measures the test services.
 *
 * - `fake`: the CPU time of a payment and a read of its status, for client and service together, 64
 *   calls concurrently: the fake, a sandbox in the same process, and msw handlers.
 * - `sandbox`: the CPU time of a server, in its own process, for a create and a read.
 * - `ready`: the time from the start of a process to its ready line.
 *
 * No transaction changes its status, because later changes would count for the next variant.
 */
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as ApmPayments from "@pawl/http/ApmPayments"
import * as Pawl from "@pawl/http/Pawl"
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as PawlPortable from "@pawl/http/PawlPortable"
import * as Transport from "@pawl/http/Transport"
import * as Fake from "@pawl/testkit/Fake"
import * as Sandbox from "@pawl/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { http, HttpResponse } from "msw"
import { setupServer } from "msw/node"
import { fork, spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { Pool } from "undici"
import { type Bench, type Costs, measure, nextMessage, type Variant } from "./harness.ts"

const concurrency = 64
const pace = "1 hour"
const credentials = { merchantKey: "sandbox-key", merchantSecret: "sandbox-secret" }

const fields = {
  accountId: "1001",
  apmPayload: { paymentType: "APM", paymentMethod: "EWALLET" },
  amount: "10.50",
  currency: "EUR",
  metadata: { basket: "7" },
  order: { orderId: "order-1", title: "Tea" },
  billingDetails: { firstName: "Ada", lastName: "Lovelace", email: "ada@shop.example" }
}

let count = 0

const expectSame = (expected: unknown, got: unknown): void => {
  if (expected !== got) throw new Error(`Expected ${String(expected)}, got ${String(got)}`)
}

const pay = Effect.gen(function* () {
  const requestId = `order-${++count}`
  const payments = yield* ApmPayments.ApmPayments
  const created = yield* payments.create({ requestId, ...fields })
  expectSame(requestId, created.requestId)
  expectSame("NEW", yield* payments.status(created.transactionId))
})

const runConcurrently = (times: number, call: () => Promise<void>): Promise<unknown> => {
  let left = times
  const loop = async (): Promise<void> => {
    while (left-- > 0) await call()
  }
  return Promise.all(Array.from({ length: concurrency }, loop))
}

const effects = <E>(
  name: string,
  runtime: ManagedRuntime.ManagedRuntime<ApmPayments.ApmPayments, E>
): Variant => ({
  name,
  check: () => runtime.runPromise(pay),
  run: (times) =>
    runtime.runPromise(
      Effect.suspend(() => {
        let left = times
        const loop = Effect.whileLoop({
          while: () => left-- > 0,
          body: () => pay,
          step: () => undefined
        })
        return Effect.all(
          Array.from({ length: concurrency }, () => loop),
          { concurrency: "unbounded", discard: true }
        )
      })
    )
})

/** Handlers for msw as a merchant writes them: fixed responses, without state or checks. */
const handlers = [
  http.post("https://msw.test/api/v1/auth", () => HttpResponse.json({ accessToken: "a.e30.b" })),
  http.post("https://msw.test/api/v1/payments/apm", async ({ request }) => {
    const { requestId } = (await request.json()) as { readonly requestId: string }
    return HttpResponse.json({
      requestId,
      transactionId: "100001",
      transactionStatus: "NEW",
      createdTime: "2030-01-01T00:00:00Z",
      paymentType: "APM"
    })
  }),
  http.get("https://msw.test/api/v1/payments/apm/status/:id", () => HttpResponse.json("NEW"))
]

const options = (baseUrl: string) => ({
  baseUrl,
  merchantKey: credentials.merchantKey,
  merchantSecret: Redacted.make(credentials.merchantSecret)
})

const overMsw = PawlPortable.layer.pipe(
  Layer.provide([
    Transport.layerFetch(),
    NodeHmac.layer,
    PawlConfig.layer(options("https://msw.test/api"))
  ])
)

const overLoopback = Layer.unwrap(
  Effect.map(Sandbox.Sandbox, ({ baseUrl }) => Pawl.layer(options(baseUrl)))
).pipe(Layer.provide(Sandbox.layer({ pace })))

const runFake = async (): Promise<Costs> => {
  const fake = ManagedRuntime.make(Fake.layer({ pace }))
  const loopback = ManagedRuntime.make(overLoopback)
  const mocked = ManagedRuntime.make(overMsw)
  const server = setupServer(...handlers)
  const msw = effects("msw", mocked)
  const withMsw = async (act: () => void | Promise<void>): Promise<void> => {
    server.listen()
    try {
      await act()
    } finally {
      server.close()
    }
  }
  try {
    return await measure(
      [
        effects("Fake.layer", fake),
        effects("sandbox on loopback", loopback),
        {
          name: msw.name,
          check: () => withMsw(msw.check),
          run: (times) => withMsw(async () => void (await msw.run(times)))
        }
      ],
      { synchronous: false, slice: 300, warmUp: 3000 }
    )
  } finally {
    await Promise.all([fake.dispose(), loopback.dispose(), mocked.dispose()])
  }
}

export const fake: Bench = {
  what: "a payment and a read of its status, 64 concurrent, in one process",
  floor: "Fake.layer",
  goals: [{ variant: "Fake.layer", against: "sandbox on loopback", atMost: 1 / 4 }],
  run: runFake
}

const signed = () => {
  const plain = { requestId: `order-${++count}`, ...fields }
  const text = [plain.accountId, plain.requestId, plain.amount, plain.currency].join("|")
  const hmac = createHmac("sha256", credentials.merchantSecret)
  return JSON.stringify({ ...plain, checksum: hmac.update(text).digest("hex") })
}

const serve = async (name: string, paths: { readonly create: string; readonly read: string }) => {
  const child = fork(new URL("fakeServer.ts", import.meta.url), [name])
  const next = async () => (await nextMessage(child)) as number
  const pool = new Pool(`http://127.0.0.1:${await next()}`, { connections: concurrency })
  const headers: Record<string, string> = { "content-type": "application/json" }
  const send = async (method: string, path: string, body?: string) => {
    const response = await pool.request({ method, path, headers, ...(body && { body }) })
    const answer: unknown = await response.body.json()
    if (response.statusCode >= 300) throw new Error(`${name} answered ${response.statusCode}`)
    return answer as Readonly<Record<string, unknown>>
  }
  if (name === "sandbox") {
    const { accessToken } = await send("POST", "/api/v1/auth", JSON.stringify(credentials))
    headers["authorization"] = `Bearer ${String(accessToken)}`
  }
  const call = async (): Promise<void> => {
    const made = await send("POST", paths.create, signed())
    await send("GET", `${paths.read}/${String(made["transactionId"] ?? made["id"])}`)
  }
  return {
    name,
    call,
    cpuTime: () => {
      child.send("cpu time")
      return next()
    },
    close: async () => {
      await pool.destroy()
      child.disconnect()
    }
  }
}

const runSandbox = async (): Promise<Costs> => {
  const [rounds, times, warmUp] = [15, 1000, 2_000_000]
  const apm = { create: "/api/v1/payments/apm", read: "/api/v1/payments/apm/status" }
  const servers = [
    await serve("bare node:http", apm),
    await serve("HttpRouter", apm),
    await serve("sandbox", apm),
    await serve("json-server", { create: "/api/v1/payments", read: "/api/v1/payments" })
  ]
  try {
    const of = new Map(servers.map(({ name }): [string, Array<number>] => [name, []]))
    for (const { call, cpuTime } of servers) {
      const end = (await cpuTime()) + warmUp
      while ((await cpuTime()) < end) await runConcurrently(times, call)
    }
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < servers.length; turn++) {
        const { call, cpuTime, name } = servers[(round + turn) % servers.length]!
        const start = await cpuTime()
        await runConcurrently(times, call)
        of.get(name)?.push(((await cpuTime()) - start) / (2 * times))
      }
    }
    return { unit: "CPU time of the server per request", of }
  } finally {
    for (const { close } of servers) await close()
  }
}

export const sandbox: Bench = {
  what: "a create and a read, 64 concurrent, each server in its own process",
  floor: "bare node:http",
  goals: [
    { variant: "sandbox", against: "bare node:http", atMost: 3 },
    { variant: "sandbox", against: "json-server", atMost: 1 / 4 }
  ],
  run: runSandbox
}

const floor = `
import "effect/http-api"
import { createServer } from "node:http"
createServer().listen(0, "127.0.0.1", () => console.log("ready"))
`

const command = [
  new URL("../../packages/sandbox/src/bin/pawl-sandbox.ts", import.meta.url).pathname,
  "--port",
  "0"
]

const programs: ReadonlyArray<
  readonly [name: string, args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>]
> = [
  ["node:http and effect/http-api", ["--input-type=module", "--eval", floor]],
  ["sandbox", command],
  ["sandbox, without compile cache", command, { NODE_DISABLE_COMPILE_CACHE: "1" }]
]

const untilReady = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<number> => {
  const start = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: new URL("..", import.meta.url),
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [line] = (await once(child.stdout, "data")) as [Buffer]
  const took = performance.now() - start
  if (!line.toString().startsWith("ready")) throw new Error(`not ready: ${line.toString()}`)
  child.kill()
  await once(child, "exit")
  return took
}

const runReady = async (): Promise<Costs> => {
  const of = new Map(programs.map(([name]): [string, Array<number>] => [name, []]))
  for (let round = 0; round < 12; round++) {
    for (let turn = 0; turn < programs.length; turn++) {
      const [name, args, env] = programs[(round + turn) % programs.length]!
      const took = await untilReady(args, env)
      if (round > 0) of.get(name)?.push(took)
    }
  }
  return { unit: "time", of }
}

export const ready: Bench = {
  what: "time from the start of a process to its ready line",
  floor: "node:http and effect/http-api",
  goals: [{ variant: "sandbox", against: "node:http and effect/http-api", atMost: 2 }],
  run: runReady
}
