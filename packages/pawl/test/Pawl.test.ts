import fastify from "fastify"
import {
  Declined,
  open as openReal,
  OutcomeUnknown,
  RequestConflict,
  reveal,
  Unauthorized,
  Unreachable,
  ValidationFailed
} from "pawl"
import { makeFolder } from "@pawl/test-support/Folder"
import { openOnce } from "pawl/next"
import * as Redacted from "effect/Redacted"
import { open, sandbox, type TestPawl } from "pawl/testing"
import { execFile } from "node:child_process"
import { createHmac } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { inspect, promisify } from "node:util"
import { describe, expect, it, vi } from "vitest"
import { callback, order } from "./doors.ts"

const payment = (requestId: string, amount = "10.00") => ({ ...order, requestId, amount })

const payout = {
  requestId: "order-1",
  mid: "4711",
  amount: "10.00",
  card: { number: "4242424242424242", expMonth: "04", expYear: "2030" }
}

const intent = {
  requestId: "order-1",
  mid: "4711",
  type: "PAYMENT",
  lang: "en",
  amount: "10.00",
  currency: "EUR",
  billingDetails: { email: "ada@shop.example" },
  order: { orderId: "order-1" },
  device: {},
  successRedirectUrl: "https://shop.example/paid",
  failureRedirectUrl: "https://shop.example/failed"
} as const

const opened = async (test: (pawl: TestPawl) => Promise<void>) => {
  await using pawl = await open()
  await test(pawl)
}

const failureOf = (call: Promise<unknown>) => call.catch((error: unknown) => error)

const { stackTraceLimit } = Error

const folder = makeFolder()

const settings = {
  baseUrl: "http://127.0.0.1:9/api",
  merchantKey: "key",
  merchantSecret: "hunter2",
  store: "memory",
  onChange: () => {}
}

it("tells onChange each change of a payment, in order and with the requestId of the create", () =>
  opened(async (pawl) => {
    const { transactionId } = await pawl.apmPayments.create(payment("order-1"))
    await pawl.clock.advance("62 minutes")
    const told = pawl.transitions.map(({ requestId, to, transactionId }) => [
      requestId,
      to,
      transactionId
    ])
    expect(told.at(-1)).toEqual(["order-1", "SUCCEED", transactionId])
    expect(pawl.transitions.map(({ sequence }) => sequence)).toEqual(told.map((_, at) => at + 1))
    expect(await pawl.transactions.get("apm-payment", transactionId)).toMatchObject({
      status: "SUCCEED",
      confirmed: true,
      told: "SUCCEED",
      deadLetter: null
    })
    expect(await pawl.apmPayments.status(transactionId)).toBe("SUCCEED")
  }))

it("rejects a declined payment with Declined, which has the response, and settles it", () =>
  opened(async (pawl) => {
    const declined = {
      requestId: "order-1",
      mid: "4711",
      amount: "10.00",
      currency: "EUR",
      card: { number: "4000000000000002", expMonth: "04", expYear: "2030", cvv: "123" }
    }
    const error = await failureOf(pawl.cardPayments.create(declined))
    expect(error).toBeInstanceOf(Declined)
    const { code, declineCode, response, transactionId } = error as Declined
    expect({ code, declineCode, response }).toMatchObject({
      code: "Declined",
      declineCode: 5,
      response: { transactionId, transactionStatus: "FAILED" }
    })
    // The second call asks nobody: the outcome is stored.
    await pawl.service.addFault({ endpoint: "*", fault: "503" })
    const again = await failureOf(pawl.cardPayments.create(declined))
    expect(again).toMatchObject({ code: "Declined", transactionId })
    const { outcome } = (await pawl.requests.get("order-1"))!
    expect(JSON.stringify(outcome)).not.toContain(transactionId)
  }))

