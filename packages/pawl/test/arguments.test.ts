/**
 * Q15: any JavaScript value ends in an error of pawl that names the field, or in exactly the asked
 * work.
 */
import { forAll } from "@pawl/test-support/Properties"
import * as fc from "fast-check"
import { runInNewContext } from "node:vm"
import { InvalidConfig, open as openReal, ValidationFailed } from "pawl"
import { open, type TestPawl } from "pawl/testing"
import { afterAll, expect, it } from "vitest"
import { order } from "./doors.ts"

const pawl = await open()
afterAll(() => pawl.close())

/** Calls a method as a program in JavaScript does. Fails if it throws. */
const call = (method: unknown, ...args: ReadonlyArray<unknown>): Promise<unknown> => {
  const result: unknown = Reflect.apply(method as () => unknown, undefined, args)
  expect(result).toBeInstanceOf(Promise)
  return (result as Promise<unknown>).catch((error: unknown) => error)
}
const create = (...args: ReadonlyArray<unknown>) => call(pawl.apmPayments.create, ...args)

const throwing = (name: string, input: object = order) =>
  Object.defineProperty({ ...input }, name, {
    enumerable: true,
    get: () => {
      throw new Error("hunter2")
    }
  })
const cyclic: Record<string, unknown> = { ...order }
cyclic["metadata"] = { cyclic }
const deep = Array.from({ length: 5000 }).reduce<object>((inner) => ({ inner }), {})
const locked = new Proxy(order, {
  ownKeys: () => {
    throw new Error("hunter2")
  }
})

it("an option of the fake that is undefined keeps its default", async () => {
  await using opened = await open({ onChange: undefined, publicUrl: undefined, store: undefined })
  await opened.apmPayments.create({ ...order, requestId: "order-of-defaults" })
  await opened.clock.advance("62 minutes")
  expect(opened.transitions.at(-1)?.to).toBe("SUCCEED")
})

it("a control of the test says what it expects", async () => {
  const { clock, service } = pawl
  for (const [method, argument, message] of [
    [clock.advance, "62 minuts", "Expected a duration"],
    [clock.advance, -1, "Expected a duration"],
    [clock.advance, "Infinity", "Expected a duration"],
    [(decision: never) => service.confirm("100001", decision), "aprove", "Expected approve"],
    [
      (id: string) => service.confirm(id, "approve"),
      "order-17",
      "no customer's page of a method for the transaction order-17"
    ],
    [(id: string) => service.decide(id, true), "order-17", "no transaction order-17"],
    [
      (decision: never) => service.decide("order-17", decision),
      "decline",
      "Expected true or false"
    ],
    [(id: string) => service.move(id, "SUCCEED"), "order-17", "no transaction order-17"],
    [(status: never) => service.move("100001", status), "SUCCEEDED", "Expected NEW, PENDING"],
    [(id: string) => service.submit(id, { act: "cancel" }), "order-17", "no intent order-17"],
    [service.addFault, { endpoint: "POST /payments", fault: "503" }, "POST /v1/payments/apm"],
    [service.addFault, { endpoint: "*", fault: "504" }, '"503"']
  ] as const) {
    expect(await call(method, argument)).toMatchObject({
      message: expect.stringContaining(message) as unknown
    })
  }
})

it.each<[string, unknown, string]>([
  ["null", null, ""],
  ["undefined", undefined, ""],
  ["text", "hunter2", ""],
  ["a number", 5, ""],
  ["an array", [], ""],
  ["a function", () => order, ""],
  ["a proxy that throws", locked, ""],
  ["a cycle", cyclic, "metadata.cyclic.metadata.cyclic"],
  ["5,000 levels", { ...order, metadata: deep }, "metadata.inner.inner.inner"],
  ["a getter that throws", throwing("amount"), "amount"],
  ["a symbol", { ...order, amount: Symbol("hunter2") }, "amount"],
  ["an object for text", { ...order, amount: {} }, "amount"],
  ["a bigint for text", { ...order, amount: 10n }, "amount"],
  ["no requestId", { ...order, requestId: undefined }, "requestId"],
  ["null for the requestId", { ...order, requestId: null }, "requestId"],
  ["an empty requestId", { ...order, requestId: "" }, "requestId"],
  ["a bigint for the requestId", { ...order, requestId: 17n }, "requestId"],
  ["a URL for text", { ...order, callbackUrl: new URL("https://shop.example") }, "callbackUrl"],
  ["a Map", { ...order, metadata: new Map([["basket", "7"]]) }, "metadata"],
  ["a query", { ...order, metadata: new URLSearchParams("basket=7") }, "metadata"],
  [
    "headers",
    { ...order, apmPayload: { headers: new Headers({ basket: "7" }) } },
    "apmPayload.headers"
  ],
  ["a promise", { ...order, metadata: Promise.resolve({}) }, "metadata"],
  ["NaN", { ...order, apmPayload: { installments: Number.NaN } }, "apmPayload.installments"],
  ["text for unknownFields", { ...order, unknownFields: "hunter2" }, "unknownFields"],
  ["a known unknown field", { ...order, unknownFields: { amount: "1" } }, "unknownFields"]
])("refuses a create with %s, and names the field", async (_name, input, path) => {
  const error = await create(input)
  expect(error).toBeInstanceOf(ValidationFailed)
  expect(error).toMatchObject({ sent: false, fields: [{ path }] })
  expect(String(error)).not.toContain("hunter2")
})

