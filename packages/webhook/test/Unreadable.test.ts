import { expect } from "vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentLogAnnotations } from "effect/References"
import { SqlClient } from "effect/sql/SqlClient"
import { RequestStore } from "../src/internal/ledger/RequestStore.ts"
import * as Settings from "../src/internal/ledger/Settings.ts"
import { Records } from "../src/internal/records/Records.ts"
import * as RequestRule from "../src/internal/rule/RequestRule.ts"
import type { Ledger } from "../src/Ledger.ts"
import * as Requests from "../src/Requests.ts"
import { newRequest } from "./memoryLedger.ts"
import * as fake from "./requestService.ts"
import { notRegistered } from "../src/internal/ledger/Accepting.ts"
import { services } from "@pawl/test-support/Places"
import { finish } from "@pawl/test-support/Finished"
import { card, incoming, verified } from "@pawl/test-support/Service"
import { inEachStore } from "@pawl/test-support/Stores"
import { testIn } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"

const durable = ({ sender }: Pick<ReturnType<typeof fake.make>, "sender">) =>
  Effect.map(Layer.build(fake.layer(sender)), Context.get(Requests.Requests))

/** Starts a receiver that tells claims at once. */
const receiverOf = Effect.fnUntraced(function* (ledger: Ledger["Service"]) {
  const started = yield* World.started({ policy: "never", plant: () => ledger })
  yield* Effect.addFinalizer(() => started.stop)
  const tags = ["Alarm", "DeadLettered", "Quarantined"]
  const raised = () => started.entries.filter(({ _tag }) => tags.includes(_tag))
  return { ...started, raised }
})

