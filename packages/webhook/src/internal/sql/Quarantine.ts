/**
 * What verified and is not ours to understand, kept for a person to look at.
 *
 * **Details**
 *
 * A body is kept once, under its digest. Whoever saw one genuine callback can send its signed fields
 * again with anything around them, so of one transaction only so many bodies are kept; what comes then
 * is refused (503), not thrown away behind a 200. No other transaction's callback is touched by it.
 *
 * @since 0.1.0
 */
import type { Method } from "@pawl/core/Kind"
import * as Brand from "effect/Brand"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import type { Accepted } from "../../Ledger.ts"
import type { Verified } from "../../Verifier.ts"
import { mostQuarantined } from "../memory/Memory.ts"
import { type Big, read } from "./RowCodec.ts"

/** Keeps a body. */
export const keep = Effect.fnUntraced(function* (
  sql: SqlClient,
  { digestHex }: Digest.Digest["Service"],
  { bytes, method, quarantine, secret, signed }: Verified,
  at: number
): Effect.fn.Return<Accepted, SqlError> {
  const name = new TextEncoder().encode(`${method}/${signed.transactionId}`)
  const owner = yield* digestHex(Digest.sha256, name)
  const digest = yield* digestHex(Digest.sha256, bytes)
  const kept = yield* sql<{ readonly digest: string }>`
    SELECT digest FROM pawl_quarantine WHERE owner = ${owner}`
  if (kept.length >= mostQuarantined && !kept.some((each) => each.digest === digest))
    return yield* full
  const [line] = yield* sql<{
    readonly count: Big
  }>`INSERT INTO pawl_quarantine AS held ${sql.insert({
    owner,
    digest,
    method,
    reason: quarantine ?? null,
    secret,
    body: bytes,
    count: 1,
    first_at: at,
    newest_at: at
  })} ON CONFLICT (owner, digest) DO UPDATE SET
    count = held.count + 1, newest_at = excluded.newest_at
    RETURNING count`
  return { isNew: Number(line?.count) === 1 }
})

const full = new SqlError({
  reason: new UnknownError({
    message: `There are ${mostQuarantined} bodies of this transaction in quarantine`,
    cause: undefined
  })
})

/** Lists what is kept, oldest first. */
export const list = (sql: SqlClient): Effect.Effect<ReadonlyArray<Verified>, SqlError> =>
  Effect.map(
    sql<{
      readonly method: Method
      readonly reason: string | null
      readonly secret: Verified["secret"]
      readonly body: Uint8Array
    }>`SELECT method, reason, secret, body FROM pawl_quarantine ORDER BY first_at, digest`,
    (lines) =>
      lines.map(({ body, method, reason, secret }) => {
        const { fields, signed } = read(method, body)
        const quarantine = reason ?? undefined
        return restored({
          method,
          kind: method,
          transactionId: signed.transactionId,
          ordered: undefined,
          signed,
          claim: undefined,
          quarantine,
          secret,
          body: fields,
          bytes: body
        })
      })
  )

/** What is read back was verified before it was kept. */
const restored = Brand.nominal<Verified>()
