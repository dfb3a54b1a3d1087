/**
 * The merchant of a store, so that no receiver of several merchants puts the rows of one into the ledger of another.
 *
 * The store is asked before anything uses it: a worker that starts on the rows of another merchant tells them to the wrong
 * handler within milliseconds.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { MigrationError } from "effect/sql/Migrator"
import type { Records } from "../records/Engine.ts"
import { takeOwner } from "./Settings.ts"

/** The merchant whose stores are opened; undefined in a receiver of one merchant. */
export const Merchant: Context.Reference<string | undefined> = /* @__PURE__ */ Context.Reference(
  "@pawl/webhook/internal/ledger/Owner/Merchant",
  { defaultValue: (): string | undefined => undefined }
)

/** Keeps the merchant of a store that has none, and fails if the store is that of another one. */
export const take = Effect.fnUntraced(function* (
  records: Records
): Effect.fn.Return<void, MigrationError> {
  const merchant = yield* Merchant
  if (merchant === undefined) return
  const owner = yield* Effect.orDie(takeOwner(records, merchant))
  if (owner === merchant) return
  return yield* new MigrationError({
    kind: "BadState",
    message: `The store of ${merchant} has the rows of another merchant: give each merchant the store that he had before`
  })
})
