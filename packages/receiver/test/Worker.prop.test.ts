/**
 * Complete histories of transactions under virtual time. The network shuffles, repeats, loses and forges
 * callbacks; handlers, stores and processes fail.
 */
import { isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Row } from "@pawl/webhook/internal/rule/Row"
import * as Replay from "@pawl/receiver/Replay"
import type * as StoredRow from "@pawl/webhook/internal/rule/StoredRow"
import * as World from "@pawl/test-support/World"

/** The true history of a transaction: each status of the service, and from when on it holds (ms since the epoch). */
type History = ReadonlyArray<{ readonly at: number; readonly status: Status }>

interface Delivery {
  readonly at: number
  readonly status: Status
}

/** `registeredAt` is the time at which the merchant registered the response of the create, if it did. */
interface Life {
  readonly history: History
  readonly deliveries: ReadonlyArray<Delivery>
  readonly registeredAt: number | undefined
}

/** The outcomes of the handler, call by call. Later calls succeed. */
type Deed = "takes" | "fails" | "dies" | "throws" | "interrupts itself" | "is slow" | "never ends"

/** A restart: a receiver ends in the given `way`, and another one starts. */
interface Outage {
  readonly at: number
  readonly way: "stop" | "kill"
  readonly which: number
  readonly lasts: number
}

interface Trouble {
  readonly silentUntil: number
  readonly unknownUntil: number
  readonly readTime: number
  readonly deeds: ReadonlyArray<Deed>
  readonly receivers: number
  readonly outages: ReadonlyArray<Outage>
  readonly flaws: ReadonlyArray<World.Flaw>
  readonly latency: number
  readonly jumps: ReadonlyArray<{ readonly at: number; readonly ahead: number }>
}

const noTrouble: Trouble = {
  silentUntil: 0,
  unknownUntil: 0,
  readTime: 0,
  deeds: [],
  receivers: 1,
  outages: [],
  flaws: [],
  latency: 0,
  jumps: []
}

const { hour, minute } = World
const truth = (history: History, now: number): Status | undefined =>
  history.findLast(({ at }) => at <= now)?.status

const behave = (deed: Deed | undefined): Effect.Effect<void, string> => {
  if (deed === "throws") throw new Error("thrown")
  const took = Effect.sleep(20)
  if (deed === "is slow") return Effect.sleep("95 seconds")
  if (deed === "never ends") return Effect.never
  if (deed === undefined || deed === "takes") return took
  const end = { fails: Effect.fail("not now"), dies: Effect.die("bug") }
  return Effect.andThen(took, deed === "interrupts itself" ? Effect.interrupt : end[deed])
}

/** Runs all histories at once; returns the handler calls and the row of each transaction. */
const live = (lives: ReadonlyArray<Life>, trouble: Trouble) =>
  World.run(
    Effect.gen(function* () {
      let statements = 0
      let made = 0
      const { deeds, flaws, jumps } = trouble
      const world = yield* World.make({
        latency: trouble.latency,
        clock: (now) => jumps.findLast(({ at }) => at <= now)?.ahead ?? 0,
        flaw: (now) => (now < hour && flaws[statements++ % flaws.length]) || "none",
        handle: () => behave(deeds[made++]),
        read: ({ at, id }) => {
          const status = truth(lives[Number(id)]?.history ?? [], at)
          const answer = at < trouble.silentUntil ? World.unreachable : Effect.succeed(status)
          return Effect.flatMap(Effect.delay(answer, trouble.readTime), (said) =>
            said === undefined || at < trouble.unknownUntil ? World.notFound : Effect.succeed(said)
          )
        }
      })
      const running = yield* Effect.replicateEffect(world.start, trouble.receivers)

      /** Delivers a callback as the service does: six attempts, to the receiver that runs then. */
      const deliver = Effect.fnUntraced(function* (id: string, status: Status) {
        for (const wait of [0, 2, 4, 8, 16, 32]) {
          yield* Effect.sleep(wait * minute)
          const receiver = running[Math.trunc(world.now()) % Math.max(running.length, 1)]
          if (receiver !== undefined && (yield* receiver.receive(id, status)) === 200) return
        }
      })

      const events = [
        ...lives.flatMap(({ deliveries, history, registeredAt }, index) => [
          ...deliveries.map(({ at, status }) => ({ at, effect: deliver(String(index), status) })),
          ...(registeredAt === undefined
            ? []
            : [
                {
                  at: registeredAt,
                  effect: Effect.suspend(() =>
                    world.ledger.register(
                      {
                        kind: "apm-payment",
                        transactionId: String(index),
                        status: history[0]?.status
                      },
                      registeredAt
                    )
                  )
                }
              ])
        ]),
        ...trouble.outages.map(({ at, lasts, way, which }) => ({
          at,
          effect: Effect.gen(function* () {
            const [ended] = running.splice(which % Math.max(running.length, 1), 1)
            if (ended === undefined) return
            yield* ended[way]
            yield* Effect.sleep(lasts)
            running.push(yield* world.start)
          })
        }))
      ].toSorted((one, two) => one.at - two.at)

      for (const { at, effect } of events) {
        yield* World.pass(at - world.now())
        yield* Effect.forkChild(effect)
      }
      yield* World.pass("130 days")
      const rows: Array<Row | undefined> = []
      for (const index of lives.keys()) {
        rows.push(yield* world.ledger.get("apm", String(index)))
        assertTold(yield* world.ledger.story("apm", String(index)), world.calls)
      }
      expect(world.counts.overlaps).toBe(0)
      return {
        rows,
        calls: lives.map((_, index) =>
          world.calls.filter(({ transactionId }) => transactionId === String(index))
        )
      }
    })
  )

