/**
 * Complete histories of transactions under virtual time. The network shuffles, repeats, loses and
 * forges callbacks; handlers, stores and processes fail.
 */
import { type Status, statuses } from "@pawl/core/Status"
import type { Row } from "@pawl/webhook/internal/rule/Row"
import type * as Story from "@pawl/webhook/internal/rule/StoredRow"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { expect } from "vitest"
import * as World from "./World.ts"

/** The statuses of the service, each with the time from which it holds (ms since the epoch). */
export type History = ReadonlyArray<{ readonly at: number; readonly status: Status }>

interface Delivery {
  readonly at: number
  readonly status: Status
}

/**
 * The life of a transaction. `registeredAt`: when the merchant registered the response of the
 * create, if it did.
 */
export interface Life {
  readonly history: History
  readonly deliveries: ReadonlyArray<Delivery>
  readonly registeredAt: number | undefined
}

/** The outcomes of the handler, call by call. Later calls succeed. */
type Deed = "takes" | "fails" | "dies" | "throws" | "interrupts itself" | "is slow" | "never ends"

interface Outage {
  readonly at: number
  readonly way: "stop" | "kill"
  readonly which: number
  readonly lasts: number
}

export interface Trouble {
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

export const noTrouble: Trouble = {
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

/** Returns the status of the service at a time. */
export const truth = (history: History, now: number): Status | undefined =>
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

/**
 * Runs all histories at once. Returns the handler calls, the row and the stories of each
 * transaction.
 */
export const live = (lives: ReadonlyArray<Life>, trouble: Trouble) =>
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
      const stories: Array<ReadonlyArray<Story.Story>> = []
      for (const index of lives.keys()) {
        rows.push(yield* world.ledger.get("apm", String(index)))
        stories.push(yield* world.ledger.story("apm", String(index)))
      }
      expect(world.counts.overlaps).toBe(0)
      return {
        rows,
        stories,
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

export const life: fc.Arbitrary<Life> = history.chain((of) =>
  fc.record({
    history: fc.constant(of),
    deliveries: deliveries(of, true),
    registeredAt: fc.option(
      fc.nat({ max: hour }).map((delay) => (of[0]?.at ?? 0) + delay),
      { nil: undefined, freq: 1 }
    )
  })
)
export const lives = fc.array(life, { minLength: 1, maxLength: 3 })

const often = fc.constantFrom<World.Flaw>("none", "none", "none", "refused", "unanswered")
/** Generates faults, but for those of the clock. */
export const trouble: fc.Arbitrary<Trouble> = fc.record({
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

/** Generates jumps of the clock by up to an hour, back or forth. */
export const jumps = fc
  .array(
    fc.record({
      at: fc.nat({ max: 2 * hour }),
      ahead: fc.integer({ min: -hour, max: hour })
    }),
    { maxLength: 4 }
  )
  .map((all) => all.toSorted((one, two) => one.at - two.at))