it("sends a request once, and answers a second call with the stored outcome", () =>
  opened(async (pawl) => {
    const [first, second] = await Promise.all([
      pawl.apmPayments.create(payment("order-1")),
      pawl.apmPayments.create(payment("order-1"))
    ])
    expect(second.transactionId).toBe(first.transactionId)
    expect(await pawl.service.transactions()).toHaveLength(1)
    await expect(pawl.apmPayments.create(payment("order-1", "11.00"))).rejects.toBeInstanceOf(
      RequestConflict
    )
  }))

it("sends a create with card data again from the input that rebuild returns", async () => {
  const input = { ...payout, unknownFields: { purpose: "winnings" } }
  const asked: Array<unknown> = []
  const rebuild = (...args: ReadonlyArray<string>) => {
    asked.push(args)
    return Promise.resolve(input)
  }
  await using pawl = await open({ rebuild })
  const { cardPayouts, clock, requests, service } = pawl
  await service.addFault({ endpoint: "POST /v1/payouts/card", fault: "reset-before", rate: 1 })
  const create = cardPayouts.create(input, { maxAttempts: 1 })
  await expect(create).rejects.toBeInstanceOf(OutcomeUnknown)
  await service.clearFaults()
  await clock.advance("1 hour")
  expect(asked).toEqual([["order-1", "card-payout"]])
  expect(await requests.get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })
})

it("parks a create with card data if rebuild returns a field that the operation does not have", async () => {
  const misspelt = { ...payout, card: { ...payout.card, holder: "A" } }
  await using pawl = await open({ rebuild: () => Promise.resolve(misspelt) })
  const { cardPayouts, clock, requests, service } = pawl
  await service.addFault({ endpoint: "POST /v1/payouts/card", fault: "reset-before", times: 1 })
  const create = cardPayouts.create(payout, { maxAttempts: 1 })
  await expect(create).rejects.toBeInstanceOf(OutcomeUnknown)
  await clock.advance("1 minute")
  expect(await requests.get("order-1")).toMatchObject({
    outcome: undefined,
    parked: { reason: "rebuilt-differently" }
  })
})

it("only true says that a request had no effect, and a later refusal of it is certain", () =>
  opened(async ({ cardPayouts, clock, requests, service }) => {
    await service.addFault({ endpoint: "POST /v1/payouts/card", fault: "reset-before", rate: 1 })
    const create = cardPayouts.create(payout, { maxAttempts: 1 })
    await expect(create).rejects.toBeInstanceOf(OutcomeUnknown)
    await clock.advance("1 hour")
    await requests.redrive("order-1", { hadNoEffect: false })
    expect(await requests.get("order-1")).toMatchObject({ outcome: undefined })
    await clock.advance("1 hour")
    await requests.redrive("order-1", { hadNoEffect: true })
    expect(await requests.get("order-1")).toMatchObject({ outcome: { _tag: "NotSent" } })
    await service.clearFaults()
    await service.addFault({ endpoint: "POST /v1/payouts/card", fault: "401", rate: 1 })
    await expect(cardPayouts.create(payout)).rejects.toBeInstanceOf(Unauthorized)
  }))

it("shows the place of the call, the fields and no secret in an error", () =>
  opened(async (pawl) => {
    const placeOfTheCall = () => pawl.apmPayments.create(payment("order-1", "a lot"))
    const error = await failureOf(placeOfTheCall())
    expect(error).toBeInstanceOf(ValidationFailed)
    expect((error as Error).stack).toMatch(/^ValidationFailed: .*amount.*\n +at placeOfTheCall /u)
    const read = () => pawl.apmPayments.status("404")
    const missing = await failureOf(read())
    expect((missing as Error).stack).toMatch(/^NotFound: .*\n +at read /u)
    expect(Error.stackTraceLimit).toBe(stackTraceLimit)
    expect(inspect(error)).toContain("ValidationFailed: ")
    expect(inspect(error)).not.toContain("a lot")
  }))

it("a create has the limits of its call", () =>
  opened(async (pawl) => {
    await pawl.service.addFault({ endpoint: "POST /v1/payments/apm", fault: "503" })
    const create = pawl.apmPayments.create(payment("order-1"), { maxAttempts: 1 })
    await expect(create).rejects.toMatchObject({ code: "OutcomeUnknown", cause: { attempts: 1 } })
  }))