const chains: ReadonlyArray<ReadonlyArray<Status>> = [
  ["NEW", "PENDING", "PROCESSING", "SUCCEED"],
  ["NEW", "PENDING", "PROCESSING", "FAILED"],
  ["NEW", "PROCESSING", "CUSTOMER_VERIFICATION", "SUCCEED"],
  ["PENDING", "CANCELLED"],
  ["SUCCEED"],
  ["NEW", "PENDING", "PROCESSING", "SUCCEED", "REFUNDED"],
  ["NEW", "PENDING", "PROCESSING", "SUCCEED", "REFUNDED", "CHARGEBACK"],
  ["NEW", "PENDING", "FAILED", "SUCCEED"],
  ["NEW", "PENDING", "CANCELLED", "SUCCEED", "CHARGEBACK"]
]

const history: fc.Arbitrary<History> = fc.constantFrom(...chains).chain((chain) =>
  fc
    .array(fc.nat({ max: 10 * minute }), { minLength: chain.length, maxLength: chain.length })
    .map((gaps) => {
      let at = 0
      return chain.map((status, index) => ({ status, at: (at += gaps[index] ?? 0) }))
    })
)

/** Delivers every change up to a few times or never, at most an hour late. */
const deliveries = (of: History, forged: boolean): fc.Arbitrary<ReadonlyArray<Delivery>> => {
  const honest = of.map(({ at, status }) =>
    fc.array(
      fc.nat({ max: hour }).map((delay) => ({ status, at: at + delay })),
      { maxLength: 3 }
    )
  )
  const forgery = fc.record({ status: fc.constantFrom(...statuses), at: fc.nat({ max: hour }) })
  return fc
    .tuple(fc.tuple(...honest), forged ? fc.array(forgery, { maxLength: 4 }) : fc.constant([]))
    .map(([genuine, lies]) => [...genuine.flat(), ...lies])
}

const life: fc.Arbitrary<Life> = history.chain((of) =>
  fc.record({
    history: fc.constant(of),
    deliveries: deliveries(of, true),
    registeredAt: fc.option(
      fc.nat({ max: hour }).map((delay) => (of[0]?.at ?? 0) + delay),
      { nil: undefined, freq: 1 }
    )
  })
)
const lives = fc.array(life, { minLength: 1, maxLength: 3 })

const often = fc.constantFrom<World.Flaw>("none", "none", "none", "refused", "unanswered")
const trouble: fc.Arbitrary<Trouble> = fc.record({
  silentUntil: fc.nat({ max: hour }),
  unknownUntil: fc.nat({ max: minute }),
  readTime: fc.nat({ max: 3000 }),
  deeds: fc.array(
    fc.constantFrom<Deed>(
      "takes",
      "fails",
      "dies",
      "throws",
      "interrupts itself",
      "is slow",
      "never ends"
    ),
    { maxLength: 8 }
  ),
  receivers: fc.integer({ min: 1, max: 2 }),
  outages: fc.array(
    fc.record({
      at: fc.nat({ max: 2 * hour }),
      way: fc.constantFrom("stop", "kill"),
      which: fc.nat({ max: 1 }),
      lasts: fc.nat({ max: 10 * minute })
    }),
    { maxLength: 4 }
  ),
  flaws: fc.array(often, { maxLength: 20 }),
  latency: fc.constantFrom(0, 0, 3, 400),
  jumps: fc.constant([])
})

/** The time limit for shrinking a counterexample. */
const plugins = [fc.interruptAfterTimeLimit(55_000, { failOnInterrupt: true })]

/** Asserts the properties of every sequence of calls, whatever fails. */
const assertSound = ({ history: of }: Life, calls: ReadonlyArray<World.Call>) => {
  for (const [index, call] of calls.entries()) {
    const before = calls.slice(0, index)
    const took = before.filter((each) => each.took)
    if (isTerminal(call.to)) {
      expect(call.confirmed).toBe(true)
      expect(of.some(({ at, status }) => status === call.to && at <= call.at)).toBe(true)
    }
    if (call.conflict !== null) expect(call.conflict).toContain(call.to)
    for (const each of took) expect(rank(call.to)).toBeGreaterThanOrEqual(rank(each.to))
    expect([null, ...took.map(({ to }) => to)]).toContain(call.from)
    const last = before.at(-1)
    if (last?.id !== call.id) continue
    expect([call.to, call.from]).toEqual([last.to, last.from])
    expect(call.attempt).toBeGreaterThan(last.attempt)
  }
}

