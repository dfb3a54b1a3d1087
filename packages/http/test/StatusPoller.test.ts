import { forAll } from "@pawl/test-support/Properties"
import {
  NotFound,
  RateLimited,
  type ReadError,
  ServiceFailed,
  Unauthorized,
  UnexpectedResponse,
  Unreachable,
  ValidationFailed
} from "@pawl/core/PaymentsError"
import * as Profile from "@pawl/core/Profile"
import { isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import type { Kind } from "@pawl/core/Kind"
import { TransactionId } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as StatusPoller from "../src/StatusPoller.ts"
import * as Memory from "./support/memory.ts"

const id = Schema.decodeSync(TransactionId)("100001")

type ReadAnswer = string | Effect.Effect<string, ReadError>

interface Setup {
  /** The results of the reads in order; the last one repeats. */
  readonly answers: ReadonlyArray<ReadAnswer>
  readonly status?: string | null | undefined
  readonly kind?: Kind
  readonly hints?: ReadonlyArray<readonly [minute: number, claim: string]>
  readonly pollIntervals?: Profile.Switches["pollIntervals"]
}

const missing = new NotFound({})
const failures = {
  unreachable: new Unreachable({ reason: "the connection was reset", sent: true, attempts: 4 }),
  failed: new ServiceFailed({ status: 500, attempts: 4 }),
  limited: new RateLimited({ attempts: 4 }),
  page: new UnexpectedResponse({ status: 200, reason: "its body cannot be read as JSON" }),
  unauthorized: new Unauthorized({ sent: true }),
  invalid: new ValidationFailed({ sent: true, fields: [] }),
  redirect: new UnexpectedResponse({ status: 302, reason: "redirects are not followed" })
}

/** The hint in whose place the stream of hints dies. */
const broken = "the listener is broken"

const now = Effect.map(Clock.currentTimeMillis, (millis) => millis / 1000)

const follow = (setup: Setup) => {
  const reads: Array<number> = []
  const kinds: Array<Kind> = []
  /** Each with its time. */
  const changes: Array<string> = []
  const logged: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    logged.push(`${logLevel} ${String(message)}`)
  })
  const reader = Layer.succeed(StatusReader, {
    read: (kind, of) =>
      Effect.gen(function* () {
        expect(of).toBe(id)
        kinds.push(kind)
        const answer = setup.answers[reads.push(yield* now) - 1] ?? setup.answers.at(-1) ?? missing
        const status = typeof answer === "string" ? answer : yield* answer
        return { kind: kind === "apm" ? "apm-payout" : kind, status }
      })
  })
  const hints = Stream.fromIterable(setup.hints ?? []).pipe(
    Stream.mapEffect(([minute, claim]) =>
      Effect.as(
        Effect.flatMap(now, (at) => Effect.sleep(Duration.seconds(minute * 60 - at))),
        claim
      ).pipe(Effect.tap((claim) => (claim === broken ? Effect.die(broken) : Effect.void)))
    )
  )
  return Effect.gen(function* () {
    const fiber = yield* StatusPoller.changes({
      kind: setup.kind ?? "apm-payment",
      id,
      status: setup.status,
      hints
    }).pipe(
      Stream.runForEach(({ status }) =>
        Effect.map(now, (at) => void changes.push(`${at} ${status}`))
      ),
      Effect.flip,
      Effect.match({ onSuccess: ({ _tag }) => _tag, onFailure: () => "end" }),
      Effect.flatMap((end) => Effect.map(now, (at) => ({ end, at }))),
      Memory.fork
    )
    yield* TestClock.adjust("7 days")
    const ended = fiber.pollUnsafe()
    yield* Fiber.interrupt(fiber)
    const { at, end } = ended?._tag === "Success" ? ended.value : { at: Number.NaN, end: "goes on" }
    return { reads, changes, kinds, logged, end, at }
  }).pipe(
    Effect.provide(Logger.layer([logger])),
    Effect.provideService(References.MinimumLogLevel, "All"),
    Effect.provide(
      Layer.mergeAll(
        reader,
        setup.pollIntervals === undefined
          ? Layer.empty
          : Profile.layer({ pollIntervals: setup.pollIntervals })
      )
    ),
    Memory.virtual
  )
}

