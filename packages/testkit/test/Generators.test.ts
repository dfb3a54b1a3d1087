import { forAll } from "@pawl/test-support/Properties"
import { methodOf } from "@pawl/core/Kind"
import { isStatus, rank, type Status, statuses } from "@pawl/core/Status"
import * as Hmac from "@pawl/core/Hmac"
import { layerMemory, Ledger } from "@pawl/webhook/Ledger"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as Generators from "../src/Generators.ts"
import * as Service from "@pawl/test-support/Service"
import { repeats } from "@pawl/test-support/Repeats"
import { kinds } from "../src/internal/generators/Histories.ts"
import { forgeries } from "../src/internal/generators/DeliveryFaults.ts"

const sample = <A>(arbitrary: fc.Arbitrary<A>, numRuns = repeats(5000, 2)): Array<A> =>
  fc.sample(arbitrary, { numRuns, seed: fc.readConfigureGlobal().seed ?? 1 })

const covers = <A>(
  samples: ReadonlyArray<A>,
  cases: Readonly<Record<string, (sample: A) => boolean>>,
  least = 1
) => {
  const counts = Object.entries(cases).map(
    ([name, is]) => [name, samples.filter(is).length] as const
  )
  expect(counts.filter(([, count]) => count < least)).toEqual([])
}

const shrunk = <A>(
  arbitrary: fc.Arbitrary<A>,
  holds: (value: A) => boolean,
  seed = fc.readConfigureGlobal().seed ?? 1
): A => {
  const { counterexample } = fc.check(fc.property(arbitrary, holds), { numRuns: 20_000, seed })
  if (counterexample === null) return expect.unreachable("no counterexample was found")
  return counterexample[0]
}

const each = <A, B>(values: ReadonlyArray<A>, name: (value: A) => string, is: (value: A) => B) =>
  Object.fromEntries(values.map((value) => [name(value), is(value)]))

const ranks = (seen: ReadonlyArray<string>) => seen.filter(isStatus).map(rank)
const isAscending = (numbers: ReadonlyArray<number>) =>
  numbers.every((number, at) => at === 0 || number >= (numbers[at - 1] ?? 0))
const hasTie = (seen: ReadonlyArray<string>) =>
  new Set(ranks(seen)).size < new Set(seen.filter(isStatus)).size
const statusesOf = ({ deliveries }: Generators.Delivered) => deliveries.map(({ status }) => status)
type Traffic = typeof Generators.traffic extends (...args: never) => fc.Arbitrary<infer A>
  ? A
  : never
const hasRepeat = (seen: ReadonlyArray<unknown>) => new Set(seen).size < seen.length
const hasGap = (seen: ReadonlyArray<string>) =>
  ranks(seen).some((each, at, all) => each - (all[at - 1] ?? each) > 7)

