import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"
import * as Evidence from "@pawl/core/Evidence"
import { BeforeRequest } from "@pawl/core/internal/BeforeRequest"
import type { Kind } from "@pawl/core/Kind"
import {
  NotFound,
  RateLimited,
  type ReadError,
  ServiceFailed,
  Unauthorized,
  Unreachable,
  ValidationFailed
} from "@pawl/core/PaymentsError"
import type { Status } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Context from "effect/Context"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { MinimumLogLevel } from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import * as Confirmer from "../src/internal/work/Confirmer.ts"
import { blank, type Row } from "../src/internal/rule/Row.ts"

const { told, alarms, says, minute, hour } = World

describe("a policy", () => {
  test("of always tells only statuses that the service confirmed", function* () {
    const { receive, ...world } = yield* World.started({
      policy: "always",
      read: ({ at }) => Effect.succeed(at < minute ? "NEW" : "PENDING")
    })
    yield* receive("1", "PENDING")
    yield* World.pass("10 minutes")
    expect(world.calls.map(({ confirmed, to }) => [to, confirmed])).toEqual([
      ["NEW", true],
      ["PENDING", true]
    ])
  })

  test("of never tells the claims of callbacks at once", function* () {
    const { receive, ...world } = yield* World.started({
      policy: "never",
      read: () => World.unreachable
    })
    yield* receive("1", "SUCCEED")
    yield* World.settled
    expect(world.calls.map(({ confirmed, to }) => [to, confirmed])).toEqual([["SUCCEED", false]])
  })
})

describe("a service whose read", () => {
  test.each([
    ["never ends", Effect.never],
    ["fails with Unreachable", World.unreachable]
  ])(
    "%s is read again after 15 seconds, and does not delay work that needs no read (R21)",
    function* (_, response) {
      const { receive, ...world } = yield* World.started({ read: () => response })
      yield* receive("1", "PENDING")
      yield* World.settled
      yield* receive("1", "SUCCEED")
      yield* World.pass("61 minutes")
      yield* receive("1", "CUSTOMER_VERIFICATION")
      yield* World.pass("2 minutes")
      expect(told(world)).toEqual(["PENDING", "CUSTOMER_VERIFICATION"])
      expect(world.reads.length).toBeGreaterThan(40)
      expect(world.reads.length).toBeLessThan(63 * 4 + 10)
      expect(world.counts.claims).toBeLessThan(63 * 4 * 2 + 30)
      expect(yield* world.ledger.get("apm", "1")).toMatchObject({
        polls: 0,
        deadLetter: undefined
      })
    }
  )

  test("succeeds is read once for each claim, however many come at once", function* () {
    const { receive, ...world } = yield* World.started({
      limits: { readsPerSecond: Infinity },
      read: () => Effect.delay(Effect.succeed("SUCCEED"), 100)
    })
    for (let id = 0; id < 150; id++) yield* receive(String(id), "SUCCEED")
    yield* World.pass("4 seconds")
    expect(told(world).length).toBe(150)
    expect(world.reads.length).toBe(150)
  })

  test("returns an unknown status raises an alarm, is read again, and tells nothing", function* () {
    const { receive, ...world } = yield* World.started({
      read: ({ at }) => Effect.succeed(at < hour ? "SETTLED" : "SUCCEED")
    })
    yield* receive("1", "SUCCEED")
    yield* World.pass("50 minutes")
    expect(told(world)).toEqual([])
    expect(new Set(alarms(world))).toEqual(
      new Set(["the service answered with an undocumented status"])
    )
    yield* World.pass("2 hours")
    expect(told(world)).toEqual(["SUCCEED"])
  })

  test("goes back in rank raises one alarm and causes no transition", function* () {
    const { receive, ...world } = yield* World.started({
      read: ({ at }) => Effect.succeed(at < hour ? "REFUNDED" : "SUCCEED")
    })
    yield* receive("1", "REFUNDED")
    yield* World.pass("150 days")
    expect(told(world)).toEqual(["REFUNDED"])
    expect(alarms(world)).toEqual(["the service went back to an earlier status"])
  })

  test("contradicts a claim for a minute raises one alarm", function* () {
    const { receive, ...world } = yield* World.started({ read: says("FAILED") })
    yield* receive("1", "SUCCEED")
    yield* World.pass("64 seconds")
    expect(alarms(world)).toEqual([])
    yield* World.pass("1 day")
    expect(alarms(world)).toEqual(["a callback claims a final status that the service contradicts"])
    expect(told(world)).toEqual(["FAILED"])
  })
})

