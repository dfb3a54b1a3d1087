/**
 * The tables of subscriptions, payment intents and requests.
 */
import { h } from "@pawl/receiver/page/dom.js"
import { money, moment } from "@pawl/receiver/page/format.js"
import { table } from "@pawl/receiver/page/table.js"
import { chip } from "./list.js"
import { isBad } from "./summary.js"
/** @import { ListedIntent as Intent } from "../sandbox/PublicForms.ts" */
/** @import { LoggedRequest as Request } from "../sandbox/RequestLog.ts" */
/** @import { Subscription } from "./store.js" */
/** @import { Transaction } from "@pawl/testkit/Gateway" */

/** Shows the subscriptions with their charges. */
export const subscriptions = table(
  "subscription-table",
  ["Subscription", "Status", "Plan", "Card", "Next charge", "Charges", "Last charge"],
  "No subscriptions yet. Tokenize a card at POST /api/v1/payments/card/tokenize, then create a subscription at POST /api/v1/payments/card/recurring.",
  (/** @type {Subscription & { readonly charges: ReadonlyArray<Transaction> }} */ one) =>
    one.subscriptionId,
  ({ cardMask, charges, nextChargeDate, plan, status, subscriptionId }, now) => {
    const last = charges.at(-1)
    return [
      h("span", { class: "mono" }, [subscriptionId]),
      chip(status),
      `${money(plan)} · ${plan.frequency}${plan.interval === 1 ? "" : ` × ${plan.interval}`}`,
      h("span", { class: "mono" }, [cardMask]),
      nextChargeDate === null ? "none" : moment(nextChargeDate, now),
      charges.length === 0
        ? "none"
        : h("a", { href: `#/transactions?q=${encodeURIComponent(subscriptionId)}` }, [
            String(charges.length)
          ]),
      last === undefined
        ? "none"
        : h("span", { class: "links" }, [
            h("a", { href: `#/transactions/${encodeURIComponent(last.transactionId)}` }, [
              moment(last.createdTime, now)
            ]),
            chip(last.status)
          ])
    ]
  }
)

/** Shows the payment intents with their pages. */
export const intents = table(
  "intent-table",
  ["Intent", "Type", "Status", "Amount", "Order", "requestId", "Pages", "Transactions"],
  "No payment intents yet. Create one at POST /api/v1/payments/intent: its response has the URL of the payment page.",
  (/** @type {Intent} */ { intentId }) => intentId,
  (intent) => [
    h("span", { class: "mono" }, [intent.intentId]),
    intent.type,
    h("span", { class: "chip", "data-state": intent.status }, [intent.status]),
    intent.amount === "" ? `the customer's choice, ${intent.currency}` : money(intent),
    intent.orderId ?? intent.title ?? "",
    intent.requestId,
    h("span", { class: "links" }, [
      ...page(intent.redirectUrl, "Hosted page"),
      ...page(intent.iframeUrl, "For an iframe")
    ]),
    h(
      "span",
      { class: "links" },
      intent.transactionIds.map((id) =>
        h("a", { href: `#/transactions/${encodeURIComponent(id)}` }, [id])
      )
    )
  ]
)

/**
 * @param {string} address
 * @param {string} text
 */
const page = (address, text) =>
  /^https?:/.test(address)
    ? [h("a", { href: address, target: "_blank", rel: "noreferrer" }, [text])]
    : []

/** Shows the requests, newest first. */
export const requests = table(
  "request-table",
  ["At", "Request", "Response", "requestId", "Transaction", "Fault"],
  "No requests yet. The base URL for clients is this address followed by /api.",
  (/** @type {Request} */ { id }) => id,
  ({ at, fault, method, path, requestId, status, transactionId }, now) => [
    moment(at, now),
    h("code", {}, [`${method} ${path}`]),
    h("span", { class: isBad(status) ? "bad" : "good" }, [
      status === 0 ? "connection reset" : String(status)
    ]),
    requestId ?? "",
    transactionId === undefined
      ? ""
      : h("a", { href: `#/transactions/${encodeURIComponent(transactionId)}` }, [transactionId]),
    fault ?? ""
  ]
)