const minutes = (...all: ReadonlyArray<number>) => all.map((minute) => minute * 60)

describe("following", () => {
  const hourly = minutes(
    5,
    10,
    20,
    50,
    110,
    ...Array.from({ length: 7 * 24 - 2 }, (_, n) => 170 + n * 60)
  ).filter((at) => at <= 7 * 24 * 3600)
  const everyFive = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => from + n * 5)

  it.each<[string, Setup, Partial<Awaited<ReturnType<typeof follow>>>]>([
    [
      "reads after 5, 5, 10, 30 and 60 minutes, then hourly, and stops at a terminal status",
      {
        status: "NEW",
        answers: ["NEW", "PENDING", "PENDING", "PROCESSING", "PROCESSING", "PROCESSING", "SUCCEED"]
      },
      {
        reads: minutes(5, 10, 20, 50, 110, 170, 230),
        changes: ["0 NEW", "600 PENDING", "3000 PROCESSING", "13800 SUCCEED"],
        end: "end",
        at: 13_800
      }
    ],
    [
      "repeats the last gap, by default an hour, until a terminal status",
      { status: "PENDING", answers: ["PENDING"] },
      { reads: hourly, end: "goes on" }
    ],
    [
      "reads only the endpoint that knows the id after the first success",
      { kind: "apm", answers: ["NEW", "SUCCEED"] },
      { kinds: ["apm", "apm-payout"], end: "end" }
    ],
    [
      "C07 continues after a status that is not documented, with a warning",
      { status: "NEW", answers: ["ON_HOLD", "", "null", "SUCCEED"] },
      {
        logged: Array.from(
          { length: 3 },
          () => "Warn The apm-payment transaction 100001 has a status that is not documented"
        ),
        reads: minutes(5, 10, 20, 50),
        changes: ["0 NEW", "3000 SUCCEED"]
      }
    ],
    [
      "that is hinted reads at once, and the gaps start again",
      { status: "NEW", answers: ["NEW", "PENDING", "PENDING", "SUCCEED"], hints: [[7, "PENDING"]] },
      { reads: minutes(5, 7, 12, 17), changes: ["0 NEW", "420 PENDING", "1020 SUCCEED"] }
    ],
    [
      "ends as soon as the service confirms a hint",
      { status: "NEW", answers: ["SUCCEED"], hints: [[1, "SUCCEED"]] },
      { end: "end", at: 60, reads: [60] }
    ],
    [
      "reads every 5 seconds while the reads do not confirm a hint",
      { status: "NEW", answers: ["PENDING", "PENDING", "SUCCEED"], hints: [[1, "SUCCEED"]] },
      { reads: [60, 65, 70], end: "end" }
    ],
    [
      "that the reads contradict lasts for a minute after a hint",
      { status: "NEW", answers: ["FAILED"], hints: [[1, "SUCCEED"]] },
      { end: "end", at: 120, changes: ["0 NEW", "60 FAILED"] }
    ],
    [
      "reports a changed final status as a conflict",
      { status: "NEW", answers: ["FAILED", "FAILED", "SUCCEED"], hints: [[1, "SUCCEED"]] },
      { changes: ["0 NEW", "60 FAILED", "70 SUCCEED"] }
    ],
    [
      "waits another minute after a hint while the service does not know the id",
      { answers: [missing], hints: [[0.9, "PENDING"]] },
      { end: "NotFound", at: 54 + 60 }
    ],
    [
      "reads again when the read of a hint fails",
      {
        status: "NEW",
        answers: [failures.failed, failures.unreachable, "SUCCEED"],
        hints: [[1, "SUCCEED"]]
      },
      { reads: [60, 65, 70], end: "end" }
    ],
    [
      "reads once more for all hints during a read",
      {
        answers: [Effect.delay(Effect.succeed("PENDING"), "1 minute"), "PENDING", "SUCCEED"],
        hints: [
          [0.2, "PENDING"],
          [0.4, "PENDING"],
          [0.6, "PENDING"]
        ]
      },
      { reads: minutes(0, 1, 6) }
    ],
    [
      "keeps a hint that comes during the last read of an earlier one",
      {
        status: "NEW",
        answers: [
          ...Array.from({ length: 12 }, () => "PENDING" as const),
          Effect.delay(Effect.succeed("PENDING"), "10 seconds"),
          "PENDING",
          "SUCCEED"
        ],
        hints: [
          [1, "SUCCEED"],
          [2.1, "SUCCEED"]
        ]
      },
      { reads: [...everyFive(60, 13), 130, 135], end: "end" }
    ],
    [
      "fails with NotFound when a 404 lasts for a minute",
      { answers: [missing] },
      { end: "NotFound", at: 60, reads: everyFive(0, 13) }
    ],
    [
      "fails with NotFound when a later 404 lasts for a minute",
      { status: "NEW", answers: ["PENDING", missing] },
      { end: "NotFound", at: 660 }
    ],
    [
      "waits a minute for each 404",
      { status: "NEW", answers: [missing, "PENDING", missing, missing, "SUCCEED"] },
      { end: "end", at: 300 + 5 + 300 + 10 }
    ]
  ])("%s", async (_, setup, expected) => {
    expect(await follow(setup)).toMatchObject(expected)
  })

  it.each([undefined, null, "ON_HOLD"])(
    "reads at once when the status is %s, which is not reported",
    async (status) => {
      const pollIntervals = [Duration.minutes(1), Duration.minutes(2)] as const
      expect(await follow({ status, answers: ["PENDING", "FAILED"], pollIntervals })).toMatchObject(
        { reads: minutes(0, 1), changes: ["0 PENDING", "60 FAILED"] }
      )
      const hints = [[1, "ON_HOLD"]] as const
      expect((await follow({ status, answers: [failures.failed], hints })).changes).toEqual([])
    }
  )

  it("continues at the intervals when the stream of hints dies, which is logged", async () => {
    const setup = { status: "NEW", answers: ["PENDING", "SUCCEED"], hints: [[1, broken]] } as const
    const { logged, reads } = await follow(setup)
    expect(reads).toEqual(minutes(5, 10))
    expect(logged).toEqual([`Warn The apm-payment transaction 100001 gets no more hints,${broken}`])
  })

  it("reads at most once in a second, even if an interval is 0", async () => {
    const answers = ["NEW", "NEW", "NEW", "SUCCEED"]
    expect(await follow({ answers, pollIntervals: [Duration.zero] })).toMatchObject({
      reads: [0, 1, 2, 3]
    })
  })

  it.each(statuses.filter(isTerminal))(
    "makes no read when the status of the create is %s",
    async (status) => {
      const { end, reads, changes } = await follow({ status, answers: [] })
      expect([end, reads, changes]).toEqual(["end", [], [`0 ${status}`]])
    }
  )

  it("never reports a lower rank, and reports only final statuses that the service confirmed", () =>
    forAll(
      [
        fc.option(fc.constantFrom(...statuses), { nil: undefined }),
        fc.array(fc.constantFrom<ReadAnswer>(...statuses, "ON_HOLD", failures.failed), {
          minLength: 1,
          maxLength: 8
        }),
        fc.array(fc.tuple(fc.nat(120), fc.constantFrom(...statuses, "ON_HOLD")), { maxLength: 4 })
      ],
      { numRuns: 120 },
      async (status, answers, drawn) => {
        const hints = drawn.toSorted(([a], [b]) => a - b)
        const { end, reads, changes } = await follow({ status, answers, hints })
        const statuses = changes.map((each) => each.split(" ")[1] as Status)
        for (const [n, each] of statuses.slice(1).entries()) {
          expect(rank(each)).toBeGreaterThanOrEqual(rank(statuses[n] ?? each))
        }
        const confirmed = [status, ...answers.slice(0, Math.max(reads.length, 1))]
        for (const each of statuses) if (isTerminal(each)) expect(confirmed).toContain(each)
        const last = statuses.at(-1)
        expect(end === "end").toBe(last !== undefined && isTerminal(last))
      }
    ))

  it.each([failures.unauthorized, failures.invalid, failures.redirect])(
    "fails with an error that no retry can help: %s",
    async (error) => {
      const { at, end, reads } = await follow({ answers: ["PENDING", error] })
      expect([end, at, reads]).toEqual([error._tag, 300, minutes(0, 5)])
    }
  )

  it.each([failures.unreachable, failures.failed, failures.limited, failures.page])(
    "continues after a read that fails with a transient error: %s",
    async (error) => {
      const { end, logged, reads } = await follow({
        status: "NEW",
        answers: [error, error, error, "SUCCEED"]
      })
      expect(logged[0]).toBe(
        `Warn The apm-payment transaction 100001 could not be read. ${error.message}`
      )
      expect([end, reads]).toEqual(["end", minutes(5, 10, 20, 50)])
    }
  )
})