const start = 1_000_000

const reading = Effect.fnUntraced(function* (
  row: Partial<Row>,
  respond: (kind: Kind) => Effect.Effect<string, ReadError>
) {
  const asked: Array<Kind> = []
  const reader = StatusReader.of({
    read: (kind) => {
      asked.push(kind)
      return Effect.map(respond(kind), (status) => ({ kind, status }))
    }
  })
  const built = yield* Layer.build(
    Layer.provide(Confirmer.layer(), Layer.succeed(StatusReader, reader))
  )
  yield* TestClock.setTime(start)
  const { read } = Context.get(built, Confirmer.Confirmer)
  const scope = row.kind ?? "apm-payment"
  const fiber = yield* Effect.forkChild(read({ ...blank(scope, "1", start), ...row }), {
    startImmediately: true
  })
  return { asked, fiber }
})

const readNow = Effect.fnUntraced(
  function* (...read: Parameters<typeof reading>) {
    const { asked, fiber } = yield* reading(...read)
    return { asked, result: yield* Fiber.join(fiber) }
  },
  Effect.provideService(MinimumLogLevel, "None")
)

const pending = () => Effect.succeed("PENDING")

describe("a read", () => {
  test("asks for a further kind only if the service does not know the id", function* () {
    const askedAfter = Effect.fnUntraced(function* (error: ReadError) {
      const row = { kind: "card", createdAt: start, namesRefund: true } as const
      const respond = (kind: Kind) => (kind === "refund" ? Effect.fail(error) : pending())
      return (yield* readNow(row, respond)).asked
    })
    expect(yield* askedAfter(new NotFound({}))).toEqual(["refund", "card-payment"])
    const unreachable = new Unreachable({ reason: "reset", sent: true, attempts: 1 })
    expect(yield* askedAfter(unreachable)).toEqual(["refund"])
  })

  test("waits for its turn before each further kind, and not before the first", function* () {
    let turns = 0
    const turn = Effect.sync(() => void turns++)
    const row = { kind: "card", namesPayout: true, namesRefund: true } as const
    const unknown = (kind: Kind) =>
      kind === "card-payment" ? pending() : Effect.fail(new NotFound({}))
    const { asked } = yield* Effect.provideService(readNow(row, unknown), BeforeRequest, turn)
    expect(asked).toEqual(["card-payout", "refund", "card-payment"])
    expect(turns).toBe(2)
  })

  test("returns the status and the kind that the service states, and when it was asked", function* () {
    const { fiber } = yield* reading({ kind: "refund" }, () => Effect.delay(pending(), 300))
    yield* TestClock.adjust(300)
    const answer = { _tag: "Answered", askedAt: start, kind: "refund", status: "PENDING" }
    expect(yield* Fiber.join(fiber)).toStrictEqual(answer)
  })

  test("of an id that the service cannot have given asks nothing", function* () {
    for (const transactionId of ["", "..", "a\n", "x".repeat(129)]) {
      expect(yield* readNow({ transactionId }, pending)).toStrictEqual({
        asked: [],
        result: { _tag: "NotFound", askedAt: start }
      })
    }
  })

  test("has no answer after a minute", function* () {
    const { fiber } = yield* reading({}, () => Effect.never)
    yield* TestClock.adjust("59999 millis")
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 millis")
    expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "NoAnswer", isDenied: false })
  })

  test("that fails tells whether the service denies access or limits the rate", function* () {
    const askedAt = start
    const none = { _tag: "NoAnswer", askedAt, isDenied: false }
    const bug = (): never => {
      throw new Error("bug")
    }
    for (const fails of [bug, () => Effect.die("bug"), () => Effect.interrupt])
      expect((yield* readNow({}, fails)).result).toStrictEqual(none)
    const results: ReadonlyArray<readonly [ReadError, object]> = [
      [new NotFound({}), { _tag: "NotFound", askedAt }],
      [new Unauthorized({ sent: true }), { ...none, isDenied: true }],
      [new Unreachable({ reason: "x", sent: true, attempts: 1 }), none],
      [
        new RateLimited({ attempts: 1, retryAfter: 700 }),
        { ...none, limited: { retryAfter: 700 } }
      ],
      [new RateLimited({ attempts: 1 }), { ...none, limited: { retryAfter: undefined } }]
    ]
    for (const [error, expected] of results) {
      expect((yield* readNow({}, () => Effect.fail(error))).result).toStrictEqual(expected)
    }
  })

  test("that fails is logged with what the service did, without its own words", function* () {
    const { kept, lines } = World.keepLog("Warn")
    const fields = [{ path: "id", message: "4242424242424242 is wrong" }]
    const errors = [
      new Unauthorized({ sent: true }),
      new Unreachable({ reason: "the certificate was not accepted", sent: true, attempts: 1 }),
      new ValidationFailed({ sent: true, fields })
    ]
    for (const error of errors) {
      const { fiber } = yield* kept(reading({}, () => Effect.fail(error)))
      yield* Fiber.join(fiber)
    }
    expect(lines).toEqual(
      [...errors.slice(0, 2).map(({ message }) => message), "The service refused the request"].map(
        (reason) => ["A status could not be read", reason]
      )
    )
  })

  test("that fails for one reason is logged once in 10 minutes", function* () {
    const { kept, lines } = World.keepLog("Warn")
    let attempts = 1
    const read: World.Options["read"] = ({ at }) =>
      Effect.fail(
        at < 15 * minute
          ? new Unauthorized({ sent: true })
          : new ServiceFailed({ status: attempts % 2 === 0 ? 503 : 500, attempts: attempts++ })
      )
    const { receive, ...world } = yield* kept(World.started({ read }))
    for (const id of ["1", "2", "3"]) yield* receive(id, "SUCCEED")
    yield* World.pass("29 minutes")
    expect(world.reads.length).toBeGreaterThan(100)
    const reasons = [/401/u, /401/u, /500/u, /503/u, /500/u, /503/u]
    expect(lines.filter((line) => Array.isArray(line) && line.length === 2)).toEqual(
      reasons.map((reason) => ["A status could not be read", expect.stringMatching(reason)])
    )
  })

  test("has the policy final unless another one is given", function* () {
    const reader = Layer.succeed(StatusReader, { read: () => Effect.fail(new NotFound({})) })
    const policyOf = (options?: Parameters<typeof Confirmer.layer>[0]) =>
      Effect.map(
        Layer.build(Layer.provide(Confirmer.layer(options), reader)),
        (built) => Context.get(built, Confirmer.Confirmer).policy
      )
    expect(yield* policyOf()).toBe("final")
    expect(yield* policyOf({})).toBe("final")
    expect(yield* policyOf({ policy: "always" })).toBe("always")
  })
})

