/**
 * The timeline of one transaction: requests, statuses and deliveries in order.
 */
import { h } from "./dom.js"
import { duration, dateTime, time } from "./format.js"
import { chip } from "./list.js"
import { describeResult, isBad, isGood } from "./summary.js"
/** @import { Delivery } from "../../Courier.ts" */
/** @import { LoggedRequest as Request } from "../sandbox/RequestLog.ts" */
/** @import { Transaction } from "../../Gateway.ts" */

/**
 * One event. `span` is the time since the create in milliseconds; `n` is the number of equal reads in a row.
 *
 * @typedef {{ readonly key: string, readonly at: string, readonly span: number, readonly n: number } & (
 *   | { readonly type: "request", readonly item: Request }
 *   | { readonly type: "status", readonly item: { readonly status: string } }
 *   | { readonly type: "delivery", readonly item: Delivery, readonly url: string | undefined }
 * )} TimelineEvent
 */

/** The order within one millisecond: the request, the status, the callback. */
const order = { request: 0, status: 1, delivery: 2 }

/**
 * Returns the events of a transaction in order.
 *
 * @param {Transaction} transaction
 * @param {ReadonlyArray<Delivery>} deliveries of the transaction
 * @param {ReadonlyArray<Request>} requests about it
 * @returns {ReadonlyArray<TimelineEvent>}
 */
export const timelineEvents = (transaction, deliveries, requests) => {
  const { callbackUrl: url, createdTime, history } = transaction
  const start = new Date(createdTime).getTime()
  // A request is logged with its response; the create is shown before its effects.
  const create = requests.find(
    ({ method, requestId }) => method === "POST" && requestId === transaction.requestId
  )
  const since = (/** @type {string} */ at) => new Date(at).getTime() - start
  /** @type {Array<TimelineEvent>} */
  const all = [
    ...requests.map((item) =>
      makeEvent("request", item.id, item === create ? createdTime : item.at, item)
    ),
    ...history.map((item, index) => makeEvent("status", String(index), item.at, item)),
    ...deliveries.map((item) => ({ ...makeEvent("delivery", item.id, item.at, item), url }))
  ]
  /**
   * @template {TimelineEvent["type"]} Type
   * @template Item
   * @param {Type} type
   * @param {string} id
   * @param {string} at
   * @param {Item} item
   */
  function makeEvent(type, id, at, item) {
    return { type, key: `${type} ${id}`, at, span: Math.max(0, since(at)), n: 1, item }
  }
  return all
    .toSorted((a, b) => a.at.localeCompare(b.at) || order[a.type] - order[b.type])
    .reduce(mergeReads, /** @type {Array<TimelineEvent>} */ ([]))
}

/**
 * Merges equal reads in a row into one event, because a merchant may poll often.
 *
 * @param {Array<TimelineEvent>} before
 * @param {TimelineEvent} next
 */
const mergeReads = (before, next) => {
  const last = before.at(-1)
  const isAgain =
    last?.type === "request" &&
    next.type === "request" &&
    next.item.method === "GET" &&
    ["method", "path", "status", "fault"].every(
      (name) => Reflect.get(last.item, name) === Reflect.get(next.item, name)
    )
  return isAgain ? [...before.slice(0, -1), { ...last, n: last.n + 1 }] : [...before, next]
}

/**
 * Makes the element of an event.
 *
 * @param {TimelineEvent} event
 * @param {(delivery: Delivery) => void} resend
 */
export const entry = (event, resend) => {
  const { at, n, span, type } = event
  const { body, mark } =
    type === "request"
      ? request(event.item, n)
      : type === "status"
        ? { mark: "", body: [h("p", {}, ["Became ", chip(event.item.status)])] }
        : delivery(event.item, event.url, resend)
  return h(
    "li",
    {
      "data-type": type,
      "data-mark": mark,
      "data-testid": event.key.replace(" ", "-"),
      ...(type === "status" ? { "data-status": event.item.status } : {})
    },
    [
      h("time", { datetime: at, title: dateTime(at) }, [
        h("b", {}, [span === 0 ? "start" : `+${duration(span)}`]),
        h("span", {}, [time(at)])
      ]),
      h("div", { class: "body" }, body)
    ]
  )
}

/**
 * @param {Request} request
 * @param {number} n
 */
const request = ({ fault, method, path, requestId, status }, n) => ({
  mark: isBad(status) ? "bad" : "",
  body: [
    h("p", {}, [
      h("code", {}, [`${method} ${path}`]),
      status === 0 ? " connection reset" : ` answered ${status}`,
      n > 1 ? ` · ${n} times` : ""
    ]),
    h("p", { class: "fine" }, [
      requestId === undefined
        ? "Request of the merchant"
        : `Request of the merchant, requestId ${requestId}`,
      ...(fault === undefined ? [] : [" · ", h("strong", {}, [`fault ${fault}`])])
    ])
  ]
})

/**
 * @param {Delivery} delivery
 * @param {string | undefined} url
 * @param {(delivery: Delivery) => void} resend
 */
const delivery = (delivery, url, resend) => {
  const { answer, attempt, forged, id, status } = delivery
  const mark = isGood(answer) ? "good" : "bad"
  return {
    mark,
    body: [
      h("p", {}, [
        forged ? h("strong", { class: "warn" }, ["Forged callback "]) : "Callback ",
        h("span", { class: "mono" }, [status]),
        h("span", { class: mark }, [` ${describeResult(answer)}`])
      ]),
      h("p", { class: "fine" }, [
        `Attempt ${attempt}, POST ${url ?? ""}, signed in X-Checksum`,
        forged ? "; the checksum does not cover the status, so it verifies" : ""
      ]),
      h(
        "button",
        {
          type: "button",
          class: "small",
          "aria-label": `Resend callback ${id}, ${status}`,
          "data-testid": `resend-${id}`,
          click: () => resend(delivery)
        },
        ["Resend"]
      )
    ]
  }
}
