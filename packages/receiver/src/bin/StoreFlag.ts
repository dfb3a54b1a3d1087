/**
 * The store of a receiver and the kind of its transactions, for commands that open the store beside the receiver.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Kind } from "@pawl/core/Kind"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import type { Ledger } from "@pawl/webhook/Ledger"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import type { Records } from "@pawl/webhook/internal/records/Records"
import type { RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import { report, type Reported } from "./Report.ts"
import * as Settings from "./Settings.ts"

/** The flag of the store. */
export const store = Flag.String("store").pipe(
  Flag.withDescription(
    "The store of the receiver: sqlite:FILE or postgres://…; several are shards (default: PAWL_STORE)"
  ),
  Flag.atLeast(0)
)

const kinds: ReadonlyArray<Kind> = [
  "apm-payment",
  "apm-payout",
  "card-payment",
  "card-payout",
  "refund",
  "apm",
  "card"
]

/** The argument of the kind: that of a transaction, or its method. */
export const kind = Argument.Literals("kind", kinds)

/** Tells whether a store is a file that does not exist. Opening the store would create the file. */
const isMissing = (store: NodeStore.Database): store is NodeStore.Database & NodeSqlite.Options =>
  store._tag === "sqlite" && NodeSqlite.isFile(store.filename) && !existsSync(store.filename)

/** Runs work with the ledger of a store that exists, or prints why the store cannot be used. */
export const within = <A, R>(
  flags: ReadonlyArray<string>,
  work: Effect.Effect<A, StoreUnavailable | Reported, R | Ledger>
): Effect.Effect<A, Reported, Exclude<R, Ledger | Records | RequestStore>> =>
  Effect.gen(function* () {
    const stores = yield* Settings.databases(flags)
    const missing = stores.find(isMissing)
    if (missing !== undefined) {
      return yield* report(
        `The SQLite file ${missing.filename} does not exist: name the store of the receiver`
      )
    }
    return yield* Effect.provide(work, NodeStore.layer(...stores))
  }).pipe(
    Effect.catchTags({
      InvalidSettings: ({ message }) => report(message),
      StoreUnusable: ({ message }) => report(message),
      StoreUnavailable: () => report("The store does not answer.")
    })
  )
