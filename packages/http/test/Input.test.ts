import * as RequestId from "@pawl/core/internal/RequestId"
import { RequestSender } from "@pawl/core/RequestSender"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { ApmPayments } from "../src/ApmPayments.ts"
import { toError, withoutUndefined } from "../src/internal/wire/Operation.ts"
import * as Pawl from "../src/Pawl.ts"
import * as Memory from "./support/memory.ts"
import * as Server from "./support/server.ts"

const { pay: create, run } = Memory

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

  it("may have a document of a megabyte, of which an error has nothing", async () => {
    const document = "aB3-".repeat(262_144)
    const answer = Memory.answer(500, { message: document }, { "x-request-id": "service-1" })
    const service = Memory.answering(answer)
    const error = await Memory.failureOf(service, create({ apmPayload: { document } }))
    expect(error).toMatchObject({ _tag: "OutcomeUnknown", serviceRequestId: "service-1" })
    expect(JSON.stringify(error)).not.toContain("aB3")
  })

  it("with an undefined required member is still refused", async () => {
    const service = new Memory.Service()
    expect(await run(service, create({ amount: undefined }))).toMatchObject({
      failure: Memory.refusalOf("amount", "Set this field")
    })
  })

  it("with several faults is refused once, by the name of each field and without its value", async () => {
    const service = new Memory.Service()
    const error = await Memory.failureOf(
      service,
      create({
        requestId: "a|b",
        amount: "10.505",
        currency: "eur",
        callbackUrl: "shop.example",
        billingDetails: { ssn: 4711 }
      })
    )
    if (error._tag !== "ValidationFailed") throw new Error(error._tag)
    expect(error.sent).toBe(false)
    expect(error.fields.map(({ path }) => path).toSorted()).toEqual([
      "amount",
      "billingDetails.ssn",
      "callbackUrl",
      "currency",
      "requestId"
    ])
    for (const value of ["a|b", "10.505", "eur", "shop.example", "4711"]) {
      expect(error.message).not.toContain(value)
    }
    expect(service.auths.length + service.requests.length).toBe(0)
  })

  it("with a bigint in an open payload is refused, and names the field", async () => {
    const service = new Memory.Service()
    const input = { apmPayload: { paymentMethod: "EWALLET", wallet: { id: 7n } } }
    expect(await run(service, create(input))).toMatchObject({
      failure: Memory.refusalOf("apmPayload.wallet.id")
    })
    expect(service.requests.length).toBe(0)
  })
})

describe("C33 a requestId", () => {
  const { requestId: _, ...payment } = Memory.payment
  const once = { maxAttempts: 1 }

  it.each<[string, Effect.Effect<unknown, unknown, Pawl.Services>]>([
    [
      "that a call made is that of its retry, which would pay twice with another",
      ApmPayments.use(({ create }) => Effect.retry(create(payment, once), { times: 1 }))
    ],
    [
      "of a request that is encoded and sent in one effect is that of its retry",
      RequestSender.use(({ encode, send }) =>
        Effect.flatMap(encode("apm-payment", payment), (request) => send(request, once)).pipe(
          Effect.retry({ times: 1 })
        )
      )
    ]
  ])("%s", async (_name, call) => {
    const service = Memory.answering(Memory.answer(500, ""))
    await run(service, call)
    const [first, ...others] = service.requests.map(({ body }) => body)
    expect(others).toEqual([first])
  })

  it("is one for two fibers that run a call at the same time, the first of which is retried", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const currentTimeMillis = Effect.andThen(Effect.yieldNow, clock.currentTimeMillis)
      const call = Effect.provideService(RequestId.ofInput({}), Clock.Clock, {
        ...clock,
        currentTimeMillis
      })
      const ids = yield* Effect.all([call, call], { concurrency: 2 })
      expect(new Set([...ids, yield* call]).size).toBe(1)
    }).pipe(Memory.virtual))

  it("that was made before the call is known after an interruption", () =>
    Effect.gen(function* () {
      const service = new Memory.Service({ answer: () => Effect.never })
      const saved: Array<string> = []
      const pay = Effect.gen(function* () {
        const requestId = yield* Pawl.makeRequestId
        saved.push(requestId)
        return yield* create({ requestId })
      }).pipe(Effect.provide(Memory.client(service)))
      yield* Memory.interrupted(pay)
      expect(service.requests.length).toBe(1)
      expect(saved).toEqual([JSON.parse(service.requests[0]?.body ?? "{}").requestId])
      expect(saved[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/u)
      expect(yield* Pawl.makeRequestId).not.toBe(saved[0])
    }).pipe(Memory.virtual))
})

