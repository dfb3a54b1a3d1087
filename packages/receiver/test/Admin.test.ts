import { StoreUnavailable } from "@pawl/core/CallbackError"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { readFileSync } from "node:fs"
import * as Admin from "../src/Admin.ts"
import { askAdmin } from "./askAdmin.ts"
import * as Advice from "../src/internal/admin/Advice.ts"
import { Ledger, layerMemory } from "@pawl/webhook/Ledger"
import * as World from "@pawl/test-support/World"
import { card, verified } from "@pawl/test-support/Service"
import { test } from "@pawl/test-support/Tests"

const here = { host: "127.0.0.1:4020" }

const asking = (ledger: Ledger["Service"], options?: Parameters<typeof Admin.layer>[0]) =>
  Effect.map(
    Layer.build(Layer.provide(Admin.layer(options), Layer.succeed(Ledger, ledger))),
    (context) => askAdmin(Context.get(context, Admin.Admin))
  )

const there = Effect.gen(function* () {
  const ledger = Context.get(yield* Layer.build(layerMemory), Ledger)
  return { ledger, ask: yield* asking(ledger) }
})

test("GET /transactions finds an amount that only callbacks have by one read of a page", function* () {
  const { ledger } = yield* there
  yield* ledger.accept(verified("card", card({ transactionId: "1" })), 0)
  const ask = yield* asking({ ...ledger, get: () => Effect.die("A row is read alone") })
  const { json } = yield* ask("/transactions?from=1970-01-01&text=10.00")
  expect(json).toMatchObject([{ transactionId: "1" }])
})

describe("GET /transactions/{method}/{id}", () => {
  test("returns every known member of a transaction", function* () {
    const answers = ["FAILED", "SUCCEED"] as const
    let asked = 0
    const world = yield* World.make({ read: () => Effect.succeed(answers[asked++] ?? "SUCCEED") })
    const { receive } = yield* world.start
    const ask = yield* asking(world.ledger)
    const shown = Effect.map(ask("/transactions/apm/1"), ({ json }) => json)

    yield* receive("1", "PENDING")
    yield* World.settled
    const { body, headers, json, status } = yield* ask("/transactions/apm/1")
    expect([status, headers["content-type"]]).toEqual([200, "application/json"])
    expect(body.trimEnd()).toBe(JSON.stringify(json))
    expect(Object.entries(json as object)).toEqual([
      ["method", "apm"],
      ["kind", "apm"],
      ["transactionId", "1"],
      ["status", "PENDING"],
      ["confirmed", false],
      ["conflict", null],
      ["claimed", ["PENDING"]],
      ["confirmedStatuses", []],
      ["told", "PENDING"],
      ["callbacks", 1],
      ["deadLetter", null]
    ])

    for (const claim of ["FAILED", "SUCCEED", "SUCCEED"]) {
      yield* receive("1", claim)
      yield* World.pass("5 seconds")
    }
    expect(yield* shown).toMatchObject({
      kind: "apm-payment",
      status: "SUCCEED",
      confirmed: true,
      conflict: ["SUCCEED", "FAILED"],
      claimed: ["PENDING", "SUCCEED", "FAILED"],
      confirmedStatuses: ["SUCCEED", "FAILED"],
      told: "SUCCEED",
      callbacks: 4
    })
  })

  test("returns null for the status and for told when there is neither", function* () {
    const world = yield* World.make({ read: () => World.unreachable })
    const { receive } = yield* world.start
    yield* receive("1", "SUCCEED")
    yield* World.settled
    const { json } = yield* (yield* asking(world.ledger))("/transactions/apm/1")
    expect(json).toMatchObject({
      status: null,
      confirmed: false,
      told: null,
      claimed: ["SUCCEED"]
    })
    const always = yield* asking(world.ledger, { policy: "never" })
    expect((yield* always("/transactions/apm/1")).json).toMatchObject({ status: "SUCCEED" })
  })

  test("responds 404 for an unknown transaction, method or path", function* () {
    const { ask, ledger } = yield* there
    yield* ledger.register({ kind: "card-payment", transactionId: "a b/c%" }, 0)
    expect((yield* ask("/transactions/card/a%20b%2Fc%25")).json).toMatchObject({
      transactionId: "a b/c%"
    })
    const nowhere = [
      "/",
      "/transactions/",
      "/transactions/card",
      "/transactions/card/",
      "/transactions/card/2",
      "/transactions/apm/a%20b%2Fc%25",
      "/transactions/cash/a%20b%2Fc%25",
      "/transactions/card/a%20b%2Fc%25/",
      "/transactions/card/a%20b%2Fc%25/redrive",
      "/transactions/card/%",
      "/transactions/card/%FF",
      "/transactions/card/abc%zz",
      "/transactions/card/%zzabc",
      "/transactions/card/%41%",
      "/transactions/card/%00",
      "/transactions/card/%zz",
      "/transactions/card/%ff",
      "/healthz",
      "//transactions/card/2",
      "/Transactions/card/2",
      "/dead-letters/card/2"
    ]
    for (const path of nowhere) expect((yield* ask(path)).status).toBe(404)
  })
})