describe("sequences", () => {
  it("of statuses contain every status, length, tie, repeat and gap", () => {
    covers(sample(Generators.sequence(statuses)), {
      ...each(statuses, String, (status) => (seen: ReadonlyArray<Status>) => seen.includes(status)),
      ...each(
        [0, 1, 2, 3, 4, 5, 6, 7, 8],
        (length) => `${length} long`,
        (length) => (seen) => seen.length === length
      ),
      tie: hasTie,
      repeat: hasRepeat,
      gap: hasGap,
      "out of order": (seen) => !isAscending(ranks(seen)),
      "in order": (seen) => seen.length > 2 && isAscending(ranks(seen))
    })
  })

  it("draw every member of a table equally often, of long tables too", () => {
    for (const size of [3, 45, 256, 257]) {
      const table = Array.from({ length: size }, (_, code) => code)
      const counts = new Map<number, number>()
      const drawn = sample(Generators.sequence(table), 20_000).flat()
      for (const code of drawn) counts.set(code, (counts.get(code) ?? 0) + 1)
      const mean = drawn.length / size
      expect(counts.size).toBe(size)
      expect(Math.min(...counts.values())).toBeGreaterThan(mean / 2)
      expect(Math.max(...counts.values())).toBeLessThan(mean * 2)
    }
  })

  it("of observations contain every source, and reads that arrive out of order", () => {
    const asked = (seen: ReadonlyArray<Generators.Observation>) =>
      seen.flatMap((one) => (one.source === "read" ? [one.askedAt] : []))
    covers(sample(Generators.observations), {
      ...each(
        ["callback", "response", "read"],
        String,
        (source) => (seen: ReadonlyArray<Generators.Observation>) =>
          seen.some((one) => one.source === source)
      ),
      "reads out of order": (seen) => !isAscending(asked(seen)),
      "reads at one time": (seen) => hasRepeat(asked(seen)),
      "two ends confirmed": (seen) =>
        new Set(
          seen
            .filter(
              ({ source, status }) =>
                source !== "callback" && isStatus(status) && rank(status) === 10
            )
            .map(({ status }) => status)
        ).size > 1,
      repeat: hasRepeat
    })
    const odd = sample(Generators.hostileObservations).flat()
    for (const status of Generators.unknownStatuses) {
      expect(odd.filter((one) => one.status === status).length).toBeGreaterThan(20)
    }
  })

  it("shrink to exactly the two statuses that matter, for any two", () => {
    for (const first of statuses) {
      for (const second of statuses) {
        const found = shrunk(Generators.sequence(statuses), (seen) => {
          const at = seen.indexOf(first)
          return at === -1 || !seen.slice(at + 1).includes(second)
        })
        expect(found).toEqual([first, second])
      }
    }
  })

  it("shrink each member towards the front of the table, in examples too", () => {
    const late = (seen: ReadonlyArray<Status>) => seen.every((status) => rank(status) < 10)
    expect(shrunk(Generators.sequence(statuses), late)).toEqual(["SUCCEED"])
    const { counterexample } = fc.check(fc.property(Generators.sequence(statuses), late), {
      examples: [[["NEW", "CHARGEBACK", "FAILED", "NEW"]]],
      numRuns: 1
    })
    expect(counterexample).toEqual([["SUCCEED"]])
  })

  it("are frozen", () => {
    expect(
      [...Generators.observationTable, ...Generators.hostileObservationTable].every(Object.isFrozen)
    ).toBe(true)
  })
})

describe("histories", () => {
  const ends = (history: Generators.History) =>
    history.statuses.filter((status) => rank(status) === 10)
  const has = (status: Status) => (history: Generators.History) => history.statuses.includes(status)

  it("have every kind and status, with challenges, cancellations, late refunds and chargebacks", () => {
    covers(sample(Generators.histories()), {
      ...each(kinds, String, (kind) => (history: Generators.History) => history.kind === kind),
      ...each(statuses, String, has),
      "challenge after PROCESSING": ({ statuses }) =>
        statuses.join().includes("PROCESSING,CUSTOMER"),
      "challenge before PROCESSING": ({ statuses }) =>
        statuses.join().includes("VERIFICATION,PROCESSING"),
      "refund, then chargeback": ({ statuses }) =>
        statuses.join().endsWith("SUCCEED,REFUNDED,CHARGEBACK"),
      "not ended": (history) => ends(history).length === 0
    })
  })

  it.for(kinds)("of kind %s move forward, with each status once and one end at most", (kind) => {
    for (const { statuses } of sample(Generators.histories(kind))) {
      expect(isAscending(ranks(statuses))).toBe(true)
      expect(hasRepeat(statuses)).toBe(false)
      expect(statuses.length).toBeGreaterThan(0)
      expect(statuses.filter((status) => rank(status) === 10).length).toBeLessThanOrEqual(1)
    }
  })

  it("of a dishonest service end twice, with SUCCEED before FAILED among them", () => {
    const all = sample(Generators.dishonestHistories())
    expect(all.every((history) => ends(history).length === 2 && !history.isHonest)).toBe(true)
    covers(all, {
      "SUCCEED, then FAILED": ({ statuses }) => statuses.join().endsWith("SUCCEED,FAILED"),
      "FAILED, then SUCCEED": ({ statuses }) => statuses.join().endsWith("FAILED,SUCCEED"),
      "CANCELLED, then SUCCEED": ({ statuses }) => statuses.join().endsWith("CANCELLED,SUCCEED")
    })
  })
})

