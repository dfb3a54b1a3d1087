import { forAll } from "@pawl/test-support/Properties"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { duration } from "@pawl/receiver/page/format.js"
import {
  callbackState,
  describeCallbacks,
  describeOutcome
} from "../src/internal/console/summary.js"
import * as Courier from "@pawl/testkit/Courier"
import type { Transaction } from "@pawl/testkit/Gateway"
import * as Sandbox from "../src/Sandbox.ts"
import { test } from "./support/sandbox.ts"
import { raw } from "./support/wire.ts"
import * as Duration from "effect/Duration"

const visit = (path: string, init: RequestInit = {}) =>
  Effect.flatMap(Sandbox.Sandbox, ({ baseUrl }) =>
    Effect.promise(async () => {
      const response = await fetch(new URL(path, baseUrl), init)
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
  )

describe("Console", () => {
  test("D06: a page cannot be framed, has its declared type, and runs only its own scripts", function* () {
    for (const path of ["/", "/docs", "/console/main.js", "/console/base.css"]) {
      const { headers, status } = yield* visit(path)
      const policy = headers.get("content-security-policy") ?? ""
      assert.strictEqual(status, 200, path)
      assert.include(policy, "default-src 'none'", path)
      assert.include(policy, "frame-ancestors 'none'", path)
      assert.notInclude(policy, "unsafe-eval", path)
      if (path !== "/docs") assert.notInclude(policy, "unsafe-inline", path)
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff", path)
    }
    const { headers } = yield* visit("/sandbox/transactions")
    assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
    const { text } = yield* visit("/")
    assert.notMatch(text, /<script(?![^>]*src="\/console\/main\.js")|<style|style=|\son\w+=/u)
  })

  test("HEAD is answered like GET, without a body", function* () {
    for (const path of ["/", "/openapi.json", "/sandbox/clock", "/pay/1", "/nothing"]) {
      const [got, head] = yield* Effect.all([visit(path), visit(path, { method: "HEAD" })])
      assert.deepStrictEqual([head.status, head.text], [got.status, ""], path)
      const type = "content-type"
      assert.strictEqual(head.headers.get(type), got.headers.get(type), path)
    }
  })

  test("HEAD of the events ends", function* () {
    const signal = AbortSignal.timeout(10_000)
    const events = yield* visit("/sandbox/events", { method: "HEAD", signal })
    assert.deepStrictEqual([events.status, events.text], [200, ""])
    assert.strictEqual(events.headers.get("content-type"), "text/event-stream")
  })

  test("every file of the console is served, and loads nothing from another host", function* () {
    const served = new Set<string>()
    const follow: (path: string) => Effect.Effect<void, never, Sandbox.Sandbox> = Effect.fnUntraced(
      function* (path) {
        if (served.has(path)) return
        served.add(path)
        const { status, text } = yield* visit(path)
        assert.strictEqual(status, 200, path)
        const links = path.endsWith(".js")
          ? text.matchAll(/^import .*from "([^"]+)"/gmu)
          : text.matchAll(/(?:src|rel="[a-z]+" href)="([^"#]+)"/gu)
        for (const [, link = ""] of links) {
          const { origin, pathname } = new URL(link, `http://console.invalid${path}`)
          assert.strictEqual(origin, "http://console.invalid", link)
          yield* follow(pathname)
        }
      }
    )
    yield* follow("/")
    assert.includeMembers(
      [...served],
      ["/console/main.js", "/console/base.css", "/console/icon.svg", "/console/store.js"]
    )
  })

  test("serves no file that is not part of the page", function* () {
    for (const name of ["Model.ts", "..%2fBook.ts", "%2e%2e/Book.ts", "main.js.map", ""]) {
      assert.strictEqual((yield* visit(`/console/${name}`)).status, 404, name)
    }
  })

  test("an unknown path is 404 with a list of the paths", function* () {
    for (const [method, path] of [
      ["GET", "/nothing"],
      ["GET", "/favicon.ico"],
      ["POST", "/"],
      ["DELETE", "/docs/x"]
    ] as const) {
      const { status, text } = yield* visit(path, { method })
      assert.strictEqual(status, 404)
      for (const there of ["/api", "/docs", "/openapi.json", "/pay", "/sandbox"]) {
        assert.include(text, there)
      }
      assert.match(text, /^[^\n]+\n$/u)
    }
  })

  test("D05: other hosts and other sites get no page", function* () {
    const { origin } = new URL((yield* Sandbox.Sandbox).baseUrl)
    for (const path of ["/", "/docs", "/console/main.js", "/console/facts.json", "/nothing"]) {
      for (const headers of [{ host: "shop.example" }, { origin: "https://shop.example" }]) {
        assert.strictEqual(yield* raw(origin + path, { headers }), 403, path)
      }
    }
  })
})

const gaps = Courier.retryGaps.map(Duration.toMillis)
const at = (minutes: number) => new Date(minutes * 60_000).toISOString()

const tried = (
  attempt: number,
  minutes: number,
  answer: Courier.Delivery["answer"]
): Courier.Delivery => ({
  id: String(attempt),
  transactionId: "1",
  status: "SUCCEED",
  at: at(minutes),
  attempt,
  answer,
  forged: false
})

const ladder = [0, 2, 6, 14, 30, 62]

describe("the summary of a transaction", () => {
  it("the next attempt of a callback is due when the courier makes it; after the last attempt there is none", () => {
    for (let attempts = 1; attempts <= ladder.length; attempts++) {
      const deliveries = ladder.slice(0, attempts).map((minutes, n) => tried(n + 1, minutes, 503))
      const { due, state } = callbackState("SUCCEED", deliveries, gaps)
      assert.strictEqual(state, attempts < ladder.length ? "waiting" : "dropped")
      assert.strictEqual(
        due,
        attempts < ladder.length ? (ladder[attempts] ?? 0) * 60_000 : undefined
      )
    }
  })

  it("a failed resend by hand does not change when the next attempt is due", () => {
    const again = { ...tried(1, 3, "unreachable"), id: "7" }
    const { due, state, attempts } = callbackState(
      "SUCCEED",
      [tried(1, 0, 503), tried(2, 2, 503), again],
      gaps
    )
    assert.deepStrictEqual([state, attempts, due], ["waiting", 3, 6 * 60_000])
  })

  it("one successful attempt makes a callback delivered, before or after failed ones", () =>
    forAll(
      [
        fc.array(fc.constantFrom(301, 404, 500, "timeout" as const, "unreachable" as const)),
        fc.integer({ min: 200, max: 299 }),
        fc.nat()
      ],
      (bad, good, place) => {
        const answers = bad.toSpliced(place % (bad.length + 1), 0, good)
        const deliveries = answers.map((answer, n) => tried(n + 1, n, answer))
        assert.strictEqual(callbackState("SUCCEED", deliveries, gaps).state, "delivered")
      }
    ))

  it("a forged callback does not count as a delivery", () => {
    const forged = { ...tried(1, 0, 200), forged: true }
    assert.strictEqual(callbackState("SUCCEED", [forged], gaps).state, "none")
  })

  const transaction: Transaction = {
    transactionId: "1",
    kind: "apm-payment",
    status: "SUCCEED",
    isOver: true,
    requestId: "r-1",
    amount: "1.00",
    currency: "EUR",
    callbackUrl: "http://127.0.0.1:4020/callback",
    createdTime: at(0),
    history: [{ status: "SUCCEED", at: at(1) }]
  }
  const noon = new Date("1970-01-01T12:00:00").getTime()

  const sentences = [
    [[tried(1, 0, 200)], "Its callback was delivered."],
    [[], "No callback was sent."],
    [
      [tried(1, 0, "refused")],
      "The callback of SUCCEED was not posted: the sandbox does not post there."
    ],
    [
      ladder.map((minutes, n) => tried(n + 1, minutes, "timeout")),
      "The callback of SUCCEED was not answered in time and was dropped after 6 attempts."
    ]
  ] as const
  for (const [deliveries, sentence] of sentences) {
    it(`is summarized as: ${sentence}`, () => {
      assert.strictEqual(
        describeCallbacks(transaction, [callbackState("SUCCEED", deliveries, gaps)], noon),
        sentence
      )
    })
  }

  it("states how the transaction ended, or that it has not ended", () => {
    assert.strictEqual(describeOutcome(transaction, true), "Succeeded 1 min after it was created.")
    assert.strictEqual(
      describeOutcome(
        { ...transaction, status: "FAILED", declineCode: 51, createdTime: at(1) },
        true
      ),
      "Declined at once, with code 51."
    )
    assert.strictEqual(
      describeOutcome({ ...transaction, status: "PENDING", isOver: false }, false),
      "It is in progress, now in PENDING."
    )
  })

  it("a duration has at most two units, each below its limit", () => {
    assert.deepStrictEqual(
      [0, 999, 1000, 1240, 59_900, 59_960, 60_000, 124_000, 3_720_000, 86_400_000].map(duration),
      [
        "0 ms",
        "999 ms",
        "1 s",
        "1.2 s",
        "59.9 s",
        "1 min",
        "1 min",
        "2 min 4 s",
        "1 h 2 min",
        "1 d"
      ]
    )
    return forAll([fc.nat({ max: 10 ** 11 })], (span) => {
      assert.match(
        duration(span),
        /^(?:\d{1,3} ms|\d{1,2}(?:\.\d)? s|\d{1,2} min(?: \d{1,2} s)?|\d{1,2} h(?: \d{1,2} min)?|\d+ d(?: \d{1,2} h)?)$/u
      )
    })
  })
})