await inEachStore((place) => {
  const test = testIn(place)

  test("R38: an unreadable row is parked, and the rows beside it are told", function* () {
    const { at: now, ledger, sql } = yield* services
    const ids = ["1", "2", "3", "4", "5"]
    for (const transactionId of ids)
      yield* ledger.accept(verified("card", card({ transactionId })), now)
    const texts = yield* sql<{ readonly key: string; readonly document: string }>`
      SELECT key, document FROM pawl_transactions WHERE key < '5' ORDER BY key`
    const damage = (key: string, from: string, to: string) =>
      sql`UPDATE pawl_transactions SET document = replace(document, ${from}, ${to})
        WHERE key LIKE ${`${key}%`}`
    yield* damage("2", "kc", "kq")
    yield* damage("3", "\n", "\n\n")
    yield* sql`UPDATE pawl_transactions SET document = '' WHERE key LIKE '4%'`
    const [{ body } = {}] = yield* sql`SELECT body FROM pawl_transactions_texts WHERE key LIKE '5%'`
    yield* sql`UPDATE pawl_transactions_texts SET body = ${new Uint8Array([123])} WHERE key LIKE '5%'`

    const { raised, ...world } = yield* receiverOf(ledger)
    const told = () => world.calls.map(({ transactionId }) => transactionId)
    const until = (done: () => boolean, parked: number) =>
      Effect.repeat(ledger.deadLetters({ limit: 9 }), {
        until: ({ length }) => done() && length === parked
      })
    const parked = yield* until(() => told().includes("1") && raised().length === 4, 4)
    const shown = parked.map(({ deadLetter: { reason }, transactionId, unreadable }) => [
      transactionId,
      [reason, unreadable]
    ])
    expect(Object.fromEntries(shown)).toEqual({
      2: ["unreadable", "document"],
      3: ["unreadable", "document"],
      4: ["unreadable", "document"],
      5: ["unreadable", undefined]
    })
    expect(told()).toEqual(["1"])
    // Each is an alarm.
    expect(
      raised()
        .map((entry) => `${entry.transactionId} ${"reason" in entry ? entry.reason : entry._tag}`)
        .toSorted()
    ).toEqual(["2 unreadable", "3 unreadable", "4 unreadable", "5 unreadable"])
    // It is no unknown transaction, and a comparison of any day has it.
    const other = yield* ledger.page({ limit: 9, from: now + 1e9, before: now + 2e9 })
    expect(other.rows.map(({ transactionId }) => transactionId)).toEqual(["2", "3", "4"])
    const known = parked.find(({ transactionId }) => transactionId === "4")
    expect(known?.deadLetter.at).toBeGreaterThanOrEqual(now)
    const found = other.rows.find(({ transactionId }) => transactionId === "4")
    expect([found, yield* ledger.get("card", "4")]).toEqual([known, known])
    expect(yield* ledger.story("card", "4")).toHaveLength(1)
    // A callback of such a transaction is kept for a person.
    const callback = card({ transactionId: "4" })
    expect(yield* ledger.accept(verified("card", callback), now)).toEqual({
      isNew: true,
      isUnreadable: true
    })
    expect((yield* ledger.quarantined).map(({ transactionId }) => transactionId)).toEqual(["4"])

    // A redrive of all ends, and counts only the row that can be read.
    const before = yield* Clock.currentTimeMillis
    const batch = { reason: "unreadable", before, dueAt: now, rate: 10, limit: 1 } as const
    let redriven = 0
    let after: Parameters<typeof ledger.redriveAll>[0]["after"]
    do {
      const page = yield* ledger.redriveAll({ ...batch, after })
      redriven += page.redriven
      after = page.last
    } while (after !== undefined)
    expect(redriven).toBe(1)
    yield* until(() => true, 4)

    // A redrive tries again: only the restored rows go on.
    for (const { document, key } of texts.filter(({ key }) => !key.startsWith("4"))) {
      yield* sql`UPDATE pawl_transactions SET document = ${document} WHERE key = ${key}`
    }
    yield* sql`UPDATE pawl_transactions_texts SET body = ${body} WHERE key LIKE '5%'`
    for (const transactionId of ids) yield* ledger.redrive({ method: "card", transactionId }, now)
    const left = yield* until(() => told().length === 4, 1)
    expect(left.map(({ transactionId }) => transactionId)).toEqual(["4"])
    expect(told().toSorted()).toEqual(["1", "2", "3", "5"])
    // Its texts are not known, so their deletion must not be reported.
    expect((yield* Effect.exit(ledger.erase("card", "4")))._tag).toBe("Failure")
  })

  test("R38: a callback or registration of an unreadable transaction without due work is an alarm", function* () {
    const { at, ledger, sql } = yield* services
    yield* finish("1", at)
    yield* sql`UPDATE pawl_transactions SET document = '', version = version + 1`
    const { raised, receiveRequest } = yield* receiverOf(ledger)
    const chargeback = card({ transactionId: "1", transactionStatus: "CHARGEBACK" })
    expect(yield* receiveRequest(incoming("card", chargeback))).toBe(200)
    // The quarantine is read in turn with the stream of alarms.
    yield* Effect.repeat(ledger.quarantined, { until: () => raised().length > 0, times: 1000 })
    const entry = { _tag: "Quarantined", field: "transaction", method: "card", transactionId: "1" }
    expect(raised()).toMatchObject([entry])
    expect(yield* ledger.quarantined).toMatchObject([{ signed: { transactionId: "1" } }])
    const { kept, lines } = World.keepLog("Warn", ({ message }) => message)
    yield* kept(ledger.register({ kind: "card-payment", transactionId: "1" }, at))
    expect(lines).toEqual([[{ _tag: "Alarm", reason: notRegistered }]])
  })

  test("R38: a redrive of all keeps its rate beside an unreadable row", function* () {
    const { at, ledger, sql } = yield* services
    for (const transactionId of ["1", "2", "3"])
      yield* ledger.accept(verified("card", card({ transactionId })), at)
    const due = (now: number) =>
      Effect.map(ledger.claim({ at: now, until: now + 1e6, limit: 9 }), ({ rows }) => rows)
    for (const [position, row] of (yield* due(at)).entries()) {
      const deadLetter = { reason: "unreadable", at: at + position, to: undefined } as const
      yield* ledger.write(row, { deadLetter, release: { dueAt: undefined } })
    }
    const [first] = yield* ledger.deadLetters({ limit: 9 })
    yield* sql`UPDATE pawl_transactions SET document = '', version = version + 1
      WHERE key LIKE ${`${first?.transactionId}%`}`
    const batch = { reason: "unreadable", before: at + 9, rate: 10, limit: 2 } as const
    const page = yield* ledger.redriveAll({ ...batch, dueAt: at })
    const dueAt = at + page.listed * 100
    const last = yield* ledger.redriveAll({ ...batch, after: page.last, dueAt })
    expect([page.redriven, last.redriven]).toEqual([1, 1])
    const times = [99, 100, 199, 200]
    const found = yield* Effect.forEach(times, (after) => due(at + after))
    expect(found.map(({ length }) => length)).toEqual([0, 1, 0, 1])
  })

  test("R38: an unreadable body in quarantine does not hide the others", function* () {
    const { ledger, sql } = yield* services
    const odd = ["1", "2", "3"].map((transactionId) =>
      verified("card", card({ transactionId, transactionStatus: "SETTLED" }))
    )
    for (const [at, each] of odd.entries()) yield* ledger.accept(each, at)
    yield* sql`UPDATE pawl_quarantine_texts SET body = ${new Uint8Array([123])} WHERE at = 1`
    const ids = (yield* ledger.quarantined).map(({ transactionId }) => transactionId)
    expect(ids).toEqual(["1", "3"])
  })

  test("R38: an unreadable request raises an alarm, is listed with the parked ones, and is refused to a repeat", function* () {
    const { kept, lines } = World.keepLog("Warn", ({ fiber, message }) => [
      message,
      fiber.getRef(CurrentLogAnnotations)["requestId"]
    ])
    const requests = yield* RequestStore
    const sql = yield* SqlClient
    const ids = ["1", "2", "3", "4", "5"]
    for (const [at, requestId] of ids.entries()) {
      yield* requests.write(newRequest(requestId), { at })
    }
    const { rows } = yield* requests.claim({ at: 5, until: 9, limit: 4 })
    for (const row of rows) yield* requests.park(row, "window", 6)
    const damaged = ids.filter((id) => id !== "4")
    for (const id of damaged)
      yield* sql`UPDATE pawl_requests SET document = '', version = version + 1 WHERE key = ${id}`
    const listed = yield* requests.parked({ limit: 2 })
    const behind = yield* requests.parked({ limit: 9, after: { at: 6, requestId: "2" } })
    const parked = [...listed, ...behind].map(({ parked, requestId }) => [requestId, parked])
    expect(parked).toEqual([
      ...["1", "2", "3"].map((id) => [id, { reason: "unreadable", at: 6 }]),
      ["4", { reason: "window", at: 6 }]
    ])
    const claimed = requests.claim({ at: 7, until: 9, limit: 4 })
    expect((yield* kept(claimed)).rows).toEqual([])
    expect(lines).toEqual([[[{ _tag: "Alarm", reason: RequestRule.wasChanged }], "5"]])
    const last = yield* requests.parked({ limit: 9, after: { at: 6, requestId: "4" } })
    expect(last).toMatchObject([{ requestId: "5", parked: { reason: "unreadable", at: 7 } }])
    // A person who opens it from the list can do nothing but restore it.
    expect(yield* requests.get("1")).toEqual(listed[0])
    expect(yield* requests.redrive("1", { at: 8, window: 9, hadNoEffect: true })).toBe(false)
    expect(yield* requests.cancel("1", 8)).toBe(false)
    const service = fake.make()
    const { enqueue, send } = yield* durable(service)
    const repeat = fake.payment("1")
    for (const call of [
      Effect.flip(send("apm-payment", repeat)),
      Effect.flip(enqueue("apm-payment", repeat))
    ]) {
      const refused = yield* call
      expect(refused).toMatchObject({ _tag: "RequestParked", reason: "unreadable" })
      expect(refused.message).toContain("restore the row")
    }
    expect(service.seen).toEqual([])
  })

  test("R50: a database with an unreadable request is not taken for an empty shard", function* () {
    const { own } = yield* Records
    const sql = yield* SqlClient
    const { write } = yield* RequestStore
    for (const requestId of ["1", "2"]) yield* write(newRequest(requestId), { at: 1 })
    yield* sql`UPDATE pawl_requests SET document = '' WHERE key = '1'`
    expect(yield* Settings.takePlace(own[0], { position: 0, count: 2 })).toBe(false)
  })

  test("R50: an unreadable note of a worker counts as unset, and is written anew", function* () {
    const { ledger, sql } = yield* services
    const reserve = (at: number) =>
      ledger.reserveReads({ limit: 10, reads: { ask: 1, repeat: 0, watch: 0 } }, at)
    yield* reserve(1000)
    yield* ledger.noteAlive(1000)
    yield* ledger.checkWritable
    yield* sql`UPDATE pawl_settings SET document = 'damaged', version = version + 1`
    // A receiver that is not ready gets no callbacks.
    yield* ledger.checkWritable
    expect(yield* ledger.lastAliveAt).toBeUndefined()
    yield* ledger.noteAlive(2000)
    expect(yield* ledger.lastAliveAt).toBe(2000)
    expect((yield* reserve(2000)).times).toEqual([2000])
    yield* ledger.lowerReads({ limit: 10, retryAfter: 5000 }, 2000)
    expect(yield* reserve(2000)).toMatchObject({ times: [], retryAt: 7000 })
    expect(yield* sql`SELECT key FROM pawl_settings WHERE document = 'damaged'`).toEqual([])
  })
})
