/** The files of `reconcile`: regular files, which only their owner may read. */
import { makeFolder } from "@pawl/test-support/Folder"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Path } from "effect/Path"
import * as Redacted from "effect/Redacted"
import fs, { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { vi } from "vitest"
import * as OwnFile from "@pawl/webhook/internal/NodeOwnFile"
import * as ReconcileLines from "../src/internal/books/NodeReconcileLines.ts"
import { test as virtual } from "@pawl/test-support/Tests"

const test = virtual.with(() => NodeServices.layer)

const directory = makeFolder()
const modeOf = (file: string) => statSync(file).mode & 0o777

const merchant = {
  service: {
    baseUrl: "http://127.0.0.1:9/api",
    merchantKey: "key",
    merchantSecret: Redacted.make("secret")
  },
  stores: [{ _tag: "memory" }]
} as const

const compared = {
  scope: "card",
  kind: "card-payment",
  transactionId: "1",
  requestId: null,
  amount: null,
  currency: null,
  ours: null,
  theirs: "SUCCEED"
} as const

const device = join(directory, "device")
symlinkSync("/dev/null", device)

describe("a file of reconcile", () => {
  test("is for its owner alone, even if an older one was for everybody", function* () {
    const lines = join(directory, "lines.jsonl")
    yield* ReconcileLines.open(lines, merchant)
    expect(modeOf(lines)).toBe(0o600)
    const books = join(directory, "books.csv")
    writeFileSync(books, "")
    chmodSync(books, 0o644)
    yield* OwnFile.write(books, "a,b")
    expect(modeOf(books)).toBe(0o600)
  })

  test("is for its owner alone, whatever has the name under which it is written", function* () {
    const books = join(directory, "new.csv")
    const written = `${books}.${process.pid}.new`
    const elsewhere = join(directory, "elsewhere")
    writeFileSync(elsewhere, "")
    symlinkSync(elsewhere, written)
    yield* OwnFile.write(books, "a,b")
    expect(readFileSync(elsewhere, "utf8")).toBe("")
    writeFileSync(written, "")
    chmodSync(written, 0o666)
    yield* OwnFile.write(books, "c,d")
    expect([readFileSync(books, "utf8"), modeOf(books)]).toEqual(["c,d", 0o600])
  })

  test("A44: is not written through a link that another user makes at the last moment", function* () {
    const books = join(directory, "raced.csv")
    const elsewhere = join(directory, "elsewhere-too")
    writeFileSync(elsewhere, "")
    const remove = fs.rmSync
    const spy = vi.spyOn(fs, "rmSync").mockImplementationOnce((path, options) => {
      remove(path, options)
      symlinkSync(elsewhere, path)
    })
    syncBuiltinESMExports()
    const error = yield* Effect.flip(OwnFile.write(books, "a,b"))
    spy.mockRestore()
    syncBuiltinESMExports()
    expect(error.message).toContain("EEXIST")
    expect(readFileSync(elsewhere, "utf8")).toBe("")
  })

  test("is the same, whether a path or a URI names the store", function* () {
    const lines = join(directory, "store.jsonl")
    const openWith = (filename: string) =>
      ReconcileLines.open(lines, { ...merchant, stores: [{ _tag: "sqlite", filename }] })
    const store = join(directory, "a b.db")
    yield* openWith(store)
    yield* openWith(`file:${directory}/a%20b.db?cache=private`)
    expect((yield* Effect.flip(openWith("file:other.db")))._tag).toBe("OtherBooks")
  })

  test("belongs to one store, service and merchant key, and is not touched for another one", function* () {
    const lines = join(directory, "one.jsonl")
    const openAs = (change: object, filename = "a.db") =>
      ReconcileLines.open(lines, {
        service: { ...merchant.service, ...change },
        stores: [{ _tag: "sqlite", filename }]
      })
    yield* (yield* openAs({})).add(compared)
    const before = readFileSync(lines, "utf8")
    expect(before).toMatch(/^\{"fingerprint":"[0-9a-f]{64}"\}\n/u)
    const others = [
      openAs({}, "b.db"),
      openAs({ baseUrl: "http://127.0.0.1:2/api" }),
      openAs({ merchantKey: "another" })
    ]
    for (const other of others) {
      const { message } = yield* Effect.flip(other)
      expect(message).toMatch(
        /\.jsonl belongs to another store.*: name another directory with --out$/u
      )
      expect(readFileSync(lines, "utf8")).toBe(before)
    }
    const { before: known } = yield* openAs({ merchantSecret: Redacted.make("a new one") })
    expect(known).toEqual([compared])
    const older = JSON.stringify(compared)
    writeFileSync(lines, older)
    expect((yield* Effect.flip(openAs({}))).message).toContain("an older version of pawl")
    expect(readFileSync(lines, "utf8")).toBe(older)
  })

  test("goes on after a line that a killed run cut off, until the run has finished", function* () {
    const lines = join(directory, "cut.jsonl")
    const open = ReconcileLines.open(lines, merchant)
    yield* (yield* open).add(compared)
    writeFileSync(lines, '{"scope":"card","transac', { flag: "a" })
    const second = yield* open
    expect(second.before).toEqual([compared])
    yield* second.add({ ...compared, transactionId: "2" })
    expect((yield* open).before).toHaveLength(2)
    yield* second.finish
    expect((yield* open).before).toEqual([])
  })

  it.effect.each([
    [device, "it is not a regular file"],
    [directory, "it is a directory"]
  ] as const)("is no device and no folder: %s", ([path, reason]) =>
    Effect.gen(function* () {
      const mode = modeOf(path)
      const tries: ReadonlyArray<Effect.Effect<unknown, { readonly message: string }, Path>> = [
        OwnFile.check(path),
        OwnFile.read(path),
        OwnFile.write(path, "text"),
        ReconcileLines.open(path, merchant)
      ]
      for (const attempt of tries) {
        expect((yield* Effect.flip(attempt)).message).toBe(`${path} cannot be used: ${reason}`)
      }
      expect(modeOf(path)).toBe(mode)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("the directory of an option", () => {
  test("is made with those above it", function* () {
    const inner = join(directory, "a", "b")
    yield* OwnFile.makeDirectory("--out", inner)
    yield* OwnFile.makeDirectory("--out", inner)
    expect(statSync(inner).isDirectory()).toBe(true)
  })

  test("may be made by another process at the same time", function* () {
    const make = fs.mkdirSync
    const spy = vi.spyOn(fs, "mkdirSync").mockImplementation((path) => {
      make(path)
      return make(path) as undefined
    })
    syncBuiltinESMExports()
    yield* OwnFile.makeDirectory("--out", join(directory, "c", "d"))
    spy.mockRestore()
    syncBuiltinESMExports()
    yield* OwnFile.makeDirectory("--out", `${directory}/e/../f`)
    expect(statSync(join(directory, "f")).isDirectory()).toBe(true)
  })

  const text = join(directory, "text")
  writeFileSync(text, "")
  // A recursive call of Node never returns in /proc.
  virtual.each(["/proc/x/y", text, join(text, "x"), ""])("is refused: %s", function* (path) {
    expect((yield* Effect.flip(OwnFile.makeDirectory("--out", path))).message).toBe(
      `--out ${path} cannot be used: give a directory that exists or can be made`
    )
  })
})
