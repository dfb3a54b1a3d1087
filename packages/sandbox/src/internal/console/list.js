/**
 * The list of transactions: newest first, with search and filter.
 */
import { byId, renderList, h, setText } from "@pawl/receiver/page/dom.js"
import { count, kind, money, moment } from "@pawl/receiver/page/format.js"
import { isUndelivered } from "./summary.js"
/** @import { Transaction } from "@pawl/testkit/Gateway" */
/** @import { CallbackState } from "./summary.js" */

/** The most rows shown; a search finds the others. */
const maxRows = 200

const rows = byId("rows", HTMLOListElement)
const search = byId("search", HTMLInputElement)
const filter = byId("status-filter", HTMLSelectElement)

/**
 * Makes the list react to input: `/` focuses the search, the arrow keys move the focus.
 *
 * @param {ReadonlyArray<string>} statuses
 * @param {() => void} changed
 */
export const start = (statuses, changed) => {
  filter.append(...statuses.map((status) => h("option", { value: status }, [status])))
  search.addEventListener("input", changed)
  filter.addEventListener("input", changed)
  byId("filter", HTMLFormElement).addEventListener("submit", (event) => event.preventDefault())
  document.addEventListener("keydown", (event) => {
    const { key, target } = event
    const isTyping = target instanceof Element && target.matches("input, select, textarea")
    if (key === "/" && !isTyping && document.querySelector("dialog[open]") === null) {
      event.preventDefault()
      search.focus()
    }
  })
  rows.addEventListener("keydown", (event) => {
    const row = document.activeElement?.closest("li")
    const next =
      event.key === "ArrowDown"
        ? row?.nextElementSibling
        : event.key === "ArrowUp"
          ? row?.previousElementSibling
          : undefined
    const link = next?.querySelector("a")
    if (link === undefined || link === null) return
    event.preventDefault()
    link.focus()
  })
}

/**
 * @param {ReadonlyArray<Transaction>} transactions newest first
 * @param {string | undefined} selected
 * @param {(transaction: Transaction) => ReadonlyArray<CallbackState>} callbacks
 * @param {number} now
 */
export const show = (transactions, selected, callbacks, now) => {
  const query = search.value.trim().toLowerCase()
  const status = filter.value
  const found = transactions.filter(
    (transaction) =>
      (status === "" ||
        (status === "undelivered"
          ? isUndelivered(callbacks(transaction))
          : transaction.status === status)) &&
      (query === "" || matches(transaction, query))
  )
  const shown = found.slice(0, maxRows).map((transaction) => ({
    id: transaction.transactionId,
    status: transaction.status,
    money: money(transaction),
    order: nameOf(transaction),
    kind: kind(transaction.kind),
    at: moment(transaction.createdTime, now),
    isUndelivered: isUndelivered(callbacks(transaction)),
    isSelected: transaction.transactionId === selected
  }))
  renderList(rows, shown, ({ id }) => id, row)
  const isFiltered = query !== "" || status !== ""
  const total = count(transactions.length, "transaction")
  const cut =
    found.length > maxRows ? ` The newest ${maxRows} are shown: search for the others.` : ""
  setText(
    byId("tally", HTMLElement),
    transactions.length === 0
      ? ""
      : isFiltered
        ? `${found.length} of ${total} match${found.length === 1 ? "es" : ""}.${cut}`
        : `${total}.${cut}`
  )
}

/** @param {Transaction} transaction */
const nameOf = ({ order, requestId }) =>
  [order?.orderId, order?.title].filter((text) => text !== undefined).join(" · ") || requestId

/**
 * @param {Transaction} transaction
 * @param {string} query
 */
const matches = (transaction, query) =>
  [
    transaction.transactionId,
    transaction.requestId,
    transaction.status,
    transaction.kind,
    money(transaction),
    transaction.accountId,
    transaction.mid,
    transaction.paymentId,
    transaction.subscriptionId,
    ...Object.values(transaction.order ?? {}),
    ...Object.values(transaction.metadata ?? {})
  ].some((text) => typeof text === "string" && text.toLowerCase().includes(query))

/**
 * @param {{
 *   readonly id: string, readonly status: string, readonly money: string, readonly order: string
 *   readonly kind: string, readonly at: string, readonly isUndelivered: boolean, readonly isSelected: boolean
 * }} shown
 */
const row = ({ at, id, isSelected, isUndelivered, kind, money, order, status }) =>
  h("li", {}, [
    h(
      "a",
      {
        href: `#/transactions/${encodeURIComponent(id)}`,
        "data-testid": `transaction-${id}`,
        ...(isSelected ? { "aria-current": "true" } : {})
      },
      [
        h("span", { class: "money" }, [money]),
        chip(status),
        h("span", { class: "what" }, [`${id} · ${order}`]),
        h("span", { class: "when" }, [
          isUndelivered ? h("span", { class: "warn" }, ["undelivered callback"]) : "",
          `${kind} · ${at}`
        ])
      ]
    )
  ])

/**
 * Makes the badge of a status; it shows the name, not only a colour.
 *
 * @param {string} status
 */
export const chip = (status) => h("span", { class: "chip", "data-status": status }, [status])