it.each<[Evidence.Policy, Status, ReadonlyArray<Status>, string | undefined]>([
  ["final", "SUCCEED", [], undefined],
  ["final", "SUCCEED", ["SUCCEED"], undefined],
  ["final", "CHARGEBACK", ["SUCCEED"], undefined],
  ["final", "PENDING", ["PROCESSING"], undefined],
  ["final", "PENDING", ["SUCCEED"], "ahead"],
  ["final", "SUCCEED", ["CHARGEBACK"], "ahead"],
  ["final", "SUCCEED", ["FAILED"], "contradicted"],
  ["final", "SUCCEED", ["FAILED", "CHARGEBACK"], "contradicted"],
  // Both have rank 3, and neither is final.
  ["always", "PROCESSING", ["CUSTOMER_VERIFICATION"], "ahead"]
])(
  "the claims of a row, under %s, with %s confirmed and %j claimed, are %s",
  (policy, confirmed, claims, state) => {
    const evidence = [...claims.map(Evidence.claimed), Evidence.confirmed(confirmed)]
    const row = {
      ...blank("apm", "1", 0),
      evidence: evidence.reduce(Evidence.join),
      read: { status: confirmed, askedAt: 0 }
    }
    expect(Confirmer.unsettledClaim(row, policy)).toBe(state)
  }
)
