/**
 * Measures the test services.
 *
 * - `fake`: the CPU time of a payment and a read of its status, client and service together, 64 at
 *   once: the fake, a sandbox in the same process, and msw handlers.
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
import { strictEqual } from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { Pool } from "undici"
import { type Bench, type Costs, inRounds, measure, type Variant } from "./harness.ts"
import { callAll, concurrency, details, payment, runAll, signed } from "./payments.ts"
import { startServer } from "./processes.ts"

const pace = "1 hour"
const credentials = { merchantKey: "sandbox-key", merchantSecret: "sandbox-secret" }

const pay = Effect.gen(function* () {
  const plain = payment(details)
  const payments = yield* ApmPayments.ApmPayments
  const created = yield* payments.create(plain)
  strictEqual(created.requestId, plain.requestId)
  strictEqual(yield* payments.status(created.transactionId), "NEW")
})

const effects = <E>(
  name: string,
  runtime: ManagedRuntime.ManagedRuntime<ApmPayments.ApmPayments, E>
): Variant => ({
  name,
  check: () => runtime.runPromise(pay),
  run: (times) => runAll(times, pay, runtime)
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

const serve = async (name: string, paths: { readonly create: string; readonly read: string }) => {
  const server = await startServer(new URL("fakeServer.ts", import.meta.url), [name])
  const pool = new Pool(`http://127.0.0.1:${server.port}`, { connections: concurrency })
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
    const body = JSON.stringify(signed(payment(details), credentials.merchantSecret))
    const made = await send("POST", paths.create, body)
    await send("GET", `${paths.read}/${String(made["transactionId"] ?? made["id"])}`)
  }
  return {
    name,
    call,
    cpuTime: server.cpuTime,
    close: async () => {
      await pool.destroy()
      server.close()
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
    for (const { call, cpuTime } of servers) {
      const end = (await cpuTime()) + warmUp
      while ((await cpuTime()) < end) await callAll(times, call)
    }
    const of = await inRounds(servers, { rounds }, async ({ call, cpuTime }) => {
      const start = await cpuTime()
      await callAll(times, call)
      return ((await cpuTime()) - start) / (2 * times)
    })
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

interface Program {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

const programs: ReadonlyArray<Program> = [
  { name: "node:http and effect/http-api", args: ["--input-type=module", "--eval", floor] },
  { name: "sandbox", args: command },
  {
    name: "sandbox, without compile cache",
    args: command,
    env: { NODE_DISABLE_COMPILE_CACHE: "1" }
  }
]

const untilReady = async ({ args, env }: Program): Promise<number> => {
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

export const ready: Bench = {
  what: "time from the start of a process to its ready line",
  floor: "node:http and effect/http-api",
  goals: [{ variant: "sandbox", against: "node:http and effect/http-api", atMost: 2 }],
  run: async () => ({
    unit: "time",
    of: await inRounds(programs, { rounds: 11, warmUps: 1 }, untilReady)
  })
}
