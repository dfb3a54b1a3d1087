/**
 * Receivers with a bug each, as people write them.
 */
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

/** Tells of a claim once only, by a name; the rest is as it should be. */
const once =
  (name: (claim: Claim) => string | undefined, again: number): Parts["accept"] =>
  async (claim, store, shop) => {
    const note = name(claim)
    if (note === undefined) return right.accept(claim, store, shop)
    if (store.notes.has(note)) return again
    store.notes.add(note)
    return right.accept(claim, store, shop)
  }

/** Does otherwise with claims of a kind; the rest is as it should be. */
const where =
  (
    isCase: (status: Status, claim: Claim, store: Store) => boolean,
    otherwise: Parts["accept"]
  ): Parts["accept"] =>
  (claim, store, shop) => {
    const { status } = claim
    const known = typeof status === "string" && isStatus(status) ? status : undefined
    return known !== undefined && isCase(known, claim, store)
      ? otherwise(claim, store, shop)
      : right.accept(claim, store, shop)
  }

const believe: Parts["accept"] = async ({ key, status }, store) => {
  raise(store, key, status as Status)
  return 200
}

/** Shows what it has, and only then asks whether it is so. */
const showFirst: Parts["show"] = async (key, { standing }, { read }) => {
  const shown = standing.get(key)
  const [method, id] = key.split(" ") as [Method, string]
  const truth = await read(method, id).catch(() => undefined)
  if (truth !== undefined && shown !== undefined) standing.set(key, truth)
  return shown
}

/** What a store takes its time for. */
const pause = () => new Promise((resolve) => setImmediate(resolve))

const never = new Promise<never>(() => {})

const genuine = "a genuine callback is answered 200"
const repeat = "a repeat is answered 200 as the first was"
const strange = "what is signed is answered 200, understood or not"
const checksum = "a checksum that is not exactly right is answered 401"
const alike = "every failure of the checksum is answered alike"
const posted = "what is not posted is answered 405"
const large = "what is larger than 64 KiB is answered 413"
const typed = "what is not plain JSON by its header is answered 415"
const sound = "a body that is no sound JSON object is answered 400"
const field = "a signed field that can be read in two ways is answered 400"
const kind = "a callback whose kind is in doubt is answered 400"
const end = "where the service is in the end is believed, however its callbacks come"
const falls = "the rank of what is believed never falls"
const forged = "an end is believed only when the service said so"
const takes = "a forgery takes nothing from the genuine callback after it"
const ends = "of two ends the one that the service says last is believed"
const apart = "what is believed of one transaction is nothing to another"
const atOnce = "callbacks that come at once leave what they leave one by one"
const outlives = "a callback outlives a read that fails"

/** Receivers with a bug, each with a law that is to catch it. */
export const receivers: ReadonlyArray<readonly [bug: string, law: string, wrong: Partial<Parts>]> =
  [
    [
      "an amount is parsed, and written again",
      genuine,
      { parse: (bytes) => strict(bytes) && loose(bytes) }
    ],
    [
      "a callback sleeps until its order is there",
      genuine,
      {
        accept: async (claim, store, shop) =>
          (await shop.read(claim.method, claim.id).catch(() => undefined)) === undefined
            ? never
            : right.accept(claim, store, shop)
      }
    ],
    [
      "a query of the merchant's own is refused",
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
      "an unknown status is refused",
      strange,
      {
        accept: async (claim, store, shop) =>
          typeof claim.status === "string" && isStatus(claim.status)
            ? right.accept(claim, store, shop)
            : 400
      }
    ],
    [
      "decode, then compare",
      checksum,
      {
        isSigned: (expected, given) =>
          Buffer.from(expected, "base64").equals(Buffer.from(given, "base64"))
      }
    ],
    [
      "the header is trimmed",
      checksum,
      { isSigned: (expected, given) => expected === given.trim() }
    ],
    [
      "what has no checksum is let in",
      checksum,
      {
        isSigned: (expected, given) => given === "" || right.isSigned(expected, given)
      }
    ],
    [
      "it tells what is wrong with a checksum",
      alike,
      { denial: (given) => (given === null ? "no checksum" : "wrong checksum") }
    ],
    ["the method is not looked at", posted, { isPost: () => true }],
    ["bodies of any size are read", large, { maxBytes: Infinity }],
    ["the type is not looked at", typed, { isJson: () => true }],
    [
      "of two fields with one name the last is taken",
      sound,
      { parse: (bytes) => strict(bytes) ?? loose(bytes) }
    ],
    ["fields are joined as they come", field, { text: (value) => [value].join() }],
    [
      "kind confusion: the query is not looked at",
      kind,
      {
        route: (_, fields) => (["card", "apm"] as const).find((method) => has(fields, method))
      }
    ],
    [
      "kind confusion: the fields of the other kind are not looked at",
      kind,
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
      falls,
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
      "a late status shows until it is looked at",
      falls,
      {
        accept: where(
          (status, { key }, { standing }) => !isTerminal(status) && standing.has(key),
          async ({ key, status }, { standing }) => {
            standing.set(key, status as Status)
            return 200
          }
        ),
        show: showFirst
      }
    ],
    [
      "nothing comes after SUCCEED",
      end,
      {
        accept: where(
          (status, { key }, { standing }) =>
            rank(status) > rank("SUCCEED") && standing.get(key) === "SUCCEED",
          async () => 200
        )
      }
    ],
    ["a forged status is believed", forged, { accept: where(() => true, believe) }],
    [
      "a claimed FAILED is told without a read",
      forged,
      { accept: where((status) => status === "FAILED", believe) }
    ],
    [
      "a claimed end shows until it is read",
      forged,
      {
        accept: where((status) => isTerminal(status), believe),
        show: showFirst
      }
    ],
    [
      "dedup before confirm",
      takes,
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
      "the first of two ends stays",
      ends,
      {
        accept: where(
          (status) => isTerminal(status),
          async (claim, store, shop) => {
            const truth = await reading(claim, shop)
            if (truth === failed) return 500
            if (truth !== undefined) raise(store, claim.key, truth as Status)
            return 200
          }
        )
      }
    ],
    [
      "the second partial refund is dropped",
      apart,
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
      "it reads, thinks, and then writes",
      atOnce,
      {
        accept: where(
          (status) => !isTerminal(status),
          async ({ key, status }, { standing }) => {
            const held = standing.get(key)
            await pause()
            standing.set(
              key,
              held && rank(held) >= rank(status as Status) ? held : (status as Status)
            )
            return 200
          }
        )
      }
    ],
    [
      "seen before handled",
      outlives,
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
      "200 before the write",
      outlives,
      {
        accept: async (claim, store, shop) => {
          void right.accept(claim, store, shop)
          return 200
        }
      }
    ]
  ]
