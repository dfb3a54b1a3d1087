/** The documents that an engine knows: values of stored lines, and its own last commits. */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import { transactionOf } from "../documents/Fields.ts"
import { unreadable } from "../rule/StoredRow.ts"
import { makeCache } from "./Cache.ts"
import { type Codecs, indexOf, type Values } from "./Codecs.ts"
import type * as DueSearch from "./DueSearch.ts"
import type { Collection, Index, Line, Text, Write } from "./Records.ts"

/** Error raised when a document cannot be read; `at` is the time since which it is listed. */
export class Unreadable extends Data.TaggedError("Unreadable")<{
  readonly key: string
  readonly at: number
}> {}

export const orDie =
  (name: string) =>
  <A>(call: Effect.Effect<A, StoreUnavailable | Unreadable>): Effect.Effect<A, StoreUnavailable> =>
    Effect.catchTag(call, "Unreadable", ({ key }) => Effect.die(notRead(name, key)))

/** Defect of a call that needs a document which cannot be read. */
class NotRead extends Data.TaggedError("NotRead")<{ readonly document: string }> {
  override get message() {
    return `${this.document} cannot be read: restore it from a backup`
  }
}

const notRead = (name: string, key: string) =>
  new NotRead({ document: `${name} ${key.replace("\t", " ")}` })

/** A document, or that there is none; `isSure` if the store said so. */
export interface Known {
  readonly value: Result.Result<unknown, Unreadable>
  readonly version: number | undefined
  readonly isSure: boolean
}

export interface Found<Value> {
  readonly key: string
  readonly value: Value
}

export const absent = (isSure: boolean): Known => ({
  value: Result.succeed(undefined),
  version: undefined,
  isSure
})

export const nowhere: Index = { due: [], listed: undefined, parts: 0, related: undefined }

export const idOf = (collection: Collection, key: string): string => `${collection} ${key}`

/** `work` wakes the workers of this process. */
export const make = <Stored>(
  codecs: Codecs<Stored>,
  cacheSize: number,
  search: ReturnType<typeof DueSearch.make>,
  work: Readonly<Record<Collection, Latch.Latch>>
) => {
  const cache = makeCache<Known>(cacheSize)

  const read = (collection: Collection, line: Line<Stored>): Known => ({
    value: Result.try({
      try: () => codecs[collection].decode(line.document, line.key),
      catch: () => new Unreadable({ key: line.key, at: line.listedAt ?? 0 })
    }),
    version: line.version,
    isSure: true
  })

  return {
    read,
    /**
     * Returns the values of lines. A transaction that cannot be read is reported as such; other
     * documents are left out. `isStrict` throws.
     */
    valuesOf: <Name extends Collection>(
      collection: Name,
      lines: ReadonlyArray<Line<Stored>>,
      isStrict = false
    ): ReadonlyArray<Found<Values[Name]>> =>
      lines.flatMap((line) => {
        const { value } = read(collection, line)
        if (isStrict && Result.isFailure(value)) throw notRead("The document", line.key)
        const found = Result.isSuccess(value)
          ? value.success
          : collection === "transactions"
            ? unreadable(transactionOf(line.key), value.failure.at)
            : undefined
        return found === undefined ? [] : [{ key: line.key, value: found as Values[Name] }]
      }),
    writeOf: (
      collection: Collection,
      { version: expected }: Known,
      {
        key,
        texts = new Map(),
        value,
        version
      }: Found<unknown> & {
        readonly version: number
        readonly texts?: ReadonlyMap<string, Text | undefined>
      }
    ): Write<Stored> => ({
      key,
      expected,
      version,
      document: value === undefined ? value : codecs[collection].encode(value),
      index: value === undefined ? nowhere : indexOf[collection](value),
      put: [...texts].flatMap(([, text]) => text ?? []),
      remove: [...texts].flatMap(([name, text]) => (text ? [] : name))
    }),
    last: (collection: Collection, key: string): Known =>
      cache.get(idOf(collection, key)) ?? absent(false),
    forget: (collection: Collection, key: string): void =>
      cache.set(idOf(collection, key), undefined),
    /** Keeps a committed document. */
    keep: (
      collection: Collection,
      { document, index, key, version }: Write<Stored>,
      value: unknown,
      wakes: boolean
    ): void => {
      const known = { value: Result.succeed(value), version, isSure: false }
      cache.set(idOf(collection, key), document === undefined ? undefined : known)
      search.note(collection, index)
      if (wakes) work[collection].openUnsafe()
    }
  }
}
