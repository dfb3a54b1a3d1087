/** Spans and metrics by OpenTelemetry's semantic conventions for HTTP clients. */
import * as NodeHmac from "@pawl/core/NodeHmac"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { describe, expect, it, vi } from "vitest"
import * as Caller from "../src/internal/call/Caller.ts"
import * as AccessToken from "../src/internal/token/AccessToken.ts"
import * as Endpoint from "../src/internal/wire/Endpoint.ts"
import * as PawlConfig from "../src/PawlConfig.ts"
import type * as Pawl from "../src/Pawl.ts"
import * as Memory from "./support/memory.ts"
import { operations } from "./support/operations.ts"

const create = Memory.pay()

const status = Memory.readStatus("7")

const readStatus = StatusReader.use((reader) => reader.read("apm-payment", "7" as never))

interface Ended {
  readonly name: string
  readonly kind: string
  readonly parent: string | undefined
  readonly outcome: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Returns the spans in the order of their ends. */
const traced = async (
  service: Memory.Service,
  call: Effect.Effect<unknown, unknown, Pawl.Services>,
  baseUrl?: string
): Promise<ReadonlyArray<Ended>> => {
  const ended: Array<Ended> = []
  const tracer = Memory.makeTracer((span, exit) => {
    const parent = Option.getOrUndefined(span.parent)
    ended.push({
      name: span.name,
      kind: span.kind,
      parent: parent?._tag === "Span" ? parent.name : undefined,
      outcome: Exit.hasInterrupts(exit) ? "Interrupt" : exit._tag,
      attributes: Object.fromEntries(span.attributes)
    })
  })
  await Memory.settled(Effect.exit(call)).pipe(
    Effect.provide(Memory.client(service, baseUrl === undefined ? {} : { baseUrl })),
    Effect.provideService(Tracer.Tracer, tracer),
    Memory.virtual
  )
  return ended
}

const requests = (spans: ReadonlyArray<Ended>) => spans.filter(({ kind }) => kind === "client")

const target = {
  "http.request.method": "POST",
  "url.template": "/api/v1/payments/apm",
  "server.address": "payments.example",
  "server.port": 443
}

describe("the spans", () => {
  it("are one for the call, and one for each of its requests", async () => {
    const spans = await traced(
      new Memory.Service({ faults: ["503 after", "reset before"] }),
      create
    )
    const payment = {
      name: "POST /api/v1/payments/apm",
      kind: "client",
      parent: "ApmPayments.create"
    }
    expect(spans).toEqual([
      {
        name: "POST /api/v1/auth",
        kind: "client",
        parent: "AccessToken.authenticate",
        outcome: "Success",
        attributes: { ...target, "url.template": "/api/v1/auth", "http.response.status_code": 200 }
      },
      expect.objectContaining({ name: "AccessToken.authenticate", parent: "ApmPayments.create" }),
      {
        ...payment,
        outcome: "Failure",
        attributes: { ...target, "http.response.status_code": 503, "error.type": "503" }
      },
      {
        ...payment,
        outcome: "Failure",
        attributes: { ...target, "http.request.resend_count": 1, "error.type": "Unreachable" }
      },
      {
        ...payment,
        outcome: "Success",
        attributes: { ...target, "http.request.resend_count": 2, "http.response.status_code": 200 }
      },
      {
        name: "ApmPayments.create",
        kind: "internal",
        parent: undefined,
        outcome: "Success",
        attributes: { "pawl.operation": "createApmPayment", "pawl.requestId": "order-1" }
      }
    ])
  })

  it("have the template of a path and not its ids, and the port of the base URL", async () => {
    const [, read] = requests(
      await traced(new Memory.Service(), status, "http://127.0.0.1:8080/sandbox/api")
    )
    expect(read?.name).toBe("GET /sandbox/api/v1/payments/apm/status/{id}")
    expect(read?.attributes).toMatchObject({
      "url.template": "/sandbox/api/v1/payments/apm/status/{id}",
      "server.address": "127.0.0.1",
      "server.port": 8080
    })
    expect(Object.values(read?.attributes ?? {})).not.toContain("7")
  })

  it("have the usual port of http where the base URL has none", async () => {
    const [, read] = requests(await traced(new Memory.Service(), status, "http://127.0.0.1/api"))
    expect(read?.attributes["server.port"]).toBe(80)
  })

  it.each([
    [399, undefined],
    [400, "400"]
  ])("with the status %i have the error %s", async (code, error) => {
    const service = new Memory.Service({ answer: () => Memory.answer(code, "") })
    const [, read] = requests(await traced(service, status))
    expect(read).toMatchObject({
      outcome: error === undefined ? "Success" : "Failure",
      attributes: { "http.response.status_code": code }
    })
    expect(read?.attributes["error.type"]).toBe(error)
  })

  it("count the request after a 401 as sent again", async () => {
    const service = new Memory.Service({ faults: ["401"] })
    expect(
      requests(await traced(service, status)).map(({ attributes }) => [
        attributes["error.type"],
        attributes["http.request.resend_count"]
      ])
    ).toEqual([
      [undefined, undefined],
      ["401", undefined],
      [undefined, undefined],
      [undefined, 1]
    ])
  })

  it("say that a request was interrupted", async () => {
    const service = new Memory.Service({ answer: () => Effect.never })
    const [, read] = requests(await traced(service, Effect.timeoutOption(status, "1 second")))
    expect(read).toMatchObject({
      outcome: "Interrupt",
      attributes: { "error.type": "Interrupted" }
    })
  })

  it("of the program get no attribute of a call without a tracer", async () => {
    const attributes = await Effect.useSpan("checkout", (span) =>
      Effect.map(Effect.provideService(create, Tracer.ParentSpan, span), () => [...span.attributes])
    ).pipe(Effect.provide(Memory.client(new Memory.Service())), Effect.runPromise)
    expect(attributes).toEqual([])
  })

  it.each([
    ["no span", undefined],
    ["a span of another program", Tracer.externalSpan({ spanId: "1", traceId: "2" })]
  ])("are not needed by a call: around it is %s", async (_, parent) => {
    const service = new Memory.Service()
    const client = Caller.layer.pipe(
      Layer.provide(AccessToken.layer),
      Layer.provide([service.layer, NodeHmac.layer, PawlConfig.layer(Memory.options)])
    )
    const read = Caller.Caller.use((caller) =>
      caller.call(Endpoint.readApmPaymentStatus, { params: { id: "7" } })
    ).pipe(Effect.provide(client))
    const spans = await traced(
      service,
      parent === undefined ? read : Effect.provideService(read, Tracer.ParentSpan, parent)
    )
    expect(requests(spans).map(({ outcome }) => outcome)).toEqual(["Success", "Success"])
  })

  it("are none without a tracer", async () => {
    const span = vi.spyOn(Tracer.nativeTracer, "span")
    await Effect.runPromise(
      Effect.all([create, status, readStatus]).pipe(
        Effect.provide(Memory.client(new Memory.Service()))
      )
    )
    expect(span.mock.calls.map(([{ name }]) => name)).toEqual([])
    span.mockRestore()
  })
})

it.each(operations)(
  "a call of $name is a span of that name, with its id",
  async ({ answer, call, kind, method, name, path }) => {
    const service = Memory.answering(Memory.answer(method === "DELETE" ? 204 : 200, answer))
    const spans = await traced(service, call({ requestId: "request-1" }))
    const id = path.split("/").at(-1)
    const attributes =
      kind === "create"
        ? { "pawl.requestId": "request-1" }
        : name.startsWith("Subscriptions")
          ? { "pawl.subscriptionId": id }
          : { "pawl.transactionId": id }
    expect(spans.filter(({ parent }) => parent === undefined)).toMatchObject([
      { name, outcome: "Success", attributes }
    ])
  }
)

it("a read of any kind is a span of its name", async () => {
  const spans = await traced(new Memory.Service(), readStatus)
  expect(spans.at(-1)).toMatchObject({ name: "StatusReader.read", parent: undefined })
})

it("the durations of requests are in seconds, with the attributes and buckets of the conventions", async () => {
  const service = new Memory.Service({
    answer: (_, n) => Effect.delay(Memory.answer(n === 1 ? 503 : 200, '"NEW"'), "2 seconds")
  })
  const snapshots = await Memory.settled(Effect.exit(status)).pipe(
    Effect.provide(Memory.client(service)),
    Effect.andThen(Metric.snapshot),
    Memory.virtual
  )
  const read = {
    "http.request.method": "GET",
    "url.template": "/api/v1/payments/apm/status/{id}",
    "server.address": "payments.example",
    "server.port": "443",
    unit: "s"
  }
  const durations = snapshots.flatMap(({ attributes, id, state }) =>
    id === "http.client.request.duration" &&
    attributes?.["http.request.method"] === "GET" &&
    "buckets" in state
      ? [
          {
            attributes,
            count: state.count,
            sum: state.sum,
            bounds: state.buckets.map(([le]) => le)
          }
        ]
      : []
  )
  const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
  expect(durations).toEqual([
    {
      attributes: { ...read, "http.response.status_code": "503", "error.type": "503" },
      count: 1,
      sum: 2,
      bounds
    },
    { attributes: { ...read, "http.response.status_code": "200" }, count: 1, sum: 2, bounds }
  ])
})