it("an aborted call rejects with the reason of the signal, and a create that is stored is sent all the same", () =>
  opened(async (pawl) => {
    await pawl.service.addFault({ endpoint: "*", fault: "delay" })
    const aborting = new AbortController()
    const { signal } = aborting
    const create = pawl.apmPayments.create(payment("order-1"), { signal })
    const status = pawl.apmPayments.status("100001", { signal })
    const reason = new Error("the customer left")
    await vi.waitUntil(() => pawl.requests.get("order-1"))
    aborting.abort(reason)
    await expect(create).rejects.toBe(reason)
    await expect(status).rejects.toBe(reason)
    await pawl.service.clearFaults()
    await pawl.clock.advance("62 minutes")
    expect(await pawl.service.transactions()).toHaveLength(1)
  }))

it("a call whose signal was aborted before it does nothing", () =>
  opened(async (pawl) => {
    const reason = new Error("the customer left")
    const create = pawl.apmPayments.create(payment("order-1"), {
      signal: AbortSignal.abort(reason)
    })
    await expect(create).rejects.toBe(reason)
    await pawl.clock.advance("10 minutes")
    expect(await pawl.requests.get("order-1")).toBeUndefined()
    expect(await pawl.service.transactions()).toEqual([])
  }))

it("follows a transaction to its end, and stops when it is aborted", () =>
  opened(async (pawl) => {
    const { transactionId } = await pawl.apmPayments.create(payment("order-1"))
    const statuses: Array<string> = []
    const following = (async () => {
      for await (const { status } of pawl.transactions.follow("apm-payment", transactionId)) {
        statuses.push(status)
      }
    })()
    await pawl.clock.advance("62 minutes")
    await following
    expect(statuses.at(-1)).toBe("SUCCEED")

    const reason = new Error("enough")
    const follow = pawl.transactions.follow("apm-payment", transactionId, {
      signal: AbortSignal.abort(reason)
    })
    await expect(follow[Symbol.asyncIterator]().next()).rejects.toBe(reason)
  }))

it("a transaction that no callback names is polled once it is registered, with its requestId", () =>
  opened(async (pawl) => {
    const { redirectUrl } = await pawl.paymentIntents.create({
      ...intent,
      metadata: { "sandbox.scenario": "succeed+silent" }
    })
    const intentId = new URL(redirectUrl ?? "").pathname.split("/").at(-1) ?? ""
    await pawl.service.submit(intentId, { act: "WALLET", attempts: "0" })
    await pawl.clock.advance("1 day")
    expect(pawl.transitions).toEqual([])

    const [{ transactionId } = { transactionId: "" }] = await pawl.service.transactions()
    const registration = { kind: "apm-payment", transactionId, requestId: "order-17" } as const
    await pawl.transactions.register({ ...registration, amount: "10.00" })
    await pawl.clock.advance("1 hour")
    expect(pawl.transitions.at(-1)).toMatchObject({ requestId: "order-17", to: "SUCCEED" })
    await pawl.transactions.register(registration)
    const other = pawl.transactions.register({ ...registration, amount: "11.00" })
    await expect(other).rejects.toMatchObject({ code: "RegisteredDifferently", field: "amount" })
  }))

it("a transaction whose onChange always rejects is a dead letter, and redrive tells it again", async () => {
  let isBroken = true
  const options = {
    onChange: () => (isBroken ? Promise.reject(new Error("the database is away")) : undefined),
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  }
  await using pawl = await open(options)
  const { transactionId } = await pawl.apmPayments.create(payment("order-1"))
  await pawl.clock.advance("25 hours")
  const [letter] = await pawl.transactions.deadLetters()
  expect(letter).toMatchObject({ transactionId, reason: "handler-failed" })
  expect(await pawl.transactions.deadLetters({ after: letter!.key })).toEqual([])
  isBroken = false
  const stale = { ...letter!, reason: "amount-mismatch" } as const
  expect(await pawl.transactions.redrive(stale)).toBe(false)
  expect(await pawl.transactions.redrive(letter!)).toBe(true)
  await pawl.clock.advance("1 hour")
  expect(await pawl.transactions.deadLetters()).toEqual([])
  expect(await pawl.transactions.redrive(letter!)).toBe(false)
})

