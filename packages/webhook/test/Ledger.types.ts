import type * as Brand from "effect/Brand"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { Ledger, layerMemory } from "../src/Ledger.ts"
import * as LedgerSql from "../src/LedgerSql.ts"
import type { Records } from "../src/internal/records/Records.ts"
import type { RequestStore } from "../src/internal/ledger/RequestStore.ts"
import type { Incoming, Verified, Verifier } from "../src/Verifier.ts"

declare const ledger: Ledger["Service"]
declare const verifier: Verifier["Service"]
declare const incoming: Incoming
declare const verified: Verified

export const accepted = ledger.accept(verified, 0)

// @ts-expect-error: its checksum was not checked
export const unverified = ledger.accept(incoming, 0)

// @ts-expect-error: the verifier may have refused it
export const unread = ledger.accept(verifier.verify(incoming), 0)

const lookalike: Brand.Brand.Unbranded<Verified> = {
  method: verified.method,
  kind: verified.kind,
  transactionId: verified.transactionId,
  refundId: verified.refundId,
  ordered: verified.ordered,
  signed: verified.signed,
  claim: verified.claim,
  quarantine: verified.quarantine,
  secret: verified.secret,
  path: verified.path,
  body: verified.body,
  bytes: verified.bytes
}

// @ts-expect-error: only the verifier makes a verified callback
export const forged = ledger.accept(lookalike, 0)

export const handler = LedgerSql.handler({
  commit: () => Effect.flatMap(SqlClient, (sql) => sql`SELECT 1`)
})

class Orders extends Context.Service<Orders, { readonly add: Effect.Effect<void> }>()("Orders") {}

declare const transactions: LedgerSql.Transactions["Service"]

export const ran = transactions.run(
  Effect.andThen(
    SqlClient,
    Orders.use(({ add }) => add)
  )
)

type IsSame<A, B> = [A, B] extends [B, A] ? true : false

/** A commit needs only the client of the ledger. A ledger in memory has none. */
export const needs: IsSame<Layer.Services<typeof handler>, LedgerSql.Transactions> = true
/** A transaction provides the client, and leaves the other services of its work. */
export const runNeeds: IsSame<Effect.Services<typeof ran>, Orders> = true
export const isInMemory: IsSame<Layer.Success<typeof layerMemory>, Ledger | Records> = true
export const isInSql: IsSame<
  Layer.Success<typeof LedgerSql.layer>,
  Ledger | LedgerSql.Transactions | Records | RequestStore
> = true
