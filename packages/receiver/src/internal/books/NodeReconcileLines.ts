/**
 * The file of `reconcile` that keeps each comparison, so that a run goes on where the last one
 * ended.
 *
 * Each line is JSON. The first is the fingerprint of the store, the base URL and the merchant: a
 * hash, so that the file names none of them. Each further line is a comparison, until a run has
 * compared all. A run with another store, service or merchant does not touch the file.
 */
import * as Data from "effect/Data"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Compared } from "./DayComparison.ts"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import type * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import * as OwnFile from "@pawl/webhook/internal/NodeOwnFile"

interface Source {
  readonly service: { readonly baseUrl: string; readonly merchantKey: string }
  readonly stores: NodeStore.Stores
}

/** Error raised when a file has the comparisons of another store, service or merchant. */
export class OtherBooks extends Data.TaggedError("OtherBooks")<{ readonly file: string }> {
  override get message() {
    return `${this.file} belongs to another store, service or merchant, or to an older version of pawl: name another directory with --out`
  }
}

/**
 * Opens a file. `before` has the comparisons of unfinished runs, and `add` writes another one.
 * `finish` deletes them, so that the next run compares the whole day anew.
 */
export const open = Effect.fnUntraced(function* (file: string, source: Source) {
  const fingerprint = yield* fingerprintOf(source)
  const text = yield* OwnFile.readOrEmpty(file)
  const [first, ...rest] = text.split("\n").filter((line) => line !== "")
  const isNew = first === undefined
  if (!isNew && !hasFingerprint(parse(first), fingerprint)) return yield* new OtherBooks({ file })
  const add = (line: string) => OwnFile.append(file, `${line}\n`)
  const finish = OwnFile.write(file, `${JSON.stringify({ fingerprint })}\n`)
  // The last line of a killed run may be cut off.
  yield* isNew ? finish : add("")
  return {
    before: rest.map(parse).filter(isCompared),
    add: (compared: Compared) => add(JSON.stringify(compared)),
    finish
  }
})

const fingerprintOf = Effect.fnUntraced(function* ({ service, stores }: Source) {
  const named = yield* Effect.forEach(stores, nameOf)
  const { digestHex } = yield* Digest.Digest
  const text = JSON.stringify([named, service.baseUrl, service.merchantKey])
  return yield* digestHex(Digest.sha256, new TextEncoder().encode(text))
}, Effect.provide(Digest.layerWebCrypto))

/**
 * Returns the name of a store: the whole path of a file, or the address of a database without the
 * password.
 */
const nameOf = Effect.fnUntraced(function* (store: NodeStore.Store) {
  if (store._tag === "memory") return store._tag
  if (store._tag === "sqlite") {
    const path = yield* Path.Path
    return `sqlite:${path.resolve(NodeSqlite.fileOf(store.filename) ?? store.filename)}`
  }
  const url = new URL(Redacted.value(store.url))
  url.password = ""
  url.searchParams.delete("password")
  return url.href
})

const parse = (line: string): unknown =>
  Result.getOrUndefined(Result.try((): unknown => JSON.parse(line)))

const hasFingerprint = (json: unknown, fingerprint: string): boolean =>
  Predicate.hasProperty(json, "fingerprint") && json.fingerprint === fingerprint

const isCompared = (json: unknown): json is Compared =>
  Predicate.hasProperty(json, "scope") &&
  Predicate.hasProperty(json, "transactionId") &&
  Predicate.hasProperty(json, "theirs") &&
  Predicate.isString(json.theirs)
