/** The store of a receiver, for its command and for those that open the store beside it. */
import { report, type Reported } from "@pawl/webhook/internal/CommandOutput"
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Arr from "effect/Array"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { statSync } from "node:fs"
import type { Ledger } from "@pawl/webhook/Ledger"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Fault from "@pawl/webhook/internal/sql/Fault"
import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import type { Records } from "@pawl/webhook/internal/records/Records"
import type { RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import { kinds } from "../internal/story/Kinds.ts"
import * as Faults from "./Faults.ts"
import * as MerchantSettings from "./MerchantSettings.ts"

export const store = Flag.String("store").pipe(
  Flag.withDescription(
    "The store of the receiver: sqlite:FILE or postgres://…; several are shards (default: PAWL_STORE)"
  ),
  Flag.atLeast(0)
)

/** The kind of a transaction, or its method. */
export const kind = Argument.Literals("kind", kinds)

const variable = Config.Redacted("PAWL_STORE").pipe(Config.withDefault(Redacted.make("")))

/**
 * Tells whether an address has a password, which every process of the machine could read in the
 * arguments.
 */
const hasPassword = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.password !== "" || url.searchParams.has("password"))
}

/** The store is memory if neither the flags nor `PAWL_STORE` name one. */
export const read = Effect.fnUntraced(function* (
  flags: ReadonlyArray<string>,
  faults: Faults.Faults,
  advice = MerchantSettings.storeAdvice
): Effect.fn.Return<NodeStore.Stores> {
  const text = Redacted.value(yield* Effect.orDie(variable))
  const isFlag = flags.length > 0
  const stores = isFlag ? NodeStore.parseEach(flags) : NodeStore.parseAll(text || "memory")
  if (stores === undefined) {
    faults.refuse(isFlag ? "--store" : "PAWL_STORE", advice)
  } else if (flags.some(hasPassword)) {
    faults.say(
      "--store",
      "cannot be used with a password, because every user of this machine can read arguments: set PAWL_STORE to this PostgreSQL address instead"
    )
  }
  return stores ?? [{ _tag: "memory" }]
})

export const inMemory = "A store in memory has no tables: give sqlite:FILE or postgres://…."

export const databases = Effect.fnUntraced(function* (flags: ReadonlyArray<string>) {
  const faults = Faults.make()
  const stores = yield* read(flags, faults, `give ${MerchantSettings.databases}`)
  const { sentences } = faults
  if (sentences.length > 0) return yield* new Faults.InvalidSettings({ sentences })
  const isNamed = flags.length > 0 || Redacted.value(yield* Effect.orDie(variable)) !== ""
  const kept = stores.filter(NodeStore.isDatabase)
  if (kept.length === stores.length && Arr.isArrayNonEmpty(kept)) return kept
  return yield* new Faults.InvalidSettings({
    sentences: [
      isNamed ? inMemory : "--store is needed: give sqlite:FILE or postgres://…, or set PAWL_STORE."
    ]
  })
})

/** Tells whether a store is a file that does not exist, which opening the store would create. */
const isMissing = (store: NodeStore.Database): store is NodeStore.Database & NodeSqlite.Options => {
  const file = store._tag === "sqlite" ? NodeSqlite.fileOf(store.filename) : undefined
  const isAbsent = () =>
    file !== undefined && statSync(file, { throwIfNoEntry: false }) === undefined
  // The start says why another file cannot be used, such as one in a directory of another user.
  return Result.getOrElse(Result.try(isAbsent), () => false)
}

export const within = <A, R>(
  flags: ReadonlyArray<string>,
  work: Effect.Effect<A, NodeStore.StoreUnusable | StoreUnavailable | Reported, R | Ledger>
): Effect.Effect<A, Reported, Exclude<R, Ledger | Records | RequestStore>> =>
  Effect.gen(function* () {
    const stores = yield* databases(flags)
    const missing = stores.find(isMissing)
    if (missing !== undefined) {
      return yield* report(
        `The SQLite file ${missing.filename} does not exist: name the store of the receiver`
      )
    }
    return yield* Effect.provide(work, NodeStore.layerExisting(...stores))
  }).pipe(
    Effect.catchTag(["InvalidSettings", "StoreUnusable"], ({ message }) => report(message)),
    Effect.catchTag("StoreUnavailable", (error) =>
      report(`The store cannot be used: ${Fault.of(error).cause}.`)
    )
  )
