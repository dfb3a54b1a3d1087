/**
 * `PAWL_HOT_CHANGES=100000 PAWL_HOT_PAUSE=40000` sends as many callbacks, and stops one process for
 * 40 seconds.
 */
import * as Program from "@pawl/test-support/Program"
import { isStatus } from "@pawl/core/Status"
import { expect, it } from "vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Records } from "../src/internal/records/Records.ts"
import type { Counts } from "./hotChild.ts"
import { empty, ledgerOf, type Place } from "@pawl/test-support/Places"
import { inEachStore } from "@pawl/test-support/Stores"

const changes = Number(process.env["PAWL_HOT_CHANGES"] ?? 2000)
/** The pause in milliseconds. */
const pause = Number(process.env["PAWL_HOT_PAUSE"] ?? 200)
const processes = 4
const keys = 100

const script = new URL("hotChild.ts", import.meta.url).pathname

const race = (place: Place) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(ledgerOf(place))
    yield* Effect.provide(empty, context)
    const args = [script, JSON.stringify(place), String(changes / processes), String(keys)]
    const programs = yield* Effect.all(
      Array.from({ length: processes }, () =>
        Effect.tap(Program.start(process.execPath, args), ({ line }) => line(/^ready$/mu))
      ),
      { concurrency: "unbounded" }
    )
    for (const { child } of programs) child.stdin.write("go\n")
    const [{ child: stopped } = { child: undefined }] = programs
    yield* Effect.sleep("300 millis")
    stopped?.kill("SIGSTOP")
    yield* Effect.sleep(pause)
    stopped?.kill("SIGCONT")
    const counts = yield* Effect.forEach(programs, ({ line }) =>
      Effect.map(line(/^\{.*\}$/mu), (text) => JSON.parse(text) as Counts)
    )

    const sumOf = (name: "accepted" | "written") => {
      const sums = new Map<string, number>()
      for (const each of counts) {
        for (const [key, count] of Object.entries(each[name])) {
          sums.set(key, (sums.get(key) ?? 0) + count)
        }
      }
      return Object.fromEntries(sums)
    }
    const { found } = yield* Context.get(context, Records).own[0].page("transactions", {
      after: "",
      limit: 1000
    })
    const rows = found.flatMap(({ value }) => value)
    const stored = rows.flatMap(({ accepted, row }) =>
      Object.entries(accepted).map(
        ([status, { count }]) => [`${row.transactionId} ${status}`, count] as const
      )
    )
    const sequences = rows.map(({ row }) => [row.transactionId, row.sequence] as const)
    const callbacks = rows.reduce((sum, { row }) => sum + row.callbacks, 0)
    const inDoubt = counts.reduce((sum, each) => sum + each.inDoubt, 0)
    const slowest = counts.map((each) => Math.round(each.slowest))
    const written = sumOf("written")
    console.log(
      `${place._tag}: ${callbacks} callbacks, ${sequences.reduce((sum, [, each]) => sum + each, 0)} writes, ${inDoubt} in doubt, slowest accepts ${slowest.join(", ")} ms`
    )

    expect(stored.every(([name]) => isStatus(name.split(" ")[1] ?? ""))).toBe(true)
    expect(rows.length).toBe(keys)
    expect(callbacks).toBeGreaterThanOrEqual(changes)
    if (inDoubt === 0) {
      expect(Object.fromEntries(stored)).toEqual(sumOf("accepted"))
      expect(sequences.filter(([id, sequence]) => (written[id] ?? 0) !== sequence)).toEqual([])
    } else {
      // A change without an answer may have taken effect.
      const accepted = sumOf("accepted")
      expect(stored.filter(([name, count]) => count < (accepted[name] ?? 0))).toEqual([])
      expect(callbacks).toBeLessThanOrEqual(changes + inDoubt)
      expect(sequences.filter(([id, sequence]) => sequence < (written[id] ?? 0))).toEqual([])
    }
    expect(Object.values(written).length).toBeGreaterThan(0)
  }).pipe(Effect.scoped, Effect.runPromise)

await inEachStore((place) =>
  it(
    `R51: four processes, ${keys} hot keys, ${changes} changes lose nothing`,
    () => race(place),
    120_000 + changes * 10 + pause
  )
)
