import { readText, serve } from "@pawl/test-support/Listener"
import * as Leases from "@pawl/test-support/Leases"
import * as Program from "@pawl/test-support/Program"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"
import { readdirSync, readFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { basename, dirname, join } from "node:path"
import { expect, it } from "vitest"
import { client, empty, ledgerOf, type Place } from "@pawl/test-support/Places"
import { payment } from "./requestService.ts"
import { secret } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"

const processTime = 120_000
const script = new URL("requestChild.ts", import.meta.url).pathname

interface Body {
  readonly requestId: string
}

/** Answers nothing while `holds`. */
const service = Effect.gen(function* () {
  const state = { holds: true, held: [] as Array<() => void>, requests: [] as Array<string> }
  const effects = new Map<string, string>()
  const respond = (response: ServerResponse, requestId: string) => () => {
    const transactionId = effects.get(requestId)
    response.end(JSON.stringify({ requestId, transactionId, transactionStatus: "PENDING" }))
  }
  const port = yield* serve((request, response) => {
    const process = async () => {
      const { requestId } = JSON.parse(await readText(request)) as Body
      state.requests.push(requestId)
      if (!effects.has(requestId)) effects.set(requestId, String(100_001 + effects.size))
      if (state.holds) state.held.push(respond(response, requestId))
      else respond(response, requestId)()
    }
    void process()
  })
  return { state, effects, port }
})

const untilTrue = { until: (isTrue: boolean) => isTrue, schedule: Schedule.spaced("20 millis") }

const until = (condition: () => boolean) => Effect.repeat(Effect.sync(condition), untilTrue)

const startIn = (place: Place, port: number, calls: ReadonlyArray<unknown>) =>
  Effect.tap(
    Program.start(process.execPath, [
      script,
      JSON.stringify(place),
      String(port),
      JSON.stringify(calls)
    ]),
    ({ line }) => line(/^ready$/mu)
  )

const endLeases = (place: Place) =>
  Effect.provide(
    Effect.retry(Leases.end, { times: 100, schedule: Schedule.spaced("20 millis") }),
    ledgerOf(place)
  )

const outcomes = (place: Place) =>
  Effect.provide(
    Effect.flatMap(
      SqlClient,
      (sql) => sql<{ readonly outcome: string | null; readonly transaction_id: string | null }>`
        SELECT outcome, transaction_id FROM pawl_requests_view ORDER BY request_id`
    ),
    client(place)
  )

const untilAnswered = (place: Place, index: number) =>
  outcomes(place).pipe(
    Effect.map((lines) => lines[index]?.outcome === "Answered"),
    Effect.orElseSucceed(() => false),
    Effect.repeat(untilTrue)
  )

const registered = (place: Place) =>
  Effect.provide(
    Effect.flatMap(
      SqlClient,
      (sql) => sql<{ readonly id: string }>`
        SELECT transaction_id AS id FROM pawl_transactions_view WHERE registered = 1`
    ),
    client(place)
  )

const calls = [{ kind: "apm-payment", input: payment("order-1") }]
const settled = [{ outcome: "Answered", transaction_id: "100001" }]

const prepared = (place: Place) => Effect.provide(empty, Layer.fresh(ledgerOf(place)))

const survives = (place: Place) =>
  it(
    "a payment whose process is killed in mid-send has one effect and one outcome",
    () =>
      Effect.gen(function* () {
        yield* prepared(place)
        const { effects, port, state } = yield* service
        const first = yield* startIn(place, port, calls)
        yield* until(() => state.held.length === 1)
        first.child.kill("SIGKILL")
        yield* first.exited
        yield* endLeases(place)
        state.holds = false
        const second = yield* startIn(place, port, calls)
        expect(yield* second.line(/^100001$/mu)).toBe("100001")
        expect(effects.size).toBe(1)
        expect(yield* outcomes(place)).toEqual(settled)
        expect(yield* registered(place)).toEqual([{ id: "100001" }])
      }).pipe(Effect.scoped, Effect.runPromise),
    processTime
  )

const place = files()()
survives(place)

const alone = files()

it(
  "no card number, security code, secret or body is on the disk, while a request is in doubt and after it",
  () =>
    Effect.gen(function* () {
      const place = alone()
      const { effects, port, state } = yield* service
      const card = { number: "4242424242424242", cvv: "code-7391", expiryMonth: "11" }
      const all = [
        { kind: "card-payment", input: { ...payment("order-1"), mid: "mid-1", card } },
        { kind: "apm-payment", input: payment("order-2") }
      ]
      const leaks = () => {
        const folder = dirname(place.filename)
        const names = readdirSync(folder).filter((name) =>
          name.startsWith(basename(place.filename))
        )
        expect(names.length).toBeGreaterThan(1)
        const bytes = names
          .map((name) => readFileSync(join(folder, name)).toString("latin1"))
          .join()
        expect(bytes).toContain("order-1")
        const secrets = [card.number, card.cvv, secret, "keep-this-private", "shop.example"]
        return secrets.filter((each) => bytes.includes(each))
      }
      const first = yield* startIn(place, port, all)
      yield* until(() => state.held.length === 2)
      expect(leaks()).toEqual([])
      first.child.kill("SIGKILL")
      yield* first.exited
      yield* endLeases(place)
      state.holds = false
      yield* startIn(place, port, [])
      yield* untilAnswered(place, 1)
      expect(leaks()).toEqual([])
      expect(effects.size).toBe(2)
      expect(state.requests).toHaveLength(3)
    }).pipe(Effect.scoped, Effect.runPromise),
  processTime
)

await onPostgres((place) => {
  survives(place)

  it(
    "a process that is stopped in mid-send for longer than its lease causes no second effect, and goes on with the same outcome",
    () =>
      Effect.gen(function* () {
        yield* prepared(place)
        const { effects, port, state } = yield* service
        const first = yield* startIn(place, port, calls)
        yield* until(() => state.held.length === 1)
        first.child.kill("SIGSTOP")
        yield* endLeases(place)
        const second = yield* startIn(place, port, [])
        yield* until(() => state.held.length === 2)
        for (const answer of state.held.toReversed()) answer()
        yield* untilAnswered(place, 0)
        first.child.kill("SIGCONT")
        expect(yield* first.line(/^(?!ready$).+$/mu)).toBe("100001")
        expect(second.stdout()).toBe("ready\n")
        expect(effects.size).toBe(1)
        expect(state.requests).toHaveLength(2)
        expect(yield* outcomes(place)).toEqual(settled)
        expect(yield* registered(place)).toEqual([{ id: "100001" }])
      }).pipe(Effect.scoped, Effect.runPromise),
    processTime
  )
})