it.each([undefined, null, "", 17, 17n])(
  "asks for the order's id in place of %s",
  async (requestId) => {
    expect(await create({ ...order, requestId })).toHaveProperty(
      "message",
      expect.stringContaining("requestId: Expected the order's id as text")
    )
  }
)

it("refuses a misspelt field with the nearest name, for every create and for an update, at any depth", async () => {
  const cases: ReadonlyArray<[keyof TestPawl, string, object, string, string]> = [
    ["apmPayments", "create", { ammount: "x" }, "ammount", "amount"],
    ["apmPayouts", "create", { Amount: "x" }, "Amount", "amount"],
    ["cardPayments", "create", { curency: "x" }, "curency", "currency"],
    ["cardPayments", "charge", { cardtoken: "x" }, "cardtoken", "cardToken"],
    ["cardPayments", "tokenize", { midd: "x" }, "midd", "mid"],
    ["cardPayouts", "create", { crd: "x" }, "crd", "card"],
    ["refunds", "create", { transactionID: "x" }, "transactionID", "transactionId"],
    [
      "paymentIntents",
      "create",
      { succesRedirectUrl: "x" },
      "succesRedirectUrl",
      "successRedirectUrl"
    ],
    ["subscriptions", "create", { skipFirstCharg: "x" }, "skipFirstCharg", "skipFirstCharge"],
    // An update would change nothing, and a plan would have no end.
    ["subscriptions", "update", { stauts: "CANCELED" }, "stauts", "status"],
    ["subscriptions", "create", { plan: { endDte: "2030-01-01" } }, "plan.endDte", "endDate"],
    ["subscriptions", "update", { plan: { ammount: "9.00" } }, "plan.ammount", "amount"],
    ["cardPayouts", "create", { card: { cvc: "123" } }, "card.cvc", "cvv"],
    ["apmPayments", "create", { order: { orderID: "7" } }, "order.orderID", "orderId"],
    ["apmPayouts", "create", { device: { Ip: "192.0.2.7" } }, "device.Ip", "ip"],
    ["paymentIntents", "create", { billingDetails: { mail: "x" } }, "billingDetails.mail", "email"]
  ]
  for (const [service, method, given, path, nearest] of cases) {
    const args = method === "update" ? ["700", given] : [{ requestId: "1", ...given }]
    const error = await call(Reflect.get(pawl[service], method), ...args)
    expect(error).toMatchObject({
      _tag: "ValidationFailed",
      fields: [{ path, message: expect.stringContaining(`did you mean ${nearest}?`) as unknown }]
    })
  }
  const device = { unknownFields: { gyroscope: "x" }, ip: "192.0.2.7" }
  expect(await create({ ...order, requestId: "device-1", device })).toHaveProperty("transactionId")
  expect(await create({ ...order, device: { gyroscope: "x" } })).toMatchObject({
    fields: [{ path: "device.gyroscope" }]
  })
})

it("sends any further field of a card payment, also one like a field that is given", async () => {
  const card = { number: "4242424242424242", expMonth: "04", expYear: "2030" }
  const { apmPayload: _, accountId: __, ...fields } = { ...order, card, mid: "4711", tid: "7" }
  expect(
    await call(pawl.cardPayments.create, { ...fields, requestId: "order-of-tid" })
  ).toMatchObject({
    transactionStatus: "NEW"
  })
  expect(await call(pawl.cardPayments.create, { requestId: "1", tid: "7" })).toMatchObject({
    fields: [{ path: "tid", message: expect.stringContaining("did you mean mid?") }]
  })
})

