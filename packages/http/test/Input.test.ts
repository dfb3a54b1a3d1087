import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { ApmPayments } from "../src/ApmPayments.ts"
import * as Pawl from "../src/Pawl.ts"
import { Refunds } from "../src/Refunds.ts"
import * as Memory from "./support/memory.ts"
import * as Server from "./support/server.ts"

const run = <A, E>(service: Memory.Service, effect: Effect.Effect<A, E, Pawl.Services>) =>
  effect.pipe(Effect.result, Memory.settled, Effect.provide(Memory.client(service)), Memory.virtual)

const create = (input: object) =>
  ApmPayments.use((payments) => payments.create({ ...Memory.payment, ...input }))

describe("C37 an input", () => {
  it("with undefined members is sent without them, at any depth", async () => {
    const service = new Memory.Service()
    const input = {
      requestId: "order-1",
      callbackUrl: undefined,
      metadata: { a: "1", b: undefined },
      order: { title: undefined, orderId: "7" }
    }
    expect(Result.isSuccess(await run(service, create(input)))).toBe(true)
    const body = JSON.parse(service.requests[0]?.body ?? "{}")
    expect(body).toMatchObject({ metadata: { a: "1" }, order: { orderId: "7" } })
    expect(service.requests[0]?.body).not.toMatch(/callbackUrl|title|"b"/u)
  })

  it("with an undefined required member is still refused", async () => {
    const service = new Memory.Service()
    expect(await run(service, create({ amount: undefined }))).toMatchObject({
      failure: {
        _tag: "ValidationFailed",
        sent: false,
        fields: [{ path: "amount", message: "Set this field" }]
      }
    })
  })

  it("with several faults is refused once, and names the field of each", async () => {
    const service = new Memory.Service()
    const input = { amount: "ten", currency: 7, order: { orderId: 7 } }
    const result = await run(service, create(input))
    expect(result).toMatchObject({ failure: { _tag: "ValidationFailed", sent: false } })
    const fields =
      Result.isFailure(result) && "fields" in result.failure ? result.failure.fields : []
    expect(fields.map(({ path }) => path).toSorted()).toEqual([
      "amount",
      "currency",
      "order.orderId"
    ])
    expect(service.requests.length).toBe(0)
  })

  it("with a bigint in an open payload is refused, and names the field", async () => {
    const service = new Memory.Service()
    const input = { apmPayload: { paymentMethod: "EWALLET", wallet: { id: 7n } } }
    expect(await run(service, create(input))).toMatchObject({
      failure: { _tag: "ValidationFailed", sent: false, fields: [{ path: "apmPayload.wallet.id" }] }
    })
    expect(service.requests.length).toBe(0)
  })

  it("with itself as a member is refused", async () => {
    const apmPayload: Record<string, unknown> = { paymentMethod: "EWALLET" }
    apmPayload["self"] = apmPayload
    expect(await run(new Memory.Service(), create({ apmPayload }))).toMatchObject({
      failure: { _tag: "ValidationFailed", sent: false }
    })
  })

  it.each([2 ** 53, Number("9007199254740993"), 1e21])(
    "with %d as the id of a refunded payment is refused",
    async (transactionId) => {
      const service = new Memory.Service()
      const refund = Refunds.use((refunds) =>
        refunds.create({
          mid: "mid-1",
          amount: "1.00",
          reason: "duplicate",
          transactionId: transactionId as unknown as string
        })
      )
      expect(await run(service, refund)).toMatchObject({
        failure: { _tag: "ValidationFailed", sent: false, fields: [{ path: "transactionId" }] }
      })
      expect(service.requests.length).toBe(0)
    }
  )
})

describe("C33 a requestId", () => {
  it("that was made before the call is known after an interruption", () =>
    Effect.gen(function* () {
      const service = new Memory.Service({ answer: () => Effect.never })
      const saved: Array<string> = []
      const pay = Effect.gen(function* () {
        const requestId = yield* Pawl.makeRequestId
        saved.push(requestId)
        return yield* create({ requestId })
      }).pipe(Effect.provide(Memory.client(service)))
      const fiber = yield* Effect.forkChild(pay, { startImmediately: true })
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      expect(service.requests.length).toBe(1)
      expect(saved).toEqual([JSON.parse(service.requests[0]?.body ?? "{}").requestId])
      expect(saved[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/u)
      expect(yield* Pawl.makeRequestId).not.toBe(saved[0])
    }).pipe(Memory.virtual))
})

it("sends the version of the package as its User-Agent", async () => {
  const service = new Memory.Service()
  await run(service, create({}))
  const { version } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8")
  ) as { readonly version: string }
  for (const { headers } of [...service.auths, ...service.requests])
    expect(headers["user-agent"]).toBe(`pawl/${version}`)
})

it(
  "C34 a runtime that is not disposed does not keep its process alive",
  () =>
    Effect.gen(function* () {
      const server = yield* Server.start((socket, request) =>
        Server.reply(
          socket,
          200,
          request.startsWith("POST /api/v1/auth ") ? '{"token":"abc"}' : '"NEW"',
          {
            connection: "close"
          }
        )
      )
      const script = `
      import { ApmPayments } from "@pawl/http/ApmPayments"
      import * as Pawl from "@pawl/http/Pawl"
      import * as ManagedRuntime from "effect/ManagedRuntime"
      import * as Redacted from "effect/Redacted"
      const runtime = ManagedRuntime.make(Pawl.layer({
        baseUrl: "${server.url}/api", merchantKey: "key", merchantSecret: Redacted.make("secret")
      }))
      console.log(await runtime.runPromise(ApmPayments.use(({ status }) => status("7"))))
    `
      const code = yield* Effect.callback<number | null>((resume) => {
        const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
          cwd: new URL("..", import.meta.url),
          stdio: "ignore"
        })
        child.once("exit", (code) => resume(Effect.succeed(code)))
        return Effect.sync(() => child.kill())
      }).pipe(Effect.timeout("20 seconds"))
      expect(code).toBe(0)
    }).pipe(Effect.scoped, Effect.runPromise),
  30_000
)

it("the headers of the configuration are those of each request, beside the client's own", async () => {
  const service = new Memory.Service()
  const client = Memory.client(service, { headers: { "X-Gateway-Key": "key-1" } })
  await create({}).pipe(Effect.provide(client), Memory.virtual)
  expect([...service.auths, ...service.requests].map(({ headers }) => headers)).toEqual([
    expect.objectContaining({ "x-gateway-key": "key-1", accept: "application/json" }),
    expect.objectContaining({ "x-gateway-key": "key-1", accept: "application/json" })
  ])
})
