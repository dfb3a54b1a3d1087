/**
 * The readings that the callbacks of a service show.
 */
import { signedNames } from "@pawl/core/internal/SignedFields"
import { count } from "@pawl/webhook/internal/CommandOutput"
import { isTyped } from "@pawl/webhook/internal/verify/Reading"
import { known } from "../../Readings.ts"
import { json, member, type ReceivedCallback, type Recording, text } from "./Recording.ts"
import { type Reader, seen } from "./Responses.ts"

/** After a refusal the callbacks are those of the substitute `payout.without`. */
const named = ({ callbacks }: Recording, name: string): ReadonlyArray<ReceivedCallback> =>
  callbacks.filter((callback) => callback.name.split(".")[0] === name)

/** Returns a field of a body as it is written, with its quotes. */
const written = ({ body }: ReceivedCallback, name: string): string | undefined =>
  new RegExp(`"${name}"\\s*:\\s*("[^"]*"|-?[\\d.eE+-]+)`, "u").exec(body)?.[1]

export const callbackAmount: Reader = (recording) => {
  const [first] = named(recording, "payment")
  const amount = first && (written(first, "amount") ?? written(first, "orderAmount"))
  if (first === undefined || amount === undefined) return undefined
  const evidence = `${recording.units}.10 was sent; the callback has ${amount}, signed ${first.signed ?? "otherwise"}`
  const asked = `${recording.units}.10`
  const isText = amount.startsWith('"')
  const bare = amount.replaceAll('"', "")
  if (first.signed === undefined) return seen("not signed as specified", evidence)
  if (Number(bare) === Math.round(Number(asked) * 100)) return seen("minor units", evidence)
  if (first.signed !== "as sent") return seen("number, signed with two decimals", evidence)
  if (bare === asked)
    return seen(isText ? "text as requested" : "number with two decimals", evidence)
  return seen(`${isText ? "text" : "number"} without zeros at its end`, evidence)
}

/** The attempts of a callback have the same transaction and status; without them, the same body. */
const attempts = (
  callbacks: ReadonlyArray<ReceivedCallback>
): ReadonlyArray<ReadonlyArray<ReceivedCallback>> =>
  Array.from(
    Map.groupBy(callbacks, ({ body }) => {
      const fields = json(body)
      const [id, status] = ["transactionId", "transactionStatus"].map((name) => text(fields, name))
      return id === undefined || status === undefined ? body : `${id} ${status}`
    }).values()
  )

/** After 5 minutes a callback that was not repeated counts as dropped. */
const isLongEnough = ({ waited }: Recording): boolean => waited >= 300_000

export const after401: Reader = (recording) => {
  const all = attempts(named(recording, "card-payout"))
  const refused = all.find((tries) => tries.some(({ answer }) => answer === 401))
  if (refused === undefined) return undefined
  const like500 = "sent again, as after 500"
  if (refused.length > 1) return seen(like500, `answered 401, it came ${refused.length} times`)
  if (!isLongEnough(recording)) return undefined
  return retries(recording)?.reading === "never"
    ? seen(like500, "neither is sent again")
    : seen("dropped", "answered 401, it was not repeated")
}

export const retries: Reader = (recording) => {
  const [most] = attempts(
    named(recording, "payout").filter(({ answer }) => answer === 500)
  ).toSorted((left, right) => right.length - left.length)
  if (most === undefined) return undefined
  const gaps = most
    .slice(1)
    .map(({ at }, before) => Math.round((at - (most[before]?.at ?? at)) / 60_000))
  if (gaps.length === 0) {
    return isLongEnough(recording) ? seen("never", "answered 500, it was not repeated") : undefined
  }
  const ladder = known("retries").find((name) =>
    `${name.replace(" min", "")},`.startsWith(`${gaps.join(", ")},`)
  )
  return seen(ladder ?? `${gaps.join(", ")} min`, `gaps seen: ${gaps.join(", ")} min`)
}

export const receiverTime: Reader = ({ callbacks }) => {
  const held = callbacks.find(({ heldFor }) => heldFor !== undefined)?.heldFor
  if (held === undefined) return undefined
  if (held >= 35_000) return seen("at least 35 s", "it waited for 35 s")
  // The limit began before the callback arrived, and its end arrives late.
  const seconds = Math.floor((held + 250) / 1000)
  return seen(`${seconds} s`, `it gave up after ${(held / 1000).toFixed(1)} s`)
}

export const refundCallback: Reader = (recording) => {
  const [first] = named(recording, "refund")
  const id = first && text(json(first.body), "transactionId")
  if (id === undefined) return undefined
  const reading =
    id === member(recording, "refund", "refundId")
      ? "the refund"
      : id === member(recording, "card-payment", "transactionId")
        ? "the payment"
        : "another identifier"
  return seen(reading, `the callback of a refund names ${reading} in transactionId`)
}

export const layouts: Reader = (recording) => {
  const names = ["payment", "payout", "card-payment", "card-payout", "refund", "subscription"]
  const wrong = names.flatMap((name) => {
    const [first] = named(recording, name)
    if (first === undefined) return []
    const method = new URLSearchParams(first.search).get("paymentMethod")
    if (method !== "card" && method !== "apm") return [`${name} without paymentMethod`]
    const fields = json(first.body)
    const missing = signedNames[method].filter((field) => text(fields, field) === undefined)
    return missing.length === 0 ? [] : [`${name} without ${missing.join(", ")}`]
  })
  const count = new Set(recording.callbacks.map(({ name }) => name)).size
  return count === 0
    ? undefined
    : seen(wrong.join("; ") || "by paymentMethod", `callbacks of ${count} operations`)
}

export const callbackType: Reader = ({ callbacks }) => {
  const other = callbacks.find(({ contentType }) => !isTyped(contentType, {}))?.contentType
  const type = other?.replace(/\s*;.*$/su, "")
  const reading = /^application\/json$/iu.test(type ?? "") ? other : type
  return callbacks.length === 0
    ? undefined
    : seen(
        reading === undefined ? "application/json" : reading || "none",
        count(callbacks.length, "callback")
      )
}

export const callbackQuery: Reader = ({ callbacks }) => {
  const named = callbacks.filter(({ name }) => name !== "")
  if (named.length === 0) return undefined
  const dropped = named.filter(({ isNamed }) => isNamed === false)
  return seen(
    dropped.length === 0 ? "kept" : "dropped",
    `${dropped.length} of ${named.length} callbacks came without it`
  )
}