it("virtual time stands still while onChange runs", async () => {
  let running = 0
  const seen: Array<number> = []
  const onChange = async () => {
    seen.push(++running)
    await new Promise((resolve) => setTimeout(resolve, 20))
    running--
  }
  await using pawl = await open({ onChange })
  await pawl.apmPayments.create(payment("order-1"))
  await pawl.clock.advance("62 minutes")
  expect(running).toBe(0)
  expect(new Set(seen)).toEqual(new Set([1]))
  expect(pawl.transitions.every(({ attempt }) => attempt === 1)).toBe(true)
})

it("close waits for calls and handlers, and refuses further calls", async () => {
  const begun = Promise.withResolvers<void>()
  const ended: Array<string> = []
  const pawl = await open({
    onChange: async ({ to }) => {
      begun.resolve()
      await new Promise((resolve) => setTimeout(resolve, 100))
      ended.push(to)
    }
  })
  await pawl.apmPayments.create(payment("order-1"))
  await begun.promise
  await pawl.service.addFault({ endpoint: "POST /v1/payments/apm", fault: "503", times: 1 })
  const retried = pawl.apmPayments.create(payment("order-2"))
  await pawl.close()
  expect(ended.length).toBeGreaterThan(0)
  expect(await Promise.race([retried, Promise.resolve("running")])).toMatchObject({
    transactionStatus: "NEW"
  })
  await expect(pawl.apmPayments.status("1")).rejects.toThrow("closed")
})

it("a callback that comes after close is answered with 503", async () => {
  for (const store of ["memory", `sqlite:${join(folder, "pawl.db")}`]) {
    const pawl = await openReal({ ...settings, merchantSecret: "secret", store })
    await pawl.close()
    const checksum = createHmac("sha256", "secret").update("4711|10.00|EUR|100001").digest("base64")
    const response = await pawl.fetch()(callback("https://shop.example/callback", checksum))
    expect(response.status).toBe(503)
  }
})

it("close ends what is followed, and nothing is followed after it", async () => {
  const pawl = await open()
  const { transactionId } = await pawl.apmPayments.create(payment("order-1"))
  const next = () =>
    pawl.transactions.follow("apm-payment", transactionId)[Symbol.asyncIterator]().next()
  const following = pawl.transactions.follow("apm-payment", transactionId)[Symbol.asyncIterator]()
  await following.next()
  await Promise.all([expect(following.next()).rejects.toThrow("This pawl is closed"), pawl.close()])
  await expect(next()).rejects.toThrow("This pawl is closed")
})

it("a hosted page has the callback URL of the public address", () =>
  opened(async (pawl) => {
    const { redirectUrl } = await pawl.paymentIntents.create(intent)
    expect(redirectUrl).toMatch(/^http/u)
    expect(JSON.stringify(await pawl.requests.get("order-1"))).toContain("settled")
  }))

it("a card token can be used after reveal, and is not printed", () =>
  opened(async (pawl) => {
    const { cardToken } = await pawl.cardPayments.tokenize({
      mid: "4711",
      card: { number: "4242424242424242", expMonth: "04", expYear: "2030", cvv: "123" }
    })
    expect(inspect(cardToken)).not.toContain(reveal(cardToken))
    const order = { requestId: "order-2", mid: "4711", amount: "10.00", currency: "EUR" }
    await expect(
      pawl.cardPayments.charge({ ...order, cardToken: cardToken as never })
    ).rejects.toThrow("cardToken: Expected text, not a redacted value: give reveal(value)")
    const charge = await pawl.cardPayments.charge({ ...order, cardToken: reveal(cardToken) })
    await pawl.clock.advance("62 minutes")
    expect(pawl.transitions.at(-1)).toMatchObject({
      requestId: "order-2",
      kind: "card-payment",
      transactionId: charge.transactionId
    })
  }))

