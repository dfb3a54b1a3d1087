/** Follows transactions by the events of a sandbox: a line for each status and callback. */
import * as Duration from "effect/Duration"
import * as Courier from "@pawl/testkit/Courier"
import type { Transaction } from "@pawl/testkit/Gateway"
import type { Scenario } from "@pawl/testkit/Scenario"
import type { Change } from "./SandboxClient.ts"

/**
 * Follower of some transactions. `undelivered` is the number of callbacks whose first attempt
 * failed. `isRetried`: the sandbox tries one of them again.
 */
export interface Follower {
  readonly follow: (change: Change) => ReadonlyArray<string>
  /** Tells whether every transaction has ended, and the first attempt of every callback. */
  readonly isOver: () => boolean
  readonly summary: () => {
    readonly lines: ReadonlyArray<string>
    readonly undelivered: number
    readonly isRetried: boolean
  }
}

interface Followed {
  transaction: Transaction | undefined
  shown: number
  attempts: number
  delivered: number
  undelivered: number
}

/** Follows the transactions with these ids. The scenario says how their callbacks are delivered. */
export const make = (ids: ReadonlyArray<string>, { suffixes }: Scenario): Follower => {
  const all = new Map<string, Followed>(
    ids.map((id) => [
      id,
      { transaction: undefined, shown: 0, attempts: 0, delivered: 0, undelivered: 0 }
    ])
  )

  let isRetried = false

  const callbacksOf = ({ callbackUrl, history }: Transaction): number =>
    callbackUrl === undefined || suffixes.silent
      ? 0
      : (history.length - (suffixes.lost ? 1 : 0)) * (suffixes.duplicate ? 2 : 1)

  const hasEnded = ({ attempts, transaction }: Followed): boolean =>
    transaction?.isOver === true && attempts >= callbacksOf(transaction) * (suffixes.forged ? 2 : 1)

  const statuses = (followed: Followed, transaction: Transaction): ReadonlyArray<string> => {
    const fresh = transaction.history.slice(followed.shown)
    followed.transaction = transaction
    followed.shown = transaction.history.length
    return fresh.map(({ at, status }) => line(transaction, at, `status    ${status}`))
  }

  const callback = (followed: Followed, delivery: Courier.Delivery): ReadonlyArray<string> => {
    const { at, attempt, forged, status } = delivery
    if (attempt === 1) followed.attempts++
    if (attempt === 1 && !forged) followed[isDelivered(delivery) ? "delivered" : "undelivered"]++
    const { transaction } = followed
    if (transaction === undefined) return []
    const name = `${status}${forged ? " (forged)" : ""}`
    const next = nextOf(delivery)
    if (next !== "") isRetried = true
    const text = `callback  ${name.padEnd(nameWidth)}${meaningOf(delivery.answer)}${next}`
    return [line(transaction, at, text)]
  }

  return {
    follow: ({ item, name }) => {
      if (name !== "transaction" && name !== "delivery") return []
      const { transactionId } = item as Transaction | Courier.Delivery
      const followed = all.get(transactionId)
      if (followed === undefined) return []
      return name === "transaction"
        ? statuses(followed, item as Transaction)
        : callback(followed, item as Courier.Delivery)
    },
    isOver: () => [...all.values()].every(hasEnded),
    summary: () => {
      let total = 0
      const lines = Array.from(all.values(), (followed) => {
        const { delivered, transaction, undelivered } = followed
        total += undelivered
        const count = delivered + undelivered
        const callbacks =
          transaction?.callbackUrl === undefined
            ? "no --callback-url, so no callbacks"
            : count === 0
              ? "no callback was sent, as the scenario says"
              : `${delivered} of ${count} callbacks delivered`
        return `${transaction?.transactionId}  ended ${transaction?.status}: ${callbacks}`
      })
      return { lines, undelivered: total, isRetried }
    }
  }
}

const nameWidth = "CUSTOMER_VERIFICATION".length + 2

const line = ({ createdTime, transactionId }: Transaction, at: string, text: string): string => {
  const seconds = (Date.parse(at) - Date.parse(createdTime)) / 1000
  return `${transactionId}  ${seconds.toFixed(1).padStart(5)} s  ${text}`
}

const isDelivered = ({ answer }: Courier.Delivery): boolean =>
  typeof answer === "number" && answer >= 200 && answer < 300

/** Says when a callback is tried again; empty if never. */
const nextOf = (delivery: Courier.Delivery): string => {
  if (delivery.forged || isDelivered(delivery) || delivery.answer === "refused") return ""
  const gap = Courier.retryGaps[delivery.attempt - 1]
  return gap === undefined ? "; it is dropped" : `; next try in ${Duration.toMinutes(gap)} min`
}

export const resultOf = (delivery: Courier.Delivery): string =>
  `${meaningOf(delivery.answer)}${nextOf(delivery)}`

const meaningOf = (answer: Courier.Delivery["answer"]): string => {
  if (typeof answer === "number") {
    const cause = causes[answer] ?? (answer >= 300 && answer < 400 ? causes[300] : undefined)
    return `answered ${answer}${cause === undefined ? "" : ` (${cause})`}`
  }
  switch (answer) {
    case "timeout":
      return "no answer within 10 s"
    case "unreachable":
      return "no answer (does anything listen there?)"
    case "refused":
      return "not sent: the sandbox posts to no port of this machine below 1024, and to another host only with --allow-callback HOST"
  }
}

const causes: Readonly<Record<number, string>> = {
  300: "redirects are not followed",
  400: "your receiver finds it malformed",
  401: "is the merchant secret of your receiver the sandbox's?",
  403: "is the merchant secret of your receiver the sandbox's?",
  404: "is the path right?",
  405: "does the path take POST?",
  415: "does your receiver take application/json?",
  500: "your receiver failed",
  503: "your receiver is not ready"
}
