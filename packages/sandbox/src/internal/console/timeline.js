/**
 * The timeline of one transaction: requests, statuses and deliveries in order.
 */
import { call } from "./api.js"
import { h, instant } from "@pawl/receiver/page/dom.js"
import { duration, pretty, time } from "@pawl/receiver/page/format.js"
import { chip } from "./list.js"
import { describeResult, isBad, isGood } from "./summary.js"
/** @import { Delivery } from "@pawl/testkit/Courier" */
/** @import { LoggedRequest as Request } from "../sandbox/RequestLog.ts" */
/** @import { Transaction } from "@pawl/testkit/Gateway" */

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
 * @param {Transaction} transaction
 * @param {ReadonlyArray<Delivery>} deliveries of the transaction
 * @param {ReadonlyArray<Request>} requests about it
 * @returns {ReadonlyArray<TimelineEvent>}
 */
export const timelineEvents = (transaction, deliveries, requests) => {
  const { callbackUrl: url, createdTime, history } = transaction
  const start = new Date(createdTime).getTime()
  // A request is logged with its response; the create is shown before its effects.
  // The log leaves out a requestId of unusual characters.
  const create = requests.find(
    ({ method, requestId = transaction.requestId }) =>
      method === "POST" && requestId === transaction.requestId
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
      instant(
        at,
        h("b", {}, [span === 0 ? "start" : `+${duration(span)}`]),
        h("span", {}, [time(at)])
      ),
      h("div", { class: "body" }, body)
    ]
  )
}

/**
 * Makes a disclosure that reads its bodies when it is opened, until they are read.
 *
 * @param {string} path of the control API
 * @param {ReadonlyArray<readonly [name: string, label: string]>} parts
 */
const bodies = (path, parts) => {
  const content = h("div", {}, ["Loading"])
  const details = h("details", { "data-testid": `bodies-${path.replaceAll("/", "-").slice(9)}` }, [
    h("summary", {}, [parts.map(([, label]) => label).join(" and ")]),
    content
  ])
  const load = async () => {
    const read = await call("GET", path)
    const texts = parts.map(([name, label]) => {
      const text = /** @type {unknown} */ (Reflect.get(Object(read), name))
      const shown = typeof text === "string" ? h("pre", {}, [pretty(text)]) : "No text to show."
      return h("div", {}, [h("p", { class: "fine" }, [label]), shown])
    })
    content.replaceChildren(...texts)
  }
  let isLoaded = false
  details.addEventListener("toggle", () => {
    if (!details.open || isLoaded) return
    load().then(
      () => (isLoaded = true),
      (error) => content.replaceChildren(error.message)
    )
  })
  return details
}

/**
 * @param {Request} request
 * @param {number} n
 */
const request = ({ fault, id, method, path, requestId, status }, n) => ({
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
    ]),
    bodies(
      `/sandbox/requests/${id}`,
      method === "POST" || method === "PUT"
        ? [
            ["sent", "Request"],
            ["received", "Response"]
          ]
        : [["received", "Response"]]
    )
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
      bodies(`/sandbox/deliveries/${id}`, [["body", "Callback"]]),
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