it("open rejects with one sentence for what is missing or wrong, and shows no value", async () => {
  const reasonOf = async (options: Parameters<typeof openReal>[0]) => {
    const error = await failureOf(openReal(options))
    expect(error).toBeInstanceOf(Error)
    const { code, message, stack } = error as Error & { readonly code: string }
    expect(stack).toMatch(/^ +at reasonOf /mu)
    expect(String(error)).toBe(`${code}: ${message}`)
    expect(inspect(error)).toContain(`${code}: ${message}`)
    expect(inspect(error)).not.toContain("hunter2")
    return `${code}: ${message}`
  }
  expect(await reasonOf({ store: "memory", onChange: settings.onChange })).toBe(
    "InvalidConfig: Set baseUrl, merchantKey, merchantSecret of open, or PAWL_BASE_URL, PAWL_MERCHANT_KEY, PAWL_MERCHANT_SECRET in the environment: there is no default; to try it, npx pawl sandbox -- node FILE sets all of them"
  )
  for (const [name, variable] of [
    ["baseUrl", "PAWL_BASE_URL"],
    ["merchantKey", "PAWL_MERCHANT_KEY"],
    ["merchantSecret", "PAWL_MERCHANT_SECRET"],
    ["store", "PAWL_STORE"]
  ]) {
    expect(await reasonOf({ ...settings, [name as string]: undefined })).toContain(
      `InvalidConfig: Set ${name} of open, or ${variable} in the environment: `
    )
  }
  expect(await reasonOf({ ...settings, merchantSecret: " hunter2" })).toMatch(/^Invalid/u)
  expect(await reasonOf({ ...settings, store: "mysql:hunter2" })).toMatch(
    /^InvalidConfig: store cannot be used: sqlite:FILE, /u
  )
  await expect(open({ store: "mysql:hunter2" })).rejects.toMatchObject({ setting: "store" })
  for (const publicUrl of ["shop.example", "https://shop.example?"]) {
    expect(await reasonOf({ ...settings, publicUrl })).toMatch(/^InvalidConfig: publicUrl /u)
  }
  vi.stubEnv("PAWL_PUBLIC_URL", "shop.example")
  expect(await reasonOf({ ...settings, publicUrl: undefined })).toMatch(
    /^InvalidConfig: PAWL_PUBLIC_URL /u
  )
  vi.unstubAllEnvs()
  for (const callbackPath of ["callback", "/r\u00fcck", "/a/../b", "/a?b"])
    expect(await reasonOf({ ...settings, callbackPath })).toMatch(/callbackPath/u)
  expect(await reasonOf({ ...settings, store: "sqlite:/no/such/folder/pawl.db" })).toMatch(
    /^StoreUnusable: The SQLite file \/no\/such\/folder\/pawl\.db cannot be used/u
  )
  expect(
    await reasonOf({ ...settings, store: "postgres://pawl:hunter2@127.0.0.1:9/pawl" })
  ).toMatch(/^StoreUnusable: The PostgreSQL database cannot be used/u)
})

