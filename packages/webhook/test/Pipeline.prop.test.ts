/**
 * Whole lives of transactions under virtual time: a service with a history of its own, a network that
 * shuffles, repeats, loses and forges callbacks, a handler that fails now and then.
 */
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { NotFound, Unreachable } from "@pawl/core/PaymentsError"
import { isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { MinimumLogLevel } from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Ledger from "../src/Ledger.ts"
import * as Receiver from "../src/Receiver.ts"
import * as Verifier from "../src/Verifier.ts"
import * as service from "./service.ts"

/** A transaction's truth: what the service answers from when on (ms since the epoch). */
type History = ReadonlyArray<{ readonly at: number; readonly status: Status }>

interface Delivery {
  readonly at: number
  readonly status: Status
}

interface Life {
  readonly history: History
  readonly deliveries: ReadonlyArray<Delivery>
}

interface Told extends Handler.Transition {
  readonly at: number
  readonly took: boolean
}

const truth = (history: History, now: number): Status | undefined =>
  history.findLast(({ at }) => at <= now)?.status

const callback = (transactionId: string, transactionStatus: Status) =>
  service.incoming("apm", service.apm({ transactionId, transactionStatus }))

/** Lets every fiber run until it sleeps; the test clock waits only for those it woke itself. */
const settled = Effect.replicateEffect(Effect.yieldNow, 50, { discard: true })

/** Lives all lives at once and returns what the handler was called with, per transaction. */
const live = (
  lives: ReadonlyArray<Life>,
  trouble: {
    readonly silentUntil: number
    readonly unknownUntil: number
    readonly refuses: (call: number, at: number) => boolean
  }
) => {
  const calls = lives.map((): Array<Told> => [])
  const busy = new Set<string>()
  let made = 0

  const handle = Effect.fnUntraced(function* (transition: Handler.Transition) {
    const at = yield* Clock.currentTimeMillis
    expect(busy.has(transition.transactionId)).toBe(false)
    busy.add(transition.transactionId)
    yield* Effect.sleep(20)
    busy.delete(transition.transactionId)
    const took = !trouble.refuses(made++, at)
    calls[Number(transition.transactionId)]?.push({ ...transition, at, took })
    if (!took) return yield* Effect.fail("not now")
  })

  const reader = Layer.succeed(StatusReader, {
    read: Effect.fnUntraced(function* (_kind, id) {
      const now = yield* Clock.currentTimeMillis
      if (now < trouble.silentUntil) {
        return yield* new Unreachable({ reason: "reset", sent: true, attempts: 1 })
      }
      const status = truth(lives[Number(id)]?.history ?? [], now)
      if (status === undefined || now < trouble.unknownUntil) return yield* new NotFound({})
      return { kind: "apm-payment" as const, status }
    })
  })

  const events = lives
    .flatMap(({ deliveries }, index) =>
      deliveries.map((delivery) => ({ ...delivery, id: String(index) }))
    )
    .toSorted((one, two) => one.at - two.at)

  const program = Effect.gen(function* () {
    const receiver = yield* Receiver.Receiver
    for (const { at, id, status } of events) {
      yield* TestClock.adjust(at - (yield* Clock.currentTimeMillis))
      expect(yield* receiver.receive(callback(id, status))).toBe(200)
      yield* settled
    }
    yield* TestClock.adjust("130 days")
    return calls
  })

  return Effect.runPromise(
    program.pipe(
      Effect.provide(
        Receiver.layer().pipe(
          Layer.provide(Verifier.layer({ current: Redacted.make(service.secret) })),
          Layer.provide([Ledger.layerMemory, NodeHmac.layer, Handler.layer(handle), reader]),
          Layer.provideMerge(TestClock.layer())
        )
      ),
      Effect.provideService(MinimumLogLevel, "Error")
    )
  )
}

const chains: ReadonlyArray<ReadonlyArray<Status>> = [
  ["NEW", "PENDING", "PROCESSING", "SUCCEED"],
  ["NEW", "PENDING", "PROCESSING", "FAILED"],
  ["NEW", "PROCESSING", "CUSTOMER_VERIFICATION", "SUCCEED"],
  ["PENDING", "CANCELLED"],
  ["NEW", "PENDING", "PROCESSING", "SUCCEED", "REFUNDED"],
  ["NEW", "PENDING", "PROCESSING", "SUCCEED", "REFUNDED", "CHARGEBACK"],
  ["NEW", "PENDING", "FAILED", "SUCCEED"],
  ["NEW", "PENDING", "CANCELLED", "SUCCEED", "CHARGEBACK"]
]

const history: fc.Arbitrary<History> = fc.constantFrom(...chains).chain((chain) =>
  fc
    .array(fc.nat({ max: 600_000 }), { minLength: chain.length, maxLength: chain.length })
    .map((gaps) => {
      let at = 0
      return chain.map((status, index) => ({ status, at: (at += gaps[index] ?? 0) }))
    })
)

/** Every change is delivered never, once or a few times, up to an hour late. */
const deliveries = (of: History, forged: boolean): fc.Arbitrary<ReadonlyArray<Delivery>> => {
  const honest = of.map(({ at, status }) =>
    fc.array(
      fc.nat({ max: 3_600_000 }).map((delay) => ({ status, at: at + delay })),
      { maxLength: 3 }
    )
  )
  const forgery = fc.record({
    status: fc.constantFrom(...statuses),
    at: fc.nat({ max: 3_600_000 })
  })
  return fc
    .tuple(fc.tuple(...honest), forged ? fc.array(forgery, { maxLength: 4 }) : fc.constant([]))
    .map(([genuine, lies]) => [...genuine.flat(), ...lies])
}

const life = (forged: boolean): fc.Arbitrary<Life> =>
  history.chain((of) => deliveries(of, forged).map((each) => ({ history: of, deliveries: each })))

const trouble = fc.record({
  silentUntil: fc.nat({ max: 3_600_000 }),
  unknownUntil: fc.nat({ max: 60_000 }),
  refuses: fc.nat({ max: 6 }).map((refusals) => (call: number) => call < refusals)
})
const noTrouble = { silentUntil: 0, unknownUntil: 0, refuses: () => false }

const assertSound = ({ history: of }: Life, told: ReadonlyArray<Told>) => {
  let last: Told | undefined
  for (const call of told) {
    if (isTerminal(call.to)) {
      expect(call.confirmed).toBe(true)
      expect(of.some(({ at, status }) => status === call.to && at <= call.at)).toBe(true)
    }
    if (call.conflict !== null) expect(call.conflict).toContain(call.to)
    expect(call.from).toBe(told.findLast(({ at, took }) => took && at < call.at)?.to ?? null)
    if (last?.took === true) expect(rank(call.to)).toBeGreaterThanOrEqual(rank(last.to))
    expect(call.attempt).toBe(last?.took === false && last.to === call.to ? last.attempt + 1 : 1)
    expect(call.id === last?.id).toBe(last?.took === false && last.to === call.to)
    last = call
  }
  expect(new Set(told.filter(({ took }) => took).map(({ id }) => id)).size).toBe(
    told.filter(({ took }) => took).length
  )
}

describe("the pipeline", () => {
  it("tells nothing final that the service did not say, never a rank below one told, and ends at the truth (S4, S6, S9)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(life(true), { minLength: 1, maxLength: 3 }),
        trouble,
        async (lives, each) => {
          const calls = await live(lives, each)
          for (const [index, lived] of lives.entries()) {
            const told = calls[index] ?? []
            assertSound(lived, told)
            const isKnown = lived.deliveries.length > 0
            expect(told.findLast(({ took }) => took)?.to).toBe(
              isKnown ? lived.history.at(-1)?.status : undefined
            )
          }
        }
      ),
      { numRuns: 200 }
    )
  })

  it("tells a genuine final status within a second of its callback, whatever is forged before (S9)", async () => {
    await fc.assert(
      fc.asyncProperty(life(true), async (lived) => {
        const [told = []] = await live([lived], noTrouble)
        for (const { at, status } of lived.deliveries) {
          if (!isTerminal(status) || truth(lived.history, at) !== status) continue
          const heard = told.find((call) => call.to === status)
          expect(heard?.at).toBeLessThanOrEqual(at + 1040)
        }
      }),
      { numRuns: 200 }
    )
  })

  it("carries both ends as a conflict when the service changed its mind", async () => {
    const of: History = [
      { at: 0, status: "FAILED" },
      { at: 60_000, status: "SUCCEED" }
    ]
    const [told = []] = await live(
      [{ history: of, deliveries: of.map(({ at, status }) => ({ at: at + 10, status })) }],
      noTrouble
    )
    expect(told.map(({ conflict, from, to }) => ({ conflict, from, to }))).toEqual([
      { from: null, to: "FAILED", conflict: null },
      { from: "FAILED", to: "SUCCEED", conflict: ["SUCCEED", "FAILED"] }
    ])
  })

  it("hands over the newest callback that claims the status, its signed fields apart", async () => {
    const [told = []] = await live(
      [{ history: [{ at: 0, status: "SUCCEED" }], deliveries: [{ at: 0, status: "SUCCEED" }] }],
      noTrouble
    )
    expect(told[0]).toMatchObject({
      method: "apm",
      kind: "apm-payment",
      signed: { account: "4711", amount: "10.00", currency: "EUR", transactionId: "0" },
      callback: { transactionStatus: "SUCCEED", apmType: "PIX" }
    })
  })

  it("parks a row whose handler failed for 24 hours, and takes it up again for another status", async () => {
    const of: History = [
      { at: 0, status: "SUCCEED" },
      { at: 86_400_000 * 3, status: "CHARGEBACK" }
    ]
    const [told = []] = await live([{ history: of, deliveries: [{ at: 0, status: "SUCCEED" }] }], {
      ...noTrouble,
      refuses: (_, at) => at < 86_400_000 * 2
    })
    const parked = told.filter(({ to }) => to === "SUCCEED")
    expect(parked.every(({ took }) => !took)).toBe(true)
    expect((parked.at(-1)?.at ?? 0) - (parked[0]?.at ?? 0)).toBeGreaterThanOrEqual(86_400_000)
    const gaps = parked.slice(1).map(({ at }, index) => at - (parked[index]?.at ?? 0) - 20)
    expect(gaps.slice(0, 10)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300].map((s) => s * 1000))
    expect(told.at(-1)).toMatchObject({ to: "CHARGEBACK", from: null })
  })
})
