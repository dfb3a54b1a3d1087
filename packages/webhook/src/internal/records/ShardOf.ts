/**
 * The shard of a transaction or of a request: a stable hash of its key, modulo the number of shards.
 *
 * The hash is FNV-1a over the characters of the key, with the last mixing steps of MurmurHash3, because the low bits of
 * FNV-1a alone are uneven for counting numbers. It must never change: rows are stored by it.
 */
import type { Method } from "@pawl/core/Kind"
import * as Fnv from "../documents/Fnv.ts"

/** The key of a transaction or of a request. */
export type ShardKey =
  | { readonly method: Method; readonly transactionId: string }
  | { readonly requestId: string }

/** Returns the position of the shard of a key. */
export const shardOf = (key: ShardKey, count: number): number => {
  // A transition has both, and belongs to its transaction.
  const text =
    "transactionId" in key ? `${key.method}/${key.transactionId}` : `request/${key.requestId}`
  let hash = Fnv.ofText(text)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % count
}