it("open refuses what a program without types gives wrong, and shows no value", async () => {
  const reasonOf = async (options: unknown) => {
    const error = await failureOf(openReal(options as typeof settings))
    expect(inspect(error, { depth: 9 })).not.toContain("hunter2")
    return /^InvalidConfig: (.*) cannot be used: /u.exec(inspect(error))?.[1]
  }
  const { onChange: _, ...withoutHandler } = settings
  expect(await reasonOf(undefined)).toBe("The argument")
  expect(await reasonOf("hunter2")).toBe("The argument")
  expect(await reasonOf(withoutHandler)).toBe("onChange")
  expect(await reasonOf({ ...settings, onChnage: settings.onChange })).toBe("onChnage")
  expect(await reasonOf({ ...settings, "hunter2!": "" })).toBe("An option")
  const unreadable = { enumerable: true, get: () => expect.unreachable("hunter2") }
  expect(await reasonOf(Object.defineProperty({ ...settings }, "store", unreadable))).toBe(
    "An option"
  )
  const wrong = {
    merchantSecret: 12_345,
    store: { hunter2: 1 },
    attemptTimeout: ["hunter2"],
    maxAttempts: "hunter2",
    onChange: "hunter2",
    rebuild: "hunter2",
    headers: "hunter2",
    hooks: { onRequest: "hunter2" },
    dispatcher: {},
    logger: 5,
    profile: 5
  }
  for (const [name, value] of Object.entries(wrong)) {
    expect(await reasonOf({ ...settings, [name]: value })).toBe(name)
  }
  expect(await reasonOf({ ...settings, hooks: { onReqest: () => {} } })).toBe("hooks")
  expect(await reasonOf({ ...settings, headers: { "x-key": 17 } })).toBe("headers")
  const switches = {
    pollIntervals: "hunter2",
    refreshBefore: NaN,
    payoutChecksum: 1,
    pollInterval: 1
  }
  for (const [name, value] of Object.entries(switches)) {
    expect(await reasonOf({ ...settings, profile: { [name]: value } })).toBe(`profile.${name}`)
  }
})

it("open uses the options as they are when it is called", async () => {
  const bodies: Array<unknown> = []
  const dispatch = ({ body }: { readonly body?: unknown }) => {
    bodies.push(body)
    throw new Error("The connection was refused")
  }
  const options = { ...settings, dispatcher: { dispatch }, maxAttempts: 1 }
  const opening = openReal(options)
  options.merchantKey = "the key of another merchant"
  options.dispatcher = { dispatch: () => expect.unreachable() }
  await using pawl = await opening
  await expect(pawl.apmPayments.status("100001")).rejects.toThrow(Unreachable)
  expect(bodies).toEqual(['{"merchantKey":"key","merchantSecret":"hunter2"}'])
})

it("open and sandbox of pawl/testing name a wrong option, too, and openOnce has no options", async () => {
  const settingOf = (opened: Promise<unknown>) =>
    opened.then(
      () => undefined,
      ({ code, setting }: Record<string, unknown>) => [code, setting]
    )
  const wrong = (setting: string) => ["InvalidConfig", setting]
  for (const start of [open, sandbox]) {
    expect(await settingOf(start(null as never))).toEqual(wrong("The argument"))
    expect(await settingOf(start({ sed: 1 } as never))).toEqual(wrong("sed"))
  }
  const ofBoth = {
    sed: 1,
    isLenient: 1,
    pace: "fast",
    intentLifetime: -1,
    seed: {},
    firstId: 1.5
  }
  const ofSandbox = { style: "java", port: 70_000, allowCallbacks: "shop.example" }
  for (const [name, value] of Object.entries({ ...ofBoth, merchantSecret: "hunter2" })) {
    expect(await settingOf(open({ fake: { [name]: value } }))).toEqual(wrong(name))
  }
  for (const [name, value] of Object.entries({ ...ofBoth, ...ofSandbox })) {
    expect(await settingOf(sandbox({ [name]: value }))).toEqual(wrong(name))
  }
  for (const [name, value] of Object.entries({ checksums: '"|"', checksum: "none", lang: 5 })) {
    const readings = { [name]: value as string }
    expect(await settingOf(sandbox({ readings }))).toEqual(wrong(name))
  }
  expect(await settingOf(open({ onChange: 5 } as never))).toEqual(wrong("onChange"))
  expect(await settingOf(open({ store: "mysql:" }))).toEqual(wrong("store"))
  expect(await settingOf(openOnce(undefined as never).pawl())).toEqual(wrong("onChange"))
})