describe("dead letters", () => {
  test("are listed with their reasons, and can be redriven", function* () {
    let isBroken = true
    const world = yield* World.make({
      read: World.says("PENDING"),
      handle: () => (isBroken ? Effect.fail("no") : Effect.void),
      retrySchedule: World.hourly
    })
    const { receive } = yield* world.start
    const ask = yield* asking(world.ledger)
    expect((yield* ask("/dead-letters")).json).toEqual([])
    yield* receive("1", "PENDING")
    yield* World.pass("27 hours")

    const { json } = yield* ask("/dead-letters")
    expect(json).toEqual([
      {
        method: "apm",
        kind: "apm-payment",
        transactionId: "1",
        reason: "handler-failed",
        to: "PENDING",
        at: expect.stringMatching(/^1970-01-02T02:.*Z$/u),
        attempts: expect.any(Number),
        explanation: expect.stringMatching(/24 hours.*redrive/u)
      }
    ])
    const { method, kind, transactionId, ...deadLetter } = (
      json as ReadonlyArray<Record<string, unknown>>
    )[0]!
    expect((yield* ask("/transactions/apm/1")).json).toEqual(
      expect.objectContaining({ method, kind, transactionId, deadLetter })
    )

    isBroken = false
    const path = "/dead-letters/apm/1/redrive"
    const stale = yield* ask(`${path}?reason=amount-mismatch`, "POST")
    expect([stale.status, stale.json]).toEqual([
      404,
      { message: expect.stringContaining("another reason") }
    ])
    expect((yield* ask(`${path}?reason=none`, "POST")).status).toBe(400)
    const redriven = yield* ask(`${path}?reason=handler-failed`, "POST")
    expect([redriven.status, redriven.json]).toEqual([
      200,
      expect.objectContaining({ transactionId: "1", deadLetter: null })
    ])
    yield* World.pass("1 minute")
    expect(World.told(world)).toEqual(["PENDING"])
    expect((yield* ask("/dead-letters")).json).toEqual([])
    expect((yield* ask(path, "POST")).status).toBe(404)
  })
})

test("redrives all dead letters, also those of a clock that was set back since", function* () {
  const { ask, ledger } = yield* there
  yield* ledger.register({ kind: "card-payment", transactionId: "1" }, 0)
  const { rows } = yield* ledger.claim({ at: 1e9, until: 2e9, limit: 1 })
  const deadLetter = { reason: "handler-failed", at: 3000, to: "SUCCEED" } as const
  for (const row of rows) yield* ledger.write(row, { deadLetter, release: { dueAt: undefined } })
  yield* TestClock.setTime(1000)
  const { json } = yield* ask("/dead-letters/redrive?reason=handler-failed", "POST")
  expect(json).toMatchObject({ redriven: 1 })
})

test("responds 405 with the allowed method to any other method", function* () {
  const { ask } = yield* there
  for (const [path, allow] of [
    ["/overview", "GET"],
    ["/dead-letters", "GET"],
    ["/dead-letters/redrive", "POST"],
    ["/metrics", "GET"],
    ["/transactions", "GET"],
    ["/transactions/card/1", "GET"],
    ["/dead-letters/card/1/redrive", "POST"]
  ] as const) {
    for (const method of ["GET", "POST", "PUT", "DELETE", "HEAD"]) {
      const { headers, status } = yield* ask(path, method)
      if (method === allow) expect(status).not.toBe(405)
      else expect([status, headers["allow"]]).toEqual([405, allow])
    }
  }
})