it("follow runs in a span of its name", async () => {
  const spans: Array<string> = []
  const reader = { read: () => Effect.die("a terminal status needs no read") }
  await StatusPoller.follow({ kind: "refund", id, status: "SUCCEED" }).pipe(
    Effect.provideService(StatusReader, reader),
    Effect.provideService(
      Tracer.Tracer,
      Memory.makeTracer(({ name }) => spans.push(name))
    ),
    Memory.virtual
  )
  expect(spans).toEqual(["StatusPoller.follow"])
})

describe("follow", () => {
  const answering = (...answers: ReadonlyArray<ReadAnswer>) => {
    let reads = 0
    return Layer.succeed(StatusReader, {
      read: (kind) =>
        Effect.suspend(() => {
          const given = answers[reads++] ?? missing
          return typeof given === "string" ? Effect.succeed(given) : given
        }).pipe(Effect.map((status) => ({ kind, status })))
    })
  }
  const following = (reader: Layer.Layer<StatusReader>, hints?: Stream.Stream<string>) =>
    Effect.provide(StatusPoller.follow({ kind: "refund", id, status: "NEW", hints }), reader)

  it("returns the last change, with its conflict", () =>
    Effect.gen(function* () {
      const last = following(answering("FAILED", "SUCCEED"), Stream.make("SUCCEED"))
      expect(yield* Memory.settled(last)).toEqual({
        status: "SUCCEED",
        rank: 10,
        confirmed: true,
        conflict: ["SUCCEED", "FAILED"]
      })
    }).pipe(Memory.virtual))

  it("can be limited by a timeout, which ends the read and the stream of hints", () =>
    Effect.gen(function* () {
      const left: Array<string> = []
      const hanging = Effect.onInterrupt(Effect.never, () =>
        Effect.sync(() => void left.push("read"))
      )
      const hints = Stream.ensuring(
        Stream.concat(Stream.make("PENDING"), Stream.never),
        Effect.sync(() => void left.push("hints"))
      )
      const fiber = yield* following(answering(hanging), hints).pipe(
        Effect.timeoutOption("1 day"),
        Memory.fork
      )
      yield* TestClock.adjust("1 day")
      expect((yield* Fiber.join(fiber))._tag).toBe("None")
      expect(left.toSorted()).toEqual(["hints", "read"])
    }).pipe(Memory.virtual))

  it("C20 can be interrupted while it waits, reads, or waits for a read that is behind", () =>
    Effect.gen(function* () {
      for (const answers of [["PENDING"], [Effect.never], [missing]] as const) {
        let open = 0
        const hints = Stream.unwrap(
          Effect.as(
            Effect.acquireRelease(
              Effect.sync(() => open++),
              () => Effect.sync(() => open--)
            ),
            Stream.never
          )
        )
        const fiber = yield* Memory.fork(following(answering(...answers), hints))
        yield* TestClock.adjust("301 seconds")
        expect(open).toBe(1)
        yield* Fiber.interrupt(fiber)
        expect(open).toBe(0)
      }
    }).pipe(Memory.virtual))
})