it("refuses a field that the operation does not know, and sends one of unknownFields as a field, and an array as JSON has it", async () => {
  expect(await create({ ...order, requestId: "other-1", giftCard: "x" })).toMatchObject({
    fields: [{ path: "giftCard" }]
  })
  const bodies: Array<unknown> = []
  await using real = await openReal({
    baseUrl: "http://127.0.0.1:9/api",
    merchantKey: "key",
    merchantSecret: "secret",
    store: "memory",
    dispatcher: {
      dispatch: ({ body, path }, handler) => {
        const isAuth = path === "/api/v1/auth"
        if (path === "/api/v1/payments/apm") bodies.push(JSON.parse(body as string))
        const answer = isAuth
          ? { token: "token" }
          : { transactionId: "100001", transactionStatus: "NEW" }
        const controller = undefined as never
        handler.onResponseStart?.(controller, 200, {})
        handler.onResponseData?.(controller, Buffer.from(JSON.stringify(answer)))
        handler.onResponseEnd?.(controller, {})
        return true
      }
    },
    onChange: () => {}
  })
  const device = { ip: "192.0.2.7", unknownFields: { gyroscope: "x" } }
  await real.apmPayments.create({ ...order, device, unknownFields: { giftCard: "x" } })
  const match = /card-(?<id>.)/u.exec("card-7")
  await real.apmPayments.create({ ...order, requestId: "order-2", apmPayload: { match } })
  class Device {
    readonly #ip = "192.0.2.7"
    get ip() {
      return this.#ip
    }
    toJSON() {
      return { ip: this.ip }
    }
  }
  const metadata = runInNewContext("({})") as {}
  const requestId = "order-3"
  await real.apmPayments.create({ ...order, requestId, metadata, device: new Device() })
  const checksum: unknown = expect.any(String)
  expect(bodies).toEqual([
    { ...order, device: { ip: "192.0.2.7", gyroscope: "x" }, giftCard: "x", checksum },
    { ...order, requestId: "order-2", apmPayload: { match: ["card-7", "7"] }, checksum },
    { ...order, requestId, metadata: {}, device: { ip: "192.0.2.7" }, checksum }
  ])
})

it("refuses a status that is missing, because a change of nothing would succeed", async () => {
  expect(await call(pawl.subscriptions.setStatus, "100001")).toMatchObject({
    _tag: "ValidationFailed",
    sent: false,
    fields: [{ path: "status" }]
  })
})

it.each<[string, unknown, string]>([
  ["a number", 3000, "The argument"],
  ["no port", {}, "port"],
  ["text for the port", { port: "3000" }, "port"],
  ["an option that does not exist", { port: 0, hostname: "127.0.0.1" }, "hostname"]
])(
  "refuses to listen with %s, because another port would get no callback",
  async (_name, options, setting) => {
    const error = await call(pawl.listen, options)
    expect(error).toBeInstanceOf(InvalidConfig)
    expect(error).toMatchObject({ setting })
  }
)

it.each<[string, unknown, string]>([
  ["a requestId", { requestId: "order-2" }, "requestId"],
  ["an option that does not exist", { timeout: 5 }, "timeout"],
  ["null", null, "The argument"],
  ["text", "hunter2", "The argument"],
  ["a signal that is none", { signal: 5 }, "signal"],
  ["text for a number", { maxAttempts: "2" }, "maxAttempts"],
  ["an object for a time", { totalTimeout: {} }, "totalTimeout"],
  ["a schedule that is none", { retrySchedule: {} }, "retrySchedule"],
  ["a getter that throws", throwing("signal", {}), "An option"]
])("refuses the options of a call with %s, and sends nothing", async (_name, options, setting) => {
  const before = await pawl.service.transactions()
  const calls = [
    create({ ...order, requestId: "never" }, options),
    call(pawl.apmPayments.status, "100001", options),
    call(pawl.subscriptions.update, "100001", { plan: {} }, options)
  ]
  for (const error of await Promise.all(calls)) {
    expect(error).toBeInstanceOf(InvalidConfig)
    expect(error).toMatchObject({ setting })
    expect(String(error)).not.toContain("hunter2")
  }
  expect(await pawl.service.transactions()).toEqual(before)
})

it("names a field that is too long for a request, and not the callback URL that has it too", async () => {
  for (const name of ["requestId", "accountId", "amount", "currency"]) {
    expect(await create({ ...order, [name]: "1".repeat(2000) })).toMatchObject({
      _tag: "ValidationFailed",
      fields: [{ path: name }]
    })
  }
  const mid = "1".repeat(2000)
  expect(await call(pawl.cardPayments.create, { requestId: "order-of-mid", mid })).toMatchObject({
    _tag: "ValidationFailed",
    fields: expect.arrayContaining([expect.objectContaining({ path: "mid" })])
  })
})