describe("deliveries", () => {
  const any = Generators.deliveries(Generators.histories())
  it("are late, lost, in order, tied, and forged in every way", () => {
    covers(sample(any, repeats(10_000, 2)), {
      "all in order": (delivered) =>
        statusesOf(delivered).join() === delivered.history.statuses.join(),
      lost: ({ deliveries, history }) =>
        history.statuses.some((status) => deliveries.every((one) => one.status !== status)),
      "nothing arrives": ({ deliveries }) => deliveries.length === 0,
      "after the last attempt": ({ deliveries }) => deliveries.some(({ at }) => at > 62 * 60_000),
      "at one time": ({ deliveries }) => hasRepeat(deliveries.map(({ at }) => at)),
      tie: (delivered) => hasTie(statusesOf(delivered)),
      gap: (delivered) => hasGap(statusesOf(delivered)),
      ...each(
        forgeries,
        (how) => `forged ${how}`,
        (how) =>
          ({ deliveries }: Generators.Delivered) =>
            deliveries.some(({ forged }) => forged === how)
      ),
      ...each(
        statuses,
        (status) => `forged ${status}`,
        (status) =>
          ({ deliveries }: Generators.Delivered) =>
            deliveries.some((one) => one.forged === "status" && one.status === status)
      )
    })
  })

  it("without faults are the history itself, one a second", () =>
    forAll([Generators.histories()], (history) => {
      const { deliveries } = Generators.deliver(history, [])
      expect(deliveries).toEqual(
        history.statuses.map((status, at) => ({
          at: at * 1000,
          status,
          amount: "text",
          forged: undefined
        }))
      )
    }))

  it("arrive in order of time, and only a forged status is not in the history", () =>
    forAll([any], (delivered) => {
      const { deliveries, history } = delivered
      expect(isAscending(deliveries.map(({ at }) => at))).toBe(true)
      for (const { forged, status } of deliveries) {
        if (forged !== "status") expect(history.statuses).toContain(status)
      }
    }))

  it("keep each fault with its status when the history shrinks", () => {
    // Histories have three statuses, or start at NEW. So NEW has to go, which moves PENDING to its
    // index.
    const long = Generators.histories().filter(
      ({ statuses }) => statuses[0] === "NEW" || statuses.length === 3
    )
    const holds = ({ faults, history: { statuses } }: Generators.Delivered) =>
      !statuses.includes("REFUNDED") ||
      faults.every(
        ({ index, type }) => type !== "late" || statuses[index % statuses.length] !== "PENDING"
      )
    for (let seed = 1; seed <= 10; seed++) {
      const { faults, history } = shrunk(Generators.deliveries(long), holds, seed)
      expect(history.statuses).toEqual(["PENDING", "SUCCEED", "REFUNDED"])
      expect(faults).toEqual([{ type: "late", index: 0, delay: 500 }])
    }
  })
})