it("a fake with a merchant secret of its own signs its callbacks for this Pawl, and no fault has a misspelt option", async () => {
  await using pawl = await open({ fake: { merchantSecret: Redacted.make("another-secret") } })
  await pawl.apmPayments.create(payment("order-1"))
  await pawl.clock.advance("1 minute")
  expect(pawl.transitions.map(({ to }) => to)).toEqual(["NEW", "PENDING", "PROCESSING", "SUCCEED"])
  const fault = { endpoint: "*", fault: "500", tims: 1 } as const
  await expect(pawl.service.addFault(fault)).rejects.toThrow('["tims"]')
})

it("open takes each option of the README, and the whole of a sandbox", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8")
  const [, settings = ""] = readme.split(/^## (?:Settings|Operations)$/mu)
  const documented = [...settings.matchAll(/^\| `(\w+)` +\|/gmu)].map(([, name = ""]) => name)
  await using service = await sandbox()
  const named = Object.fromEntries(documented.map((name) => [name, undefined]))
  const options = { ...named, ...service, store: "memory", onChange: () => {} }
  await using pawl = await openReal(options)
  expect(documented).toContain("rebuild")
  expect(pawl.transactions).toBeDefined()
  const error = await failureOf(openReal({ ...options, no_option: 1 } as never))
  const [, listed = ""] = /the options are (.*)/u.exec((error as Error).message) ?? []
  expect(listed.split(", ").toSorted()).toEqual(documented.toSorted())
})

it("hooks, headers and a dispatcher reach every request, and a wrong header is named", async () => {
  const sent: Array<unknown> = []
  const ended: Array<unknown> = []
  await using pawl = await openReal({
    ...settings,
    maxAttempts: 1,
    headers: { "x-gateway-key": "17" },
    hooks: {
      onRequest: () => Promise.reject(new Error("a hook that changes nothing")),
      onResponse: ({ error, operation }) => void ended.push([operation, error])
    },
    dispatcher: {
      dispatch: ({ headers, path }, handler) => {
        sent.push({ headers, path })
        handler.onResponseError?.(undefined as never, new Error("no network"))
        return true
      }
    }
  })
  await expect(pawl.apmPayments.status("100001")).rejects.toBeInstanceOf(Unreachable)
  expect(ended).toEqual([["authenticate", "Unreachable"]])
  expect(sent).toMatchObject([{ path: "/api/v1/auth", headers: { "x-gateway-key": "17" } }])
  await expect(openReal({ ...settings, headers: { "no header": "17" } })).rejects.toMatchObject({
    code: "InvalidConfig",
    setting: "headers"
  })
})

describe("a profile", () => {
  const switches = { pollIntervals: ["1 minute"], requestChecksumSeparator: "-" } as const
  const write = async (profile: object) => {
    const path = join(folder, "profile.json")
    await writeFile(path, JSON.stringify(profile))
    return path
  }

  it.each([
    ["its switches", () => Promise.resolve(switches)],
    ["the path of a file", () => write({ switches, readings: {} })]
  ])("as %s holds in the client, the receiver and the service of a test", async (_, given) => {
    await using pawl = await open({ profile: await given() })
    const metadata = { "sandbox.scenario": "succeed+silent" }
    // The service refuses a checksum with another separator.
    await pawl.apmPayments.create({ ...payment("order-1"), metadata })
    await pawl.clock.advance("3 minutes")
    // Without the switch the first read comes after 5 minutes.
    expect(pawl.transitions.at(-1)).toMatchObject({ requestId: "order-1", to: "SUCCEED" })
  })

  it("in a file is refused by its fault", async () => {
    for (const [profile, reason] of [
      [await write({ switches: { refundCallbackId: "hunter2" } }), /switches\.refundCallbackId/u],
      [join(folder, "none.json"), /path of a profile/u]
    ] as const) {
      for (const opening of [() => openReal({ ...settings, profile }), () => open({ profile })]) {
        await expect(opening()).rejects.toMatchObject({
          code: "InvalidConfig",
          setting: "profile",
          message: expect.stringMatching(reason) as unknown
        })
      }
    }
  })
})

