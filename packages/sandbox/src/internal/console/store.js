/**
 * The state of the console: a snapshot of every list, and the changes since.
 *
 * **Details**
 *
 * The snapshot is read once the events arrive, and the events received in the meantime are applied after it,
 * so no change is missed. If the connection breaks, both are repeated one second later.
 */
import { call, listen } from "./api.js"
/** @import { SubscriptionRequest } from "@pawl/core/internal/RequestBodies" */
/** @import { SubscriptionStatus } from "@pawl/core/Subscription" */
/** @import { Delivery } from "@pawl/testkit/Courier" */
/** @import { Fault } from "@pawl/testkit/Faults" */
/** @import { ListedIntent as Intent } from "../sandbox/PublicForms.ts" */
/** @import { LoggedRequest as Request } from "../sandbox/RequestLog.ts" */
/** @import { Transaction } from "@pawl/testkit/Gateway" */

/**
 * A subscription as `/sandbox/subscriptions` lists it.
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

/** The number of requests that the sandbox keeps. */
const mostRequests = 500

/**
 * The current state of the sandbox, each list in order of creation. `deliveriesOf` has the deliveries of
 * each transaction; `offset` is the lead of the sandbox's clock over the browser's, in milliseconds.
 */
export const sandbox = {
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

/** Returns the time of the sandbox, in milliseconds since the epoch. */
export const now = () => new Date().getTime() + sandbox.offset

/** @typedef {keyof typeof paths | "reset"} Topic */

/**
 * @param {Topic} topic
 * @param {unknown} item
 */
const apply = (topic, item) => {
  if (topic === "reset") clear()
  else if (topic === "clock") {
    const { advanced, now } = /** @type {{ readonly advanced: number, readonly now: string }} */ (
      item
    )
    sandbox.offset = new Date(now).getTime() - new Date().getTime()
    sandbox.advanced = advanced
  } else if (topic === "faults") sandbox.faults = /** @type {ReadonlyArray<Fault>} */ (item)
  else {
    const { items, keyOf } = /** @type {ReturnType<typeof list>} */ (lists[topic])
    const key = keyOf(item)
    if (topic === "delivery" && !items.has(key)) addDelivery(/** @type {Delivery} */ (item))
    items.set(key, item)
    for (const [oldest] of items) {
      if (topic !== "request" || items.size <= mostRequests) break
      items.delete(oldest)
    }
  }
}

/** @param {Delivery} delivery */
const addDelivery = (delivery) => {
  const { transactionId } = delivery
  const deliveries = sandbox.deliveriesOf.get(transactionId)
  if (deliveries === undefined) sandbox.deliveriesOf.set(transactionId, [delivery])
  else deliveries.push(delivery)
}

const clear = () => {
  for (const { items } of Object.values(lists)) items.clear()
  sandbox.deliveriesOf.clear()
}

/**
 * Follows the sandbox, and reports each change with its item.
 *
 * @param {(topic: Topic | "connection" | "snapshot", item?: unknown) => void} changed
 * @returns {Promise<never>}
 */
export const follow = async (changed) => {
  for (;;) {
    await connect(changed).catch(() => {})
    sandbox.connection = "lost"
    changed("connection")
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}

/** @param {Parameters<typeof follow>[0]} changed */
const connect = async (changed) => {
  /** @type {Array<[Topic, unknown]> | undefined} */
  let early = []
  let last = 0
  await listen(
    ({ data, event, id }) => {
      if (!isTopic(event)) return
      // A gap in the event numbers means that events were lost.
      if (last !== 0 && id !== last + 1) throw new Error("events were lost")
      last = id
      if (early !== undefined) return void early.push([event, data])
      apply(event, data)
      changed(event, data)
    },
    async () => {
      const initial = await snapshot()
      clear()
      for (const [topic, item] of [...initial, ...(early ?? [])]) apply(topic, item)
      early = undefined
      sandbox.connection = "live"
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
  const answers = await Promise.all(topics.map((topic) => call("GET", paths[topic])))
  return topics.flatMap((topic, at) => {
    const answer = answers[at]
    const items = topic in lists && Array.isArray(answer) ? answer : [answer]
    // Only the list of requests begins with the newest.
    return (topic === "request" ? items.toReversed() : items).map(
      (item) => /** @type {[Topic, unknown]} */ ([topic, item])
    )
  })
}