describe("traffic", () => {
  const any = Generators.traffic(Generators.histories())
  const all = sample(any, repeats(2000))

  it("interleaves the deliveries of every transaction", () => {
    for (const { arrivals, transactions } of all) {
      expect(isAscending(arrivals.map(({ at }) => at))).toBe(true)
      for (const transaction of transactions) {
        const own = arrivals.filter((one) => one.transaction === transaction)
        expect(own.map(({ status }) => status)).toEqual(statusesOf(transaction))
      }
      const keys = transactions.map(({ history: { kind }, merchant, transactionId }) =>
        [merchant, kind, transactionId].join()
      )
      expect(hasRepeat(keys)).toBe(false)
    }
    const order = ({ arrivals, transactions }: (typeof all)[number]) =>
      arrivals.map(({ transaction }) => transactions.indexOf(transaction))
    covers(all, {
      "one after the other": (traffic) =>
        new Set(order(traffic)).size > 1 && isAscending(order(traffic)),
      interleaved: (traffic) => /(\d+),(?!\1)\d+,(.*,)?\1/.test(order(traffic).join()),
      "many transactions": ({ transactions }) => transactions.length > 5
    })
  })

  it("has refunds that leave of their payment something or nothing, and never take more", () => {
    for (const { transactions } of all) {
      for (const payment of transactions) {
        const refunds = transactions.filter(
          ({ merchant, paymentId }) =>
            payment.history.kind === "card-payment" &&
            merchant === payment.merchant &&
            paymentId === payment.transactionId
        )
        const cents = [payment, ...refunds].map(({ amount }) => Math.round(Number(amount) * 100))
        expect(Math.min(...cents)).toBeGreaterThan(0)
        expect(cents.reduce((left, each) => left - each, 2 * (cents[0] ?? 0))).toBeGreaterThan(-1)
      }
    }
  })

  it("verifies with the secret of its merchant alone, and is counted in the ledger of that merchant", () => {
    const merchants = ["one", "two"] as const
    const secretOf = (merchant: string, which: string) => Redacted.make(`${merchant}-${which}`)
    const make = Effect.fnUntraced(function* (merchant: (typeof merchants)[number]) {
      const verifier = Verifier.layer({
        current: secretOf(merchant, "current"),
        previous: secretOf(merchant, "previous")
      })
      const layer = Layer.merge(Layer.provide(verifier, Hmac.layer), Layer.fresh(layerMemory))
      const context = yield* Layer.build(layer)
      const { accept, get } = Context.get(context, Ledger)
      return { accept, get, verify: Context.get(context, Verifier.Verifier).verify, merchant }
    })
    const receives = Effect.fnUntraced(function* ({ arrivals }: Traffic) {
      const receivers = yield* Effect.forEach(merchants, make)
      const counts = new Map<string, number>()
      for (const arrival of arrivals) {
        const { amount, history, merchant, transactionId } = arrival.transaction
        const content = Generators.fromDelivery(
          {
            method: methodOf(history.kind),
            signed: { account: `mid-${merchant}`, amount, currency: "EUR", transactionId }
          },
          arrival
        )
        const sign = Hmac.keyed(secretOf(merchant, arrival.secret))
        for (const { accept, merchant: own, verify } of receivers) {
          const verified = Result.getOrUndefined(verify(Generators.toIncoming(sign, content)))
          const { secret } = arrival
          expect(verified).toEqual(
            own === merchant ? expect.objectContaining({ secret }) : undefined
          )
          if (verified === undefined || !isStatus(content.status)) continue
          expect(verified.signed.amount).toBe(amount)
          yield* accept(verified, arrival.at)
          const key = [own, content.method, transactionId].join()
          counts.set(key, (counts.get(key) ?? 0) + 1)
        }
      }
      for (const { get, merchant } of receivers) {
        for (const { transactionId } of new Set(arrivals.map(({ transaction }) => transaction))) {
          for (const method of ["card", "apm"] as const) {
            const row = yield* get(method, transactionId)
            expect(row?.callbacks).toBe(counts.get([merchant, method, transactionId].join()))
          }
        }
      }
    })
    return forAll([any], { numRuns: repeats(20) }, (traffic) =>
      Effect.runPromise(Effect.scoped(receives(traffic)))
    )
  })
})

