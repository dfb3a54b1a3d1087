/**
 * The two files of a ledger in SQLite: an archive that is not that of the ledger, or lacks rows, is refused.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { copyFileSync, renameSync, rmSync } from "node:fs"
import { run } from "@pawl/test-support/Program"
import { expect, it } from "vitest"
import { Ledger } from "../src/Ledger.ts"
import { archiveOf } from "../src/NodeSqlite.ts"
import * as NodeStore from "../src/NodeStore.ts"
import { callback, day, everything, finish, november } from "./archives.ts"
import { ledgerOf, type Place } from "./places.ts"
import { none } from "./receiverProcess.ts"
import { files } from "./stores.ts"

const file = files()

type SqlitePlace = Extract<Place, { readonly _tag: "sqlite" }>

const within = <A>(place: SqlitePlace, body: Effect.Effect<A, unknown, Ledger | SqlClient>) =>
  Effect.runPromise(Effect.provide(body, ledgerOf(place), { local: true }))

const archive = (id: string) =>
  Effect.andThen(
    finish(id, november),
    Effect.flatMap(Ledger, (ledger) => ledger.archive.move(everything))
  )

/** Returns the error with which a ledger does not start. */
const refusal = (place: SqlitePlace) =>
  Effect.runPromise(Effect.flip(Effect.provide(Effect.void, ledgerOf(place), { local: true })))

it("a missing archive is refused, and the error says what to do", async () => {
  const place = file()
  await within(place, archive("1"))
  renameSync(archiveOf(place.filename), `${place.filename}.kept`)
  const missing = { _tag: "ArchiveMisplaced", reason: "missing" }
  expect(await refusal(place)).toMatchObject(missing)
  expect(await refusal(place)).toMatchObject(missing)
  const started = NodeStore.layer(place)
  const unusable = await Effect.runPromise(Effect.flip(Effect.provide(Effect.void, started)))
  expect(unusable.message).toBe(
    `The archive ${archiveOf(place.filename)} has none of the transactions that this ledger has archived: put the file of the same backup there; if it is lost, pawl-receiver migrate --archive-lost goes on without them`
  )
  renameSync(`${place.filename}.kept`, archiveOf(place.filename))
  const row = await within(
    place,
    Effect.flatMap(Ledger, (ledger) => ledger.get("card", "1"))
  )
  expect(row?.told).toBe("SUCCEED")
})

it("an archive of an older backup is refused, and one of a later backup is not", async () => {
  const place = file()
  await within(place, archive("1"))
  copyFileSync(archiveOf(place.filename), `${place.filename}.older`)
  copyFileSync(place.filename, `${place.filename}.ledger`)
  await within(place, archive("2"))
  copyFileSync(archiveOf(place.filename), `${place.filename}.newer`)
  copyFileSync(`${place.filename}.older`, archiveOf(place.filename))
  expect(await refusal(place)).toMatchObject({ _tag: "ArchiveMisplaced", reason: "older" })
  copyFileSync(`${place.filename}.newer`, archiveOf(place.filename))
  copyFileSync(`${place.filename}.ledger`, place.filename)
  const rows = await within(
    place,
    Effect.flatMap(Ledger, (ledger) => Effect.forEach(["1", "2"], (id) => ledger.get("card", id)))
  )
  expect(rows.map((row) => row?.told)).toEqual(["SUCCEED", "SUCCEED"])
})

it("the archive of another ledger is refused, also beside a new ledger", async () => {
  const [one, other, fresh] = [file(), file(), file()]
  await within(one, archive("1"))
  await within(other, archive("2"))
  copyFileSync(archiveOf(other.filename), archiveOf(one.filename))
  copyFileSync(archiveOf(other.filename), archiveOf(fresh.filename))
  for (const place of [one, fresh]) {
    expect(await refusal(place)).toMatchObject({ _tag: "ArchiveMisplaced", reason: "other" })
  }
  rmSync(archiveOf(fresh.filename))
  await within(fresh, archive("1"))
})

it("an empty archive is that of any ledger that has archived nothing", async () => {
  const place = file()
  await within(place, Effect.void)
  rmSync(place.filename)
  await within(place, Effect.void)
  rmSync(archiveOf(place.filename))
  await within(place, archive("1"))
})

/** Runs `pawl-receiver migrate`. */
const migrate = ({ filename }: SqlitePlace, ...args: ReadonlyArray<string>) => {
  const bin = new URL("../src/bin/pawl-receiver.ts", import.meta.url).pathname
  const all = [bin, "migrate", "--store", `sqlite:${filename}`, ...args]
  return Effect.runPromise(run(process.execPath, all, none))
}

it("migrate refuses the archive that the start refuses, and says what --archive-lost gave up", async () => {
  const place = file()
  await within(place, archive("1"))
  rmSync(archiveOf(place.filename))
  const refused = await migrate(place)
  expect([refused.code, refused.stdout]).toEqual([1, ""])
  expect(refused.stderr).toMatch(
    /^The archive \S+ has none of the transactions .* without them\n$/u
  )
  const given = await migrate(place, "--archive-lost")
  expect(given.stdout).toMatch(/^All archived transactions were given up, .*\nThe tables /u)
  expect(await migrate(place, "--archive-lost")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^The archive has every .* nothing was given up\nThe tables /u
    ) as unknown
  })
  expect(await migrate(place)).toMatchObject({ code: 0, stderr: "" })
  await within(place, Effect.void)
})

it("after migrate --archive-lost a ledger starts without the archived transactions that are lost", async () => {
  const place = file()
  await within(place, archive("1"))
  copyFileSync(archiveOf(place.filename), `${place.filename}.older`)
  await within(place, archive("2"))
  copyFileSync(`${place.filename}.older`, archiveOf(place.filename))
  const given = await migrate(place, "--archive-lost")
  expect(given.code).toBe(0)
  expect(given.stdout).toMatch(/^The newest archived transactions were given up, /u)
  await within(
    place,
    Effect.gen(function* () {
      const ledger = yield* Ledger
      expect((yield* ledger.get("card", "1"))?.told).toBe("SUCCEED")
      expect(yield* ledger.get("card", "2")).toBeUndefined()
      yield* ledger.accept(callback("2", "CHARGEBACK"), november + day)
      yield* archive("3")
    })
  )
  await within(place, Effect.void)
})
