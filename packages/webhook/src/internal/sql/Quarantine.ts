/**
 * The quarantine in SQL: verified callbacks that cannot be acted on, kept for a person.
 *
 * **Details**
 *
 * A body is kept once, under its digest. An attacker who has one genuine callback can send its signed
 * fields again with any other fields, so only 16 bodies of a transaction are kept: the first 15, and the last one
 * that came. Callbacks of other transactions are not affected.
 */
import type { Method } from "@pawl/core/Kind"
import * as Brand from "effect/Brand"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Accepted } from "../../Ledger.ts"
import { quarantineLimit } from "../../RowRule.ts"
import type { Verified } from "../../Verifier.ts"
import { type BigInteger, readBody } from "./RowCodec.ts"

/** Returns the owner of quarantined bodies: the digest of a method and id. */
const ownerOf = (
  { digestHex }: Digest.Digest["Service"],
  { method, transactionId }: { readonly method: Method; readonly transactionId: string }
) => digestHex(Digest.sha256, new TextEncoder().encode(`${method}/${transactionId}`))

/** Deletes the quarantined bodies of a transaction, and returns their number. */
export const remove = Effect.fnUntraced(function* (
  sql: SqlClient,
  digest: Digest.Digest["Service"],
  id: { readonly method: Method; readonly transactionId: string }
): Effect.fn.Return<number, SqlError> {
  const owner = yield* ownerOf(digest, id)
  const lines = yield* sql`DELETE FROM pawl_quarantine WHERE owner = ${owner} RETURNING digest`
  return lines.length
})

/** Stores a body. */
export const store = Effect.fnUntraced(function* (
  sql: SqlClient,
  digests: Digest.Digest["Service"],
  { bytes, method, quarantine, secret, signed }: Verified,
  at: number
): Effect.fn.Return<Accepted, SqlError> {
  const owner = yield* ownerOf(digests, { method, transactionId: signed.transactionId })
  const digest = yield* digests.digestHex(Digest.sha256, bytes)
  const stored = yield* sql<{ readonly digest: string }>`
    SELECT digest FROM pawl_quarantine WHERE owner = ${owner} ORDER BY first_at, digest`
  const isFull = stored.length >= quarantineLimit && !stored.some((line) => line.digest === digest)
  if (isFull) {
    const replaced = stored.slice(quarantineLimit - 1).map((line) => line.digest)
    yield* sql`DELETE FROM pawl_quarantine WHERE owner = ${owner} AND ${sql.in("digest", replaced)}`
  }
  const [line] = yield* sql<{
    readonly count: BigInteger
  }>`INSERT INTO pawl_quarantine AS stored ${sql.insert({
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
    count = stored.count + 1, newest_at = excluded.newest_at
    RETURNING count`
  return isFull ? { isNew: true, hasReplaced: true } : { isNew: Number(line?.count) === 1 }
})

interface Columns {
  readonly method: Method
  readonly reason: string | null
  readonly secret: Verified["secret"]
  readonly body: Uint8Array
}

/** Lists the quarantined callbacks, oldest first. A body that cannot be read any more does not hide the others. */
export const list = (sql: SqlClient): Effect.Effect<ReadonlyArray<Verified>, SqlError> =>
  Effect.map(
    sql<Columns>`SELECT method, reason, secret, body FROM pawl_quarantine ORDER BY first_at, digest`,
    (lines) =>
      lines.flatMap(({ body: bytes, method, reason, secret }) => {
        const read = Result.try(() => readBody(method, bytes))
        if (Result.isFailure(read)) return []
        const { body, signed } = read.success
        const callback = verified({
          method,
          kind: method,
          transactionId: signed.transactionId,
          refundId: undefined,
          ordered: undefined,
          signed,
          claim: undefined,
          quarantine: reason ?? undefined,
          secret,
          body,
          bytes
        })
        return [callback]
      })
  )

/** Marks a stored callback as verified: it was verified before it was stored. */
const verified = Brand.nominal<Verified>()