it("the log goes to the logger, with its fields and no value of a request", async () => {
  const logged: Array<[string, string, Record<string, unknown>]> = []
  const to = (level: string) => (message: string, fields: Record<string, unknown>) =>
    logged.push([level, message, fields])
  const logger = { debug: to("debug"), info: to("info"), warn: to("warn"), error: to("error") }
  const onChange = () => Promise.reject(new Error("the database is away"))
  await using pawl = await open({ logger, onChange })
  const { transactionId } = await pawl.apmPayments.create(payment("order-1"))
  await pawl.clock.advance("1 minute")
  expect(logged).toContainEqual([
    "warn",
    expect.stringMatching(/handler/u),
    expect.objectContaining({ transactionId })
  ])
  expect(JSON.stringify(logged)).not.toMatch(/sandbox-secret|10\.00/u)
})

it("a logger that throws or rejects stops no work", async () => {
  const broken = () => {
    throw new Error("the log is closed")
  }
  const rejecting = () => Promise.reject(new Error("the log is closed"))
  const logger = { debug: broken, info: broken, warn: broken, error: rejecting }
  let calls = 0
  const onChange = () => {
    if (++calls < 3) throw new Error("the database is away")
  }
  await using pawl = await open({ logger, onChange })
  await pawl.apmPayments.create(payment("order-1"))
  await pawl.clock.advance("62 minutes")
  expect(pawl.transitions.at(-1)?.to).toBe("SUCCEED")
})

it("the fields of the log reach a logger of pino, whose methods take them first", async () => {
  const lines: Array<string> = []
  const app = fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } })
  const onChange = () => Promise.reject(new Error("the database is away"))
  await using pawl = await open({ logger: app.log, onChange })
  const { transactionId } = await pawl.apmPayments.create(payment("order-1"))
  await pawl.clock.advance("1 minute")
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ transactionId, msg: expect.stringMatching(/handler/u) })
  )
})

it("a logger of pino at level debug shows why a callback is refused with 400", async () => {
  for (const level of ["debug", "info"]) {
    const lines: Array<string> = []
    const stream = { write: (line: string) => void lines.push(line) }
    const app = fastify({ logger: { level, stream } })
    await using pawl = await open({ logger: app.log })
    const headers = { "content-type": "application/json" }
    const post = { method: "POST", headers, body: "{" }
    const request = new Request("https://shop.example/callback", post)
    expect((await pawl.fetch()(request)).status).toBe(400)
    const shown = lines.filter((line) => line.includes("Refused a callback"))
    expect(shown).toHaveLength(level === "debug" ? 1 : 0)
  }
})

it("without a logger the log is on stderr, which warns of a store in memory except in a test and over the fake", async () => {
  const program = `import { open } from "pawl"
    import { open as openFake } from "pawl/testing"
    const service = { baseUrl: "http://127.0.0.1:9/api", merchantKey: "k", merchantSecret: "s" }
    const settings = { ...service, store: "memory", onChange: () => {} }
    for (const isTest of [true, false]) {
      if (isTest) process.env.NODE_ENV = "test"
      else for (const name of ["NODE_ENV", "NODE_TEST_CONTEXT"]) delete process.env[name]
      console.error(isTest ? "in a test" : "outside")
      await (await openFake()).close()
      await (await open(settings)).close()
    }
    const pawl = await openFake({ onChange: () => Promise.reject(new Error("away")) })
    const order = { requestId: "17", accountId: "4711", amount: "10.00", currency: "EUR" }
    await pawl.apmPayments.create({ ...order, apmPayload: { paymentMethod: "WALLET" } })
    await pawl.clock.advance("1 minute")
    await pawl.close()`
  const { stderr, stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", program],
    { cwd: import.meta.dirname }
  )
  expect(stdout).toBe("")
  expect(stderr).toMatch(
    /^in a test\noutside\n[^\n]*WARN[^\n]*kept in memory[^\n]*\n[^\n]*WARN.*handler/u
  )
})