it("a requestId is a UUIDv7: the time of the clock, and never the same twice", async () => {
  const now = 0x0191_2345_6789
  const ids = await TestClock.setTime(now).pipe(
    Effect.andThen(Effect.replicateEffect(Pawl.makeRequestId, 1000)),
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  )
  for (const id of ids)
    expect(id).toMatch(/^01912345-6789-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
  expect(new Set(ids).size).toBe(1000)
})

it("each request has the version of the package as User-Agent, and the headers of the configuration", async () => {
  const service = new Memory.Service()
  await run(service, create(), { headers: { "X-Gateway-Key": "key-1" } })
  const { version } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8")
  ) as { readonly version: string }
  const sent = [...service.auths, ...service.requests]
  expect(sent.length).toBe(2)
  for (const { headers } of sent)
    expect(headers).toMatchObject({
      "user-agent": `pawl/${version}`,
      "x-gateway-key": "key-1",
      accept: "application/json"
    })
  await run(service, create(), { headers: { "User-Agent": "shop/1" } })
  expect(service.requests.at(-1)?.headers["user-agent"]).toBe("shop/1")
})

it("C34 a runtime that is not disposed does not keep its process alive", () =>
  Effect.gen(function* () {
    const server = yield* Server.start((socket, request) =>
      Server.reply(
        socket,
        200,
        request.startsWith("POST /api/v1/auth ") ? '{"token":"abc"}' : '"NEW"',
        { connection: "close" }
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
    }).pipe(Effect.timeout("50 seconds"))
    expect(code).toBe(0)
  }).pipe(Effect.scoped, Effect.runPromise))

describe("a value without its undefined members", () => {
  it("is the same value if it has none", () => {
    for (const value of [{}, { a: 1 }, { a: { b: "1" }, c: null }, "text", null, undefined]) {
      expect(withoutUndefined(value)).toBe(value)
    }
  })

  it("keeps what is no plain object as it is", () => {
    class Money {
      readonly note = undefined
    }
    const members = { list: [{ a: undefined }], money: new Money(), date: new Date(0), none: null }
    const plain = withoutUndefined({ ...members, left: undefined }) as Record<string, unknown>
    expect(Object.keys(plain)).toEqual(Object.keys(members))
    for (const [name, member] of Object.entries(members)) expect(plain[name]).toBe(member)
  })

  it("has none in objects without a prototype either", () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1, b: undefined })
    expect(Object.keys(withoutUndefined({ bare }) as object)).toEqual(["bare"])
    expect(withoutUndefined(bare)).toEqual({ a: 1 })
    expect(Object.keys(withoutUndefined(bare) as object)).toEqual(["a"])
  })
})

const nested = (value: unknown, depth: number): unknown =>
  Array.from({ length: depth }).reduce((inner) => ({ a: inner }), value)

describe("the error for a value without a JSON form", () => {
  const pathOf = (value: unknown) => toError(value).fields[0]?.path
  const noJson = { path: "", message: "Expected a value that can be written as JSON" }

  it("names the first bigint, and not its value", () => {
    const value = { none: null, text: "7", list: [1, { id: 70_707n }], other: 2n }
    expect(toError(value)).toMatchObject({
      sent: false,
      fields: [{ path: "list.1.id", message: "Expected a number or text, not a bigint" }]
    })
    expect(JSON.stringify(toError(value))).not.toContain("70707")
    expect(pathOf(7n)).toBe("")
  })

  it("names a bigint below 65 objects, and searches no deeper", () => {
    expect(pathOf(nested(1n, 65))).toBe(Array.from({ length: 65 }).fill("a").join("."))
    expect(toError(nested(1n, 66)).fields).toEqual([noJson])
  })

  it("is made in time for a request whose payload has itself as two members", async () => {
    const itself: Record<string, unknown> = {}
    Object.assign(itself, { one: itself, other: itself })
    const refusalOf = (input: object) =>
      Memory.failureOf(new Memory.Service(), create({ apmPayload: itself, ...input }))
    expect(await refusalOf({})).toMatchObject({ fields: [noJson] })
    expect(await refusalOf({ metadata: undefined })).toMatchObject({ fields: [noJson] })
    expect(await refusalOf({ amount: "ten" })).toMatchObject({ fields: [{ path: "amount" }] })
  })

  it("names no field of a value that has itself as a member", () => {
    const itself: Record<string, unknown> = { call: Object.assign(() => 1, { id: 1n }) }
    itself["self"] = itself
    expect(toError(itself).fields).toEqual([noJson])
  })
})
