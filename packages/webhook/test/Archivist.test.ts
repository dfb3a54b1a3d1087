/**
 * The archivist under virtual time, the settings of retention, and the command that erases.
 */
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { run } from "@pawl/test-support/Program"
import { describe, expect, it } from "vitest"
import * as Archivist from "../src/Archivist.ts"
import * as RetentionSettings from "../src/internal/RetentionSettings.ts"
import { Ledger } from "../src/Ledger.ts"
import type * as Archive from "../src/Archive.ts"
import { ledgerOf } from "./places.ts"
import { none } from "./receiverProcess.ts"
import { card, verified } from "./service.ts"
import { files } from "./stores.ts"
import * as World from "./world.ts"

const day = 86_400_000

/** Runs an archivist for some time, and returns the calls that it makes. */
const watch = (settings: Archivist.Settings | undefined, time: Duration.Input) =>
  World.run(
    Effect.gen(function* () {
      const world = yield* World.make()
      const moves: Array<Archive.MovePage & { readonly at: number }> = []
      const drops: Array<Archive.DropOptions> = []
      const ledger: Ledger["Service"] = {
        ...world.ledger,
        archive: {
          ...world.ledger.archive,
          move: (page) =>
            Effect.sync(() => {
              moves.push({ ...page, at: world.now() })
              const last = { transactionId: "1", scope: "card" } as const
              return { moved: 1, last: page.after === undefined ? last : undefined }
            }),
          drop: (options) => Effect.sync(() => drops.push(options) % 2)
        }
      }
      yield* Layer.build(Archivist.layer).pipe(
        Effect.provideService(Ledger, ledger),
        settings === undefined
          ? (build) => build
          : Effect.provideService(Archivist.Settings, settings)
      )
      yield* World.pass(time)
      return { moves, drops }
    })
  )

describe("the archivist", () => {
  it("looks at all pages at its start and every hour, for what is quiet for 7 days", async () => {
    const { drops, moves } = await watch(undefined, "90 minutes")
    expect(moves.map(({ after }) => after?.transactionId)).toEqual([undefined, "1", undefined, "1"])
    // It pauses between two pages, and not after the last one.
    expect(moves.map(({ at }) => at)).toEqual([0, 20, 3_600_020, 3_600_040])
    for (const { at, before, dueAfter } of moves) {
      expect(at - before).toBeGreaterThanOrEqual(7 * day)
      expect(dueAfter - at).toBeGreaterThan(day)
    }
    expect(drops).toEqual([])
  })

  it("drops old months until there are none, if a setting says so", async () => {
    const { drops } = await watch({ after: Duration.days(9), months: 84 }, "1 minute")
    expect(drops.map(({ months }) => months)).toEqual([84, 84])
  })

  it("does nothing if nothing is to be archived", async () => {
    const { drops, moves } = await watch({ after: Duration.infinity, months: 84 }, "2 hours")
    expect([moves, drops]).toEqual([[], []])
  })
})

describe("the settings of retention", () => {
  const make = (env: Readonly<Record<string, string>>) =>
    Effect.runSync(
      Effect.map(Config.all(RetentionSettings.environment), RetentionSettings.make).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
      )
    )

  it("are days and months, or never", () => {
    const { layer, sentences } = make({
      PAWL_ARCHIVE_AFTER_DAYS: "never",
      PAWL_ARCHIVE_MONTHS: "120",
      PAWL_BODY_DAYS: "10"
    })
    expect(sentences).toEqual([])
    const settings = Effect.runSync(Effect.provide(Archivist.Settings, layer))
    expect(Duration.isFinite(settings.after)).toBe(false)
    expect(settings.months).toBe(120)
  })

  it("name what cannot be used: months in which a chargeback may come are kept", () => {
    const { sentences } = make({ PAWL_ARCHIVE_AFTER_DAYS: "soon", PAWL_ARCHIVE_MONTHS: "6" })
    expect(sentences).toEqual([
      "PAWL_ARCHIVE_AFTER_DAYS cannot be used: give a number from 1 to 99999, or never.",
      "PAWL_ARCHIVE_MONTHS cannot be used: give a number from 7 to 99999, or never."
    ])
  })
})

describe("erase", () => {
  const file = files()
  const bin = new URL("../src/bin/pawl-receiver.ts", import.meta.url).pathname

  it("says what it deleted and kept, and names an id that the store does not have", () => {
    const place = file()
    const erase = (...args: ReadonlyArray<string>) =>
      run(process.execPath, [bin, "erase", "card-payment", ...args], {
        ...none,
        PAWL_STORE: `sqlite:${place.filename}`
      })
    return Effect.runPromise(
      Effect.gen(function* () {
        yield* Effect.flatMap(Ledger, (ledger) =>
          ledger.accept(verified("card", card({ transactionId: "1", name: "Grace" })), 1000)
        ).pipe(Effect.provide(ledgerOf(place), { local: true }))
        const { code, stdout } = yield* erase("1", "--compact")
        expect([code, stdout]).toEqual([
          0,
          "1: deleted 1 callback text, 0 request texts, 0 notes; kept ids, amounts, currencies, statuses and times\nThe store was rewritten. Backups and logs of the database keep the texts until you delete them.\n"
        ])
        const unknown = yield* erase("2")
        expect(unknown.code).toBe(1)
        expect(unknown.stderr).toContain("The store has no card transaction 2.")
      })
    )
  })
})