test("without a token serves only requests from this machine", function* () {
  const { ask, ledger } = yield* there
  yield* ledger.register({ kind: "card-payment", transactionId: "1" }, 0)
  const asked: ReadonlyArray<readonly [headers: Admin.Request["headers"], isAnswered: boolean]> = [
    [here, true],
    [{ host: "localhost" }, true],
    [{ host: "LOCALHOST:1" }, true],
    [{ host: "[::1]:4020" }, true],
    [{ ...here, origin: "http://127.0.0.1:4020" }, true],
    [{}, false],
    [{ host: "shop.example" }, false],
    [{ host: "127.0.0.1.shop.example" }, false],
    [{ host: "shop@127.0.0.1" }, false],
    [{ ...here, origin: "https://shop.example" }, false],
    [{ ...here, origin: "null" }, false],
    [{ ...here, "sec-fetch-site": "cross-site" }, false],
    [{ ...here, "sec-fetch-site": "same-origin" }, true],
    [{ ...here, "sec-fetch-site": "none" }, true],
    [{ ...here, forwarded: "for=10.0.0.1" }, false],
    [{ ...here, "x-forwarded-for": "10.0.0.1" }, false],
    [{ ...here, "x-forwarded-for": "" }, false],
    [{ ...here, "x-forwarded-proto": "https" }, false],
    [{ ...here, via: "1.1 proxy" }, false],
    [{ ...here, "x-real-ip": "10.0.0.1" }, false],
    [{ ...here, "X-Forwarded-Anything": ["a", "b"] }, false]
  ]
  for (const [headers, isAnswered] of asked) {
    for (const path of ["/transactions/card/1", "/dead-letters", "/metrics"]) {
      expect((yield* ask(path, "GET", headers)).status).toBe(isAnswered ? 200 : 404)
    }
  }
})

test("responds 503 while the ledger is not available", function* () {
  const { ledger } = yield* there
  const down = Effect.fail(new StoreUnavailable({}))
  const ask = yield* asking({
    ...ledger,
    get: () => down,
    deadLetters: () => down,
    redriveAll: () => down,
    backlog: () => down,
    checkWritable: down,
    redrive: () => down
  })
  expect(yield* ask("/overview")).toMatchObject({
    status: 200,
    json: { condition: { ready: false, store: "not writable" }, backlog: null }
  })
  expect((yield* ask("/transactions/card/1")).status).toBe(503)
  expect((yield* ask("/dead-letters")).status).toBe(503)
  expect((yield* ask("/dead-letters/card/1/redrive", "POST")).status).toBe(503)
  expect((yield* ask("/dead-letters/redrive?reason=handler-failed", "POST")).status).toBe(503)
  expect((yield* ask("/metrics")).status).toBe(200)
})

test("returns the metrics in the text format of Prometheus", function* () {
  const { ask } = yield* there
  const { body, headers } = yield* ask("/metrics")
  expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8")
  expect(body).toMatch(/^pawl_webhook_dead_letters 0$/mu)
})

it("the next step after an alarm is that of the production guide", () => {
  const guide = readFileSync(
    new URL("../../../docs/guides/production.md", import.meta.url),
    "utf8"
  ).replaceAll(/\[([^\]]+)\]\([^)]+\)/gu, "$1")
  const lines = guide.split("\n").flatMap((line) => {
    const [, alarm, step] = /^\| (.+?) +\| (.+?) +\|$/u.exec(line) ?? []
    return alarm === undefined || step === undefined ? [] : [{ alarm, step }]
  })
  for (const [reason, step] of Object.entries(Advice.nextSteps)) {
    const line = lines.find(({ alarm }) => alarm.startsWith(reason))
    expect([reason, line?.step.replaceAll("`", "")]).toEqual([reason, step])
  }
  expect(Advice.nextStepFor("a dead letter: handler-failed")).toBe("act on its reason")
  expect(Advice.nextStepFor("something else")).toBeNull()
})
