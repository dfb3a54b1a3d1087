import { isStatus, isTerminal, rank, type Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import {
  type Claim,
  failed,
  has,
  loose,
  type Parts,
  raise,
  reading,
  right,
  type Store,
  strict
} from "./receiver.ts"

/** Accepts a claim once, by a key. Claims without a key are handled correctly. */
const once =
  (keyOf: (claim: Claim) => string | undefined, again: number): Parts["accept"] =>
  async (claim, store, shop) => {
    const note = keyOf(claim)
    if (note === undefined) return right.accept(claim, store, shop)
    if (store.notes.has(note)) return again
    store.notes.add(note)
    return right.accept(claim, store, shop)
  }

const where =
  (
    isCase: (status: Status, claim: Claim, store: Store) => boolean,
    alternative: Parts["accept"]
  ): Parts["accept"] =>
  (claim, store, shop) => {
    const { status } = claim
    const known = typeof status === "string" && isStatus(status) ? status : undefined
    return known !== undefined && isCase(known, claim, store)
      ? alternative(claim, store, shop)
      : right.accept(claim, store, shop)
  }

const applyClaim: Parts["accept"] = async ({ key, status }, store) => {
  raise(store, key, status as Status)
  return 200
}

const showBeforeRead: Parts["show"] = async (key, { standing }, { read }) => {
  const shown = standing.get(key)
  const [method, id] = key.split(" ") as [Method, string]
  const actual = await read(method, id).catch(() => undefined)
  if (actual !== undefined && shown !== undefined) standing.set(key, actual)
  return shown
}

/** Stands for the time that a write takes. */
const pause = () => new Promise((resolve) => setImmediate(resolve))

const neverSettles = new Promise<never>(() => {})

const genuine = "a genuine callback is answered 200"
const numberAmount = "a genuine callback whose amount is a JSON number is answered 200"
const repeat = "a repeated callback is answered 200, like the first"
const unknownContent = "a callback with a valid checksum and unknown content is answered 200"
const checksum = "a checksum that is not exactly right is answered 401"
const sameRefusal = "every wrong checksum is answered alike"
const httpMethod = "an HTTP method other than POST is answered 405"
const bodySize = "a body larger than 64 KiB is answered 413"
const mediaType = "a content type or encoding other than plain JSON is answered 415"
const wellFormed = "a body that is not one well-formed JSON object is answered 400"
const signedFields = "an ambiguous signed field is answered 400"
const ambiguousKind = "a callback of an ambiguous kind is answered 400"
const lastStatus =
  "the receiver ends at the service's last terminal status, however the callbacks arrive"
const rankNeverFalls = "the rank of the reported status never falls"
const serviceFirst = "a terminal status is reported only after the service has it"
const notSuppressed = "a forged callback does not suppress the genuine one after it"
const twoTerminal = "after two terminal statuses the receiver reports the service's last one"
const afterCancelled = "a late status does not replace CANCELLED"
const separate = "the status of one transaction does not affect another"
const unsignedName =
  "a callback does not affect the transaction that only an unsigned field names (A27)"
const concurrent = "concurrent callbacks end at the same status as sequential ones"
const failedRead = "a failed read does not lose a callback"

/** Planted bugs, each with the law that catches it. */
export const receivers: ReadonlyArray<readonly [bug: string, law: string, wrong: Partial<Parts>]> =
  [
    [
      "an amount is parsed and written again",
      numberAmount,
      { parse: (bytes) => strict(bytes) && loose(bytes) }
    ],
    [
      "a callback waits until its order exists",
      genuine,
      {
        accept: async (claim, store, shop) =>
          (await shop.read(claim.method, claim.id).catch(() => undefined)) === undefined
            ? neverSettles
            : right.accept(claim, store, shop)
      }
    ],
    [
      "the merchant's own query parameters are refused",
      genuine,
      {
        route: (query, fields) =>
          query.has("order") || query.has("q") ? undefined : right.route(query, fields)
      }
    ],
    [
      "a repeat is refused while the transaction is open",
      repeat,
      {
        accept: once(({ body, status }) => (isTerminal(status as Status) ? undefined : body), 409)
      }
    ],
    [
      "a repeat is refused after the transaction has ended",
      repeat,
      {
        accept: where(
          (status, { key }, { standing }) => isTerminal(status) && standing.get(key) === status,
          async () => 409
        )
      }
    ],
    [
      "a late callback is refused",
      repeat,
      {
        accept: where(
          (status, { key }, { standing }) =>
            rank(status) < rank(standing.get(key) ?? ("" as Status)),
          async () => 409
        )
      }
    ],
    [
      "an unknown status of an APM payment is refused",
      unknownContent,
      {
        accept: async (claim, store, shop) =>
          claim.method === "apm" && !isStatus(claim.status) ? 400 : right.accept(claim, store, shop)
      }
    ],
    [
      "the checksum is decoded before it is compared",
      checksum,
      {
        isSigned: (expected, given) =>
          Buffer.from(expected, "base64").equals(Buffer.from(given, "base64"))
      }
    ],
    [
      "the checksum header is trimmed",
      checksum,
      { isSigned: (expected, given) => expected === given.trim() }
    ],
    [
      "a callback without a checksum is accepted",
      checksum,
      {
        isSigned: (expected, given) => given === "" || right.isSigned(expected, given)
      }
    ],
    [
      "the response says why the checksum is wrong",
      sameRefusal,
      { denial: (given) => (given === null ? "no checksum" : "wrong checksum") }
    ],
    ["the HTTP method is not checked", httpMethod, { isPost: () => true }],
    ["a body may have 66,000 bytes", bodySize, { maxBytes: 66_000 }],
    ["the content type is not checked", mediaType, { isJson: () => true }],
    [
      "the content type only has to name JSON",
      mediaType,
      {
        isJson: (type, encoding) => right.isJson(type.replace("problem+json", "json"), encoding)
      }
    ],
    [
      "the last of two fields with one name is taken",
      wellFormed,
      { parse: (bytes) => strict(bytes) ?? loose(bytes) }
    ],
    [
      "the text after the first object is ignored",
      wellFormed,
      { parse: (bytes) => strict(bytes) ?? strict(bytes.subarray(0, bytes.lastIndexOf(0x7b))) }
    ],
    [
      "signed fields are joined without validation",
      signedFields,
      { text: (value) => [value].join() }
    ],
    [
      "kind confusion: the query is not checked",
      ambiguousKind,
      {
        route: (_, fields) => (["card", "apm"] as const).find((method) => has(fields, method))
      }
    ],
    [
      "kind confusion: the fields of the other kind are not checked",
      ambiguousKind,
      {
        route: (query, fields) =>
          right.route(
            query,
            Object.fromEntries(
              Object.entries(fields).filter(
                ([name]) => query.get("paymentMethod") === "apm" || name !== "accountId"
              )
            )
          )
      }
    ],
    [
      "no rank check: last write wins",
      rankNeverFalls,
      {
        accept: where(
          (status) => !isTerminal(status),
          async ({ key, status }, { standing }) => {
            standing.set(key, status as Status)
            return 200
          }
        )
      }
    ],
    [
      "a late status is shown until the next read",
      rankNeverFalls,
      {
        accept: where(
          (status, { key }, { standing }) => !isTerminal(status) && standing.has(key),
          async ({ key, status }, { standing }) => {
            standing.set(key, status as Status)
            return 200
          }
        ),
        show: showBeforeRead
      }
    ],
    [
      "no status is stored after SUCCEED",
      lastStatus,
      {
        accept: where(
          (status, { key }, { standing }) =>
            rank(status) > rank("SUCCEED") && standing.get(key) === "SUCCEED",
          async () => 200
        )
      }
    ],
    ["a forged status is stored", serviceFirst, { accept: where(() => true, applyClaim) }],
    [
      "a claimed FAILED is stored without a read",
      serviceFirst,
      { accept: where((status) => status === "FAILED", applyClaim) }
    ],
    [
      "a claimed terminal status is shown until the next read",
      serviceFirst,
      {
        accept: where((status) => isTerminal(status), applyClaim),
        show: showBeforeRead
      }
    ],
    [
      "a claim is stored if the read fails",
      serviceFirst,
      {
        accept: where(isTerminal, async (claim, store, shop) => {
          const isFailed = (await reading(claim, shop)) === failed
          return (isFailed ? applyClaim : right.accept)(claim, store, shop)
        })
      }
    ],
    [
      "a callback is marked as seen before its status is confirmed",
      notSuppressed,
      {
        accept: async (claim, store, shop) => {
          const note = `${claim.key} ${String(claim.status)}`
          if (store.notes.has(note)) return 200
          const answer = await right.accept(claim, store, shop)
          if (answer === 200) store.notes.add(note)
          return answer
        }
      }
    ],
    [
      "the first of two terminal statuses is kept",
      twoTerminal,
      {
        accept: where(
          (status) => isTerminal(status),
          async (claim, store, shop) => {
            const actual = await reading(claim, shop)
            if (actual === failed) return 500
            if (actual !== undefined) raise(store, claim.key, actual as Status)
            return 200
          }
        )
      }
    ],
    [
      "CANCELLED ranks below PROCESSING if no SUCCEED was claimed",
      afterCancelled,
      {
        accept: where(
          (status, { key }, { notes, standing }) => {
            if (status === "SUCCEED") notes.add(key)
            return status === "PROCESSING" && standing.get(key) === "CANCELLED" && !notes.has(key)
          },
          async ({ key }, { standing }) => {
            standing.set(key, "PROCESSING")
            return 200
          }
        )
      }
    ],
    [
      "the second partial refund is dropped",
      separate,
      {
        accept: once(
          ({ fields, status }) =>
            fields["refundId"] === undefined || !isTerminal(status as Status)
              ? undefined
              : [fields["mid"], fields["orderAmount"], status].join(),
          200
        )
      }
    ],
    [
      "a refund is found by its refundId, which is not signed",
      unsignedName,
      {
        accept: (claim, store, shop) => {
          const { fields, id, method } = claim
          const { refundId = id } = fields
          return right.accept({ ...claim, key: `${method} ${String(refundId)}` }, store, shop)
        }
      }
    ],
    [
      "a concurrent write is overwritten",
      concurrent,
      {
        accept: where(
          (status) => !isTerminal(status),
          async ({ key, status }, { standing }) => {
            const stored = standing.get(key)
            await pause()
            standing.set(
              key,
              stored && rank(stored) >= rank(status as Status) ? stored : (status as Status)
            )
            return 200
          }
        )
      }
    ],
    [
      "a callback is marked as seen before it is handled",
      failedRead,
      {
        accept: async (claim, store, shop) => {
          const note = `${claim.key} ${String(claim.status)}`
          if (store.notes.has(note)) return 200
          store.notes.add(note)
          const answer = await right.accept(claim, store, shop)
          if (answer === 200) store.notes.delete(note)
          return answer
        }
      }
    ],
    [
      "200 is answered before the write of an APM payment",
      failedRead,
      {
        accept: async (claim, store, shop) => {
          const accepted = right.accept(claim, store, shop)
          return claim.method === "apm" ? 200 : accepted
        }
      }
    ]
  ]
