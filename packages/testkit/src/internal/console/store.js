/**
 * What the console knows, and how it hears of it: a snapshot of every list, and the events since.
 *
 * **Details**
 *
 * The snapshot is taken once the events flow, and what they said in the meantime is applied after it:
 * nothing is missed. When the connection breaks, the whole is done again a second later.
 */
import { ask, listen } from "./api.js"
/** @import { SubscriptionRequest } from "@pawl/core/Subscription" */
/** @import { SubscriptionStatus } from "@pawl/core/SubscriptionStatus" */
/** @import { Delivery } from "../../Courier.ts" */
/** @import { Fault } from "../../Faults.ts" */
/** @import { Listed as Intent } from "../gateway/Intent.ts" */
/** @import { LoggedRequest as Request } from "../sandbox/RequestLog.ts" */
/** @import { Transaction } from "../../Gateway.ts" */

/**
 * What `/sandbox/subscriptions` lists.
 *
 * @typedef {{
 *   readonly subscriptionId: string
 *   readonly status: SubscriptionStatus
 *   readonly plan: SubscriptionRequest["plan"]
 *   readonly cardMask: string
 *   readonly nextChargeDate: string | null
 * }} Subscription
 */

/**
 * @template Item
 * @param {(item: Item) => string} keyOf
 */
const list = (keyOf) => ({ keyOf, items: /** @type {Map<string, Item>} */ (new Map()) })

const lists = {
  transaction: list((/** @type {Transaction} */ { transactionId }) => transactionId),
  delivery: list((/** @type {Delivery} */ { id }) => id),
  request: list((/** @type {Request} */ { id }) => id),
  subscription: list((/** @type {Subscription} */ { subscriptionId }) => subscriptionId),
  intent: list((/** @type {Intent} */ { intentId }) => intentId)
}

const paths = {
  transaction: "/sandbox/transactions",
  delivery: "/sandbox/deliveries",
  request: "/sandbox/requests",
  subscription: "/sandbox/subscriptions",
  intent: "/sandbox/intents",
  clock: "/sandbox/clock",
  faults: "/sandbox/faults"
}

/** As many requests as the sandbox itself remembers. */
const mostRequests = 500

/**
 * Everything known now, in the order it came to be. `deliveriesOf` are those of each transaction,
 * `offset` is how far the sandbox's clock is ahead of the reader's.
 */
export const known = {
  transactions: lists.transaction.items,
  deliveriesOf: /** @type {Map<string, Array<Delivery>>} */ (new Map()),
  requests: lists.request.items,
  subscriptions: lists.subscription.items,
  intents: lists.intent.items,
  faults: /** @type {ReadonlyArray<Fault>} */ ([]),
  offset: 0,
  advanced: 0,
  connection: /** @type {"connecting" | "live" | "lost"} */ ("connecting")
}

/** Tells the time as the sandbox has it, in milliseconds. */
export const now = () => new Date().getTime() + known.offset

/** @typedef {keyof typeof paths | "reset"} Topic */

/**
 * @param {Topic} topic
 * @param {unknown} told
 */
const apply = (topic, told) => {
  if (topic === "reset") forget()
  else if (topic === "clock") {
    const { advanced, now } = /** @type {{ readonly advanced: number, readonly now: string }} */ (
      told
    )
    known.offset = new Date(now).getTime() - new Date().getTime()
    known.advanced = advanced
  } else if (topic === "faults") known.faults = /** @type {ReadonlyArray<Fault>} */ (told)
  else {
    const { items, keyOf } = /** @type {ReturnType<typeof list>} */ (lists[topic])
    const key = keyOf(told)
    if (topic === "delivery" && !items.has(key)) file(/** @type {Delivery} */ (told))
    items.set(key, told)
    for (const [oldest] of items) {
      if (topic !== "request" || items.size <= mostRequests) break
      items.delete(oldest)
    }
  }
}

/** @param {Delivery} delivery */
const file = (delivery) => {
  const { transactionId } = delivery
  const filed = known.deliveriesOf.get(transactionId)
  if (filed === undefined) known.deliveriesOf.set(transactionId, [delivery])
  else filed.push(delivery)
}

const forget = () => {
  for (const { items } of Object.values(lists)) items.clear()
  known.deliveriesOf.clear()
}

/**
 * Follows the sandbox from now on, and tells of each change and of what it was about.
 *
 * @param {(topic: Topic | "connection" | "snapshot", told?: unknown) => void} changed
 * @returns {Promise<never>}
 */
export const follow = async (changed) => {
  for (;;) {
    await once(changed).catch(() => {})
    known.connection = "lost"
    changed("connection")
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}

/** @param {Parameters<typeof follow>[0]} changed */
const once = async (changed) => {
  /** @type {Array<[Topic, unknown]> | undefined} */
  let early = []
  let last = 0
  await listen(
    ({ data, event, id }) => {
      if (!isTopic(event)) return
      // Who is too slow loses events, and sees it by their numbers.
      if (last !== 0 && id !== last + 1) throw new Error("events were lost")
      last = id
      if (early !== undefined) return void early.push([event, data])
      apply(event, data)
      changed(event, data)
    },
    async () => {
      const taken = await snapshot()
      forget()
      for (const [topic, told] of [...taken, ...(early ?? [])]) apply(topic, told)
      early = undefined
      known.connection = "live"
      changed("snapshot")
    }
  )
}

/**
 * @param {string} name
 * @returns {name is Topic}
 */
const isTopic = (name) => name === "reset" || name in paths

/** @returns {Promise<Array<[Topic, unknown]>>} */
const snapshot = async () => {
  const topics = /** @type {ReadonlyArray<keyof typeof paths>} */ (Object.keys(paths))
  const answers = await Promise.all(topics.map((topic) => ask("GET", paths[topic])))
  return topics.flatMap((topic, at) => {
    const answer = answers[at]
    const items = topic in lists && Array.isArray(answer) ? answer : [answer]
    // Of requests alone the newest come first.
    return (topic === "request" ? items.toReversed() : items).map(
      (item) => /** @type {[Topic, unknown]} */ ([topic, item])
    )
  })
}
