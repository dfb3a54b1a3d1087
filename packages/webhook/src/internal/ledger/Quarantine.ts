/**
 * The quarantine: verified callbacks that cannot be acted on, kept for a person.
 *
 * A sender with one genuine callback can repeat its signed fields with any others, so only 16
 * bodies of a transaction are kept: the first 15, and the last one.
 */
import { type Body, type Signed } from "@pawl/core/Callback"
import { signedNames } from "@pawl/core/internal/SignedFields"
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Json from "@pawl/core/internal/Json"
import type { Method } from "@pawl/core/Kind"
import * as Brand from "effect/Brand"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { quarantineLimit } from "../rule/RowRule.ts"
import type { Verified } from "../../Verifier.ts"
import type { Records } from "../records/Engine.ts"
import { orDie } from "../records/Known.ts"
import type { Rule } from "../records/Rule.ts"
import { eachPage, type Engines, sum } from "../records/Engines.ts"
import * as Fields from "../documents/Fields.ts"
import type { TransactionKey, Quarantined } from "../documents/Fields.ts"

/** A longer id does not fit into an index. */
const maxKey = 200

const keyOf = ({ method, transactionId }: TransactionKey): string => {
  const key = `${transactionId}\t${method}`
  if (key.length <= maxKey) return key
  const hash = Fields.hashOf(key)
  return `${key.slice(0, maxKey).replace(/\p{Cs}/gu, "")}\t${hash}\t${Fields.hashOf(key, hash)}`
}

export interface Accepted {
  /** Whether no earlier callback claimed the same status, or has the same body in quarantine. */
  readonly isNew: boolean
  /** Whether it is in quarantine, because its transaction cannot be read. */
  readonly isUnreadable?: boolean
  /** The limit that was reached; `high` is four fifths of the bytes of the store. */
  readonly reached?: "quarantine" | "bodies" | "full" | "high"
}

export const make = (engines: Engines) => {
  const findSame = Effect.fnUntraced(function* (
    records: Records,
    key: string,
    print: string,
    bytes: Uint8Array
  ) {
    for (const each of (yield* read(records, key)) ?? []) {
      if (each.print !== print) continue
      const stored = yield* records.text("quarantine", key, each.name)
      if (stored !== undefined && isSame(stored, bytes)) return each.name
    }
    return undefined
  })

  return {
    accept: Effect.fnUntraced(function* (
      { bytes, method, secret, signed }: Verified,
      reason: string | undefined,
      at: number
    ): Effect.fn.Return<Accepted, StoreUnavailable> {
      const id = { method, transactionId: signed.transactionId }
      const [records, key] = [engines.of(id), keyOf(id)]
      const print = `${bytes.length}.${Fields.hashOfBytes(bytes)}`
      const same = yield* findSame(records, key, print, bytes)
      const rule: Rule<Quarantined, Accepted> = (kept = [], version) => {
        if (kept.some(({ name }) => name === same)) {
          const value = kept.map((each) => (each.name === same ? { ...each, newestAt: at } : each))
          const put = [{ name: same ?? "", at, bytes }]
          return { value, put, result: { isNew: false } }
        }
        const name = `${version.toString(36)}.${kept.length}`
        const remove = kept.slice(quarantineLimit - 1).map((each) => each.name)
        return {
          value: [
            ...kept.slice(0, quarantineLimit - 1),
            { name, print, method, reason, secret, firstAt: at, newestAt: at }
          ],
          put: [{ name, at, bytes }],
          remove,
          result: remove.length === 0 ? { isNew: true } : { isNew: true, reached: "quarantine" }
        }
      }
      return yield* readable(records.change("quarantine", key, rule))
    }),

    /** Lists the callbacks whose body can be read, oldest first. */
    list: Effect.gen(function* () {
      const all: Array<{ readonly at: number; readonly verified: Verified }> = []
      for (const records of engines.own) {
        yield* eachPage(
          records,
          "quarantine",
          Effect.fnUntraced(function* (found) {
            for (const { key, value } of found) {
              for (const each of value) {
                const bytes = yield* records.text("quarantine", key, each.name)
                const read = bytes && Result.try(() => readBody(each.method, bytes))
                if (bytes === undefined || read === undefined || Result.isFailure(read)) continue
                all.push({ at: each.firstAt, verified: verifiedOf(each, read.success, bytes) })
              }
            }
          })
        )
      }
      return all.toSorted((one, two) => one.at - two.at).map(({ verified }) => verified)
    }),

    has: (id: TransactionKey): Effect.Effect<boolean, StoreUnavailable> =>
      Effect.map(
        Effect.forEach(engines.own, (records) => read(records, keyOf(id))),
        (kept) => kept.some((each) => each !== undefined)
      ),

    remove: (id: TransactionKey) =>
      Effect.map(
        Effect.forEach(engines.own, (records) =>
          readable(
            records.change("quarantine", keyOf(id), (kept = []) => ({
              value: undefined,
              remove: kept.map(({ name }) => name),
              result: kept.length
            }))
          )
        ),
        sum
      )
  }
}

const read = (records: Records, key: string) => readable(records.get("quarantine", key))

const readable = orDie("The quarantine of")

const isSame = (one: Uint8Array, two: Uint8Array): boolean =>
  one.length === two.length && one.every((byte, at) => byte === two[at])

const readBody = (
  method: Method,
  bytes: Uint8Array
): { readonly body: Body; readonly signed: Signed } => {
  const body = Result.getOrThrow(Json.fromBytes(bytes)) as Readonly<Record<string, string | number>>
  const [account, amount, currency, transactionId] = signedNames[method]
  const text = (name: string) => String(body[name])
  return {
    body,
    signed: {
      account: text(account),
      amount: text(amount),
      currency: text(currency),
      transactionId: text(transactionId)
    }
  }
}

const verifiedOf = (
  { method, reason, secret }: Quarantined[number],
  { body, signed }: ReturnType<typeof readBody>,
  bytes: Uint8Array
): Verified =>
  verified({
    method,
    kind: method,
    transactionId: signed.transactionId,
    refundId: undefined,
    ordered: undefined,
    signed,
    claim: undefined,
    quarantine: reason,
    secret,
    path: undefined,
    body,
    bytes
  })

const verified = Brand.nominal<Verified>()
