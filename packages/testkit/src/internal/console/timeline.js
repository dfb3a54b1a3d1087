/**
 * Everything that happened around one transaction, in the order it happened.
 */
import { h } from "./dom.js"
import { duration, dateTime, time } from "./format.js"
import { chip } from "./list.js"
import { answered, isBad, isGood } from "./story.js"
/** @import { Delivery } from "../../Courier.ts" */
/** @import { LoggedRequest as Request } from "../sandbox/RequestLog.ts" */
/** @import { Transaction } from "../../Gateway.ts" */

/**
 * One thing that happened. `span` is how long after the create, in milliseconds; of equal reads in a
 * row, `n` is how many there were.
 *
 * @typedef {{ readonly key: string, readonly at: string, readonly span: number, readonly n: number } & (
 *   | { readonly type: "request", readonly item: Request }
 *   | { readonly type: "status", readonly item: { readonly status: string } }
 *   | { readonly type: "delivery", readonly item: Delivery, readonly url: string | undefined }
 * )} Happening
 */

/** Of what happened in one millisecond: what was asked, what became of it, who was told. */
const order = { request: 0, status: 1, delivery: 2 }

/**
 * Puts together what happened.
 *
 * @param {Transaction} transaction
 * @param {ReadonlyArray<Delivery>} deliveries of the transaction
 * @param {ReadonlyArray<Request>} requests about it
 * @returns {ReadonlyArray<Happening>}
 */
export const happenings = (transaction, deliveries, requests) => {
  const { callbackUrl: url, createdTime, history } = transaction
  const start = new Date(createdTime).getTime()
  // A request is noted when it is answered; what came of the create came after it.
  const create = requests.find(
    ({ method, requestId }) => method === "POST" && requestId === transaction.requestId
  )
  const since = (/** @type {string} */ at) => new Date(at).getTime() - start
  /** @type {Array<Happening>} */
  const all = [
    ...requests.map((item) =>
      happened("request", item.id, item === create ? createdTime : item.at, item)
    ),
    ...history.map((item, index) => happened("status", String(index), item.at, item)),
    ...deliveries.map((item) => ({ ...happened("delivery", item.id, item.at, item), url }))
  ]
  /**
   * @template {Happening["type"]} Type
   * @template Item
   * @param {Type} type
   * @param {string} id
   * @param {string} at
   * @param {Item} item
   */
  function happened(type, id, at, item) {
    return { type, key: `${type} ${id}`, at, span: Math.max(0, since(at)), n: 1, item }
  }
  return all
    .toSorted((a, b) => a.at.localeCompare(b.at) || order[a.type] - order[b.type])
    .reduce(gather, /** @type {Array<Happening>} */ ([]))
}

/**
 * Takes equal reads in a row for one, because whoever polls asks often.
 *
 * @param {Array<Happening>} before
 * @param {Happening} next
 */
const gather = (before, next) => {
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
 * Makes the entry of something that happened.
 *
 * @param {Happening} happening
 * @param {(delivery: Delivery) => void} resend
 */
export const entry = (happening, resend) => {
  const { at, n, span, type } = happening
  const { body, mark } =
    type === "request"
      ? request(happening.item, n)
      : type === "status"
        ? { mark: "", body: [h("p", {}, ["Became ", chip(happening.item.status)])] }
        : delivery(happening.item, happening.url, resend)
  return h(
    "li",
    {
      "data-type": type,
      "data-mark": mark,
      "data-testid": happening.key.replace(" ", "-"),
      ...(type === "status" ? { "data-status": happening.item.status } : {})
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
      status === 0 ? " broken off" : ` answered ${status}`,
      n > 1 ? ` · ${n} times` : ""
    ]),
    h("p", { class: "fine" }, [
      requestId === undefined
        ? "Asked by the merchant"
        : `Asked by the merchant, requestId ${requestId}`,
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
        h("span", { class: mark }, [` ${answered(answer)}`])
      ]),
      h("p", { class: "fine" }, [
        `Try ${attempt}, POST ${url ?? ""}, signed in X-Checksum`,
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