describe("callback requests", () => {
  const secret = Redacted.make(Service.secret)
  const sign = Hmac.keyed(secret)

  it("verify in both layouts, with the content they were made of", async () => {
    await forAll([Generators.contents], { numRuns: repeats(300) }, (content) => {
      const { claim, method, quarantine, signed } = Result.getOrThrow(
        Service.verify(Generators.toIncoming(sign, content))
      )
      expect({ claim, method, quarantine, signed }).toEqual({
        claim: content.status,
        method: content.method,
        quarantine: undefined,
        signed: content.signed
      })
    })
    covers(sample(Generators.contents, 1000), {
      card: ({ method }) => method === "card",
      apm: ({ method }) => method === "apm",
      "an amount as a number with a zero at its end": ({ amount, signed }) =>
        amount === "number" && signed.amount.endsWith(".00"),
      ...each(
        statuses,
        String,
        (status) => (content: Generators.CallbackContent) => content.status === status
      )
    })
  })

  it("of a forgery verify with the checksum of the genuine callback (A05, A06, A08)", async () => {
    const transaction = fc.record({
      method: fc.constantFrom("card" as const, "apm" as const),
      signed: Generators.contents.map(({ signed }) => signed)
    })
    const forged = new Set<string | undefined>()
    await forAll(
      [transaction, Generators.deliveries(Generators.histories())],
      { numRuns: repeats(300) },
      (transaction, { deliveries }) => {
        const checksums = deliveries.map((delivery) => {
          const incoming = Generators.toIncoming(
            sign,
            Generators.fromDelivery(transaction, delivery)
          )
          const verified = Result.getOrThrow(Service.verify(incoming))
          expect(verified.claim).toBe(isStatus(delivery.status) ? delivery.status : undefined)
          expect(verified.method === transaction.method).toBe(delivery.forged !== "kind")
          forged.add(delivery.forged)
          return incoming.checksum
        })
        expect(new Set(checksums).size).toBeLessThanOrEqual(1)
      }
    )
    expect(forged).toEqual(new Set([undefined, ...forgeries]))
  })

  it("convert to web requests with the same bytes", () =>
    forAll([Generators.callbacks(secret)], async (incoming) => {
      const request = Generators.toRequest("https://shop.example/callback", incoming)
      expect(request.method).toBe("POST")
      expect(new URL(request.url).search).toBe(
        new URL(`https://shop.example/${incoming.search}`).search
      )
      expect(request.headers.get("x-checksum")).toBe(incoming.checksum)
      expect(request.headers.get("content-type")).toBe("application/json")
      expect(new Uint8Array(await request.arrayBuffer())).toEqual(incoming.body)
    }))
})

describe("nouns", () => {
  it("are every schema of core", () => {
    const core = `${import.meta.dirname}/../../core/src`
    const internal = ["CallbackBody", "JsonNumber", "RequestBodies", "SharedFields"]
    const files = [
      ...readdirSync(core).filter((file) => file.endsWith(".ts")),
      ...internal.map((name) => `internal/${name}.ts`)
    ]
    const exported = files.flatMap((file) =>
      Array.from(
        readFileSync(`${core}/${file}`, "utf8").matchAll(/^export const ([A-Z]\w*)/gmu),
        ([, name]) => name
      )
    )
    const names = Generators.nouns.map(([name]) => name)
    // A `Context.Reference`, a file that nothing sends, and a part of an error.
    const others = new Set(["Profile", "File", "FieldFault"])
    const schemas = exported.filter((name = "") => !others.has(name))
    expect(new Set(names)).toEqual(new Set(schemas))
    expect(new Set(names).size).toBe(names.length)
  })

  it("the hostile values of each schema of text with a rule have texts", () => {
    const ruled = Generators.nouns.filter(([, { ast }]) => ast._tag === "String" && ast.checks)
    const without = ruled.filter(([name, schema]) =>
      sample(Generators.hostile(name, schema)).every((each) => typeof each !== "string")
    )
    expect(ruled.length).toBeGreaterThan(5)
    expect(without.map(([name]) => name)).toEqual([])
  })

  describe.for(Generators.nouns)("%s", ([name, schema]) => {
    const decode = Schema.decodeUnknownResult(Schema.toCodecJson(schema))

    it("refuses hostile values with a typed error that contains no value, and does not throw", () =>
      forAll([Generators.hostile(name, schema)], { numRuns: 60 }, (sent) => {
        const decoded = decode(sent)
        expect(Result.isFailure(decoded)).toBe(true)
        if (Result.isSuccess(decoded)) return
        expect(decoded.failure).toMatchObject({ _tag: "SchemaError" })
        expect(String(decoded.failure)).not.toContain("canary")
      }))
  })
})