it("ends each call with any value in a typed error or in an answer", async () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true
  })
  await forAll([anything, anything], { numRuns: 200 }, async (input, options) => {
    for (const method of [pawl.refunds.create, pawl.subscriptions.update, pawl.refunds.status]) {
      const result = await call(method, input, options)
      expect(result).toHaveProperty("_tag")
    }
  })
})

/** The first change of a transaction that is followed, or the error. */
const follow = (...args: ReadonlyArray<unknown>): Promise<unknown> => {
  const changes = Reflect.apply(pawl.transactions.follow, undefined, args)
  return changes[Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => error)
}

it("names the kinds of transactions", async () => {
  for (const kind of ["card-refund", null, {}, 5]) {
    const errors = [await call(pawl.transactions.get, kind, "100001"), await follow(kind, "100001")]
    for (const error of errors) {
      expect(error).toMatchObject({ _tag: "ValidationFailed", fields: [{ path: "kind" }] })
    }
  }
})

it.each([undefined, null, 17, 17n, "", {}])("asks for an id in place of %s", async (id) => {
  const method = "apm"
  const cases = [
    ["transactionId", await call(pawl.transactions.get, method, id)],
    ["transactionId", await call(pawl.transactions.redrive, { method, transactionId: id })],
    ["method", await call(pawl.transactions.redrive, id)],
    [
      "transactionId",
      await call(pawl.transactions.register, { kind: "refund", transactionId: id })
    ],
    ["kind", await call(pawl.transactions.register, { kind: id, transactionId: "100001" })],
    ["method", await call(pawl.transactions.redrive, { method: id, transactionId: "100001" })],
    ["requestId", await call(pawl.requests.get, id)],
    ["requestId", await call(pawl.requests.cancel, id)],
    ["requestId", await call(pawl.requests.redrive, id, { hadNoEffect: true })],
    ["id", await follow("apm-payment", id)],
    ["id", await call(pawl.apmPayments.status, id, {})],
    ["subscriptionId", await call(pawl.subscriptions.cancel, id, {})]
  ] as const
  for (const [path, error] of cases) {
    expect(error).toMatchObject({ _tag: "ValidationFailed", sent: false, fields: [{ path }] })
  }
})

it.each<[unknown, string]>([
  [null, "The argument"],
  ["hunter2", "The argument"],
  [{ limit: "2" }, "limit"],
  [{ limit: 0 }, "limit"],
  [{ limit: 1.5 }, "limit"],
  [{ limit: 2, after: { requestId: "order-1" } }, "after"],
  [{ limit: 2, before: {} }, "before"]
])("refuses to list behind %o", async (page, setting) => {
  for (const list of [pawl.requests.parked, pawl.transactions.deadLetters]) {
    const error = await call(list, page)
    expect(error).toMatchObject({ _tag: "InvalidConfig", setting })
  }
})

it("lists dead letters without an argument, and parked requests with a limit alone", async () => {
  expect(await pawl.transactions.deadLetters()).toEqual([])
  expect(await pawl.transactions.deadLetters({})).toEqual([])
  for (const page of [undefined, {}]) {
    expect(await call(pawl.requests.parked, page)).toMatchObject({ setting: "limit" })
  }
})

it("refuses a redrive with an option that is unknown or no boolean", async () => {
  for (const [options, setting] of [
    [{ hadNoEfect: true }, "hadNoEfect"],
    // A form has texts.
    [{ hadNoEffect: "false" }, "hadNoEffect"]
  ]) {
    expect(await call(pawl.requests.redrive, "order-1", options)).toMatchObject({ setting })
  }
})

it("refuses a registration with a field that is unknown, or an amount that is no decimal text", async () => {
  const registration = { kind: "apm-payment", transactionId: "999" }
  for (const [field, path] of [
    [{ kind: "apm" }, "kind"],
    [{ requestid: "order-1" }, "requestid"],
    [{ amount: 10 }, "amount"],
    [{ amount: "ten" }, "amount"],
    [{ status: "SUCCEED" }, "status"]
  ] as const) {
    const error = await call(pawl.transactions.register, { ...registration, ...field })
    expect((error as Error).message).toContain(path)
  }
  expect(await pawl.transactions.get("apm-payment", "999")).toBeUndefined()
})

it("refuses to follow with an option that is unknown or has a wrong type", async () => {
  for (const [options, setting] of [
    [null, "The argument"],
    [{ singal: new AbortController().signal }, "singal"],
    [{ signal: 5 }, "signal"]
  ]) {
    const error = await follow("refund", "100001", options)
    expect(error).toBeInstanceOf(InvalidConfig)
    expect(error).toMatchObject({ setting })
  }
})