/** Asserts the further properties that hold while the store works and no receiver is stopped. */
const assertExact = (calls: ReadonlyArray<World.Call>) => {
  for (const [index, call] of calls.entries()) {
    const took = calls.slice(0, index).filter((each) => each.took)
    const last = calls[index - 1]
    expect(call.attempt).toBe(last?.id === call.id ? last.attempt + 1 : 1)
    expect(call.from).toBe(took.at(-1)?.to ?? null)
    expect(took.map(({ id }) => id)).not.toContain(call.id)
  }
}

/** Asserts that the facts of a transaction lead to its row, and to the calls of the handler. */
const assertTold = (stories: ReadonlyArray<StoredRow.Story>, calls: ReadonlyArray<World.Call>) => {
  for (const story of stories) {
    const { calls: called, differences } = Replay.replay(story)
    expect(differences).toEqual([])
    expect(story.complete).toBe(true)
    const { scope, transactionId } = story.row
    const ids = called.map(({ sequence, to }) => `${scope}:${transactionId}:${sequence}:${to}`)
    const made = calls.filter((call) => call.transactionId === transactionId)
    // A process that ends between the write of a call and the call itself has made none.
    expect(ids.filter((id) => made.some((call) => call.id === id))).toEqual([
      ...new Set(made.map(({ id }) => id))
    ])
    const took = called.filter(({ told }) => told).map(({ sequence }) => sequence)
    for (const sequence of took)
      expect(made.some((call) => call.sequence === sequence && call.took)).toBe(true)
  }
}

/** Asserts that the last told status of every known transaction is the status of the service. */
const assertSettled = (
  { history: of }: Life,
  calls: ReadonlyArray<World.Call>,
  row: Row | undefined
) => {
  const told = row === undefined ? undefined : of.at(-1)?.status
  expect(calls.findLast(({ took }) => took)?.to).toBe(told)
  expect(row?.told).toBe(told)
}

describe("the worker", () => {
  it("tells only confirmed final statuses and rising ranks, and ends at the status of the service (S4, S5, S6, S9)", async () => {
    const calm = trouble.map((each) => ({ ...each, receivers: 1, outages: [], flaws: [] }))
    await fc.assert(
      fc.asyncProperty(lives, calm, async (all, each) => {
        const { calls, rows } = await live(all, each)
        for (const [index, lived] of all.entries()) {
          assertSound(lived, calls[index] ?? [])
          assertExact(calls[index] ?? [])
          assertSettled(lived, calls[index] ?? [], rows[index])
        }
      }),
      { numRuns: 20, plugins }
    )
  })

  it("does so with one call at a time when receivers stop, are killed, hang or lose their store (R09, R10, R12, S5, S10)", async () => {
    await fc.assert(
      fc.asyncProperty(lives, trouble, async (all, each) => {
        const { calls, rows } = await live(all, each)
        for (const [index, lived] of all.entries()) {
          assertSound(lived, calls[index] ?? [])
          assertSettled(lived, calls[index] ?? [], rows[index])
        }
      }),
      { numRuns: 24, plugins }
    )
  })

  it("does so when the clock jumps by up to an hour, back or forth", async () => {
    const jumps = fc
      .array(
        fc.record({
          at: fc.nat({ max: 2 * hour }),
          ahead: fc.integer({ min: -hour, max: hour })
        }),
        { maxLength: 4 }
      )
      .map((all) => all.toSorted((one, two) => one.at - two.at))
    await fc.assert(
      fc.asyncProperty(lives, trouble, jumps, async (all, each, jumping) => {
        const { calls, rows } = await live(all, {
          ...each,
          receivers: 1,
          jumps: jumping
        })
        for (const [index, lived] of all.entries()) {
          assertSound(lived, calls[index] ?? [])
          assertSettled(lived, calls[index] ?? [], rows[index])
        }
      }),
      { numRuns: 20, plugins }
    )
  })

  it("tells a genuine final status within one read and one second of its callback, whatever was forged before (S9)", async () => {
    await fc.assert(
      fc.asyncProperty(life, fc.nat({ max: 3000 }), async (lived, readTime) => {
        const { calls } = await live([lived], { ...noTrouble, readTime })
        for (const { at, status } of lived.deliveries) {
          if (!isTerminal(status) || truth(lived.history, at) !== status) continue
          const heard = calls[0]?.find(({ to }) => to === status || rank(to) > rank(status))
          expect(heard?.at).toBeLessThanOrEqual(at + Math.max(1000, readTime) + readTime + 40)
        }
      }),
      { numRuns: 60, plugins }
    )
  })
})
