/**
 * The list of transactions: the recent ones, or those that a search finds.
 */
import { call } from "./api.js"
import { byId, copyable, h, instant, setText } from "@pawl/receiver/page/dom.js"
import { count, dateTime, kind, money } from "@pawl/receiver/page/format.js"
import { table } from "@pawl/receiver/page/table.js"
import { chip, hrefOf, link } from "./marks.js"
/** @import { Listed } from "../admin/Transactions.ts" */

/** The most transactions that a search shows. */
const most = 200

const container = byId("transaction-table", HTMLElement)
const headline = byId("found", HTMLElement)

const rows = table(
  "transaction-table",
  ["Transaction", "Order", "Amount", "Status", "Stored"],
  "None.",
  (/** @type {Listed} */ { kind, transactionId }) => `${kind}-${transactionId}`,
  (row) => [
    h("span", {}, [
      copyable(row.transactionId, link(row)),
      h("span", { class: "fine" }, [` ${kind(row.kind)}`])
    ]),
    row.requestId === null ? "" : copyable(row.requestId),
    amountOf(row) ?? "",
    row.status === null ? h("span", { class: "fine" }, ["no status yet"]) : chip(row.status),
    instant(row.createdAt, dateTime(row.createdAt))
  ]
)

/**
 * Writes the amount of a transaction; undefined if it is not known.
 *
 * @param {Pick<Listed, "amount" | "currency">} row
 */
export const amountOf = ({ amount, currency }) =>
  amount === null
    ? undefined
    : /^[A-Z]{3}$/u.test(currency ?? "")
      ? money({ amount, currency: currency ?? "" })
      : amount

/** @typedef {{ readonly address: string, readonly found: Array<Listed>, state: "running" | "complete" | Error, pages: number }} Search */

/** @type {Search | undefined} */
let last

/** Makes the next search read the store again. */
export const forget = () => {
  last = undefined
}

export const hide = () => {
  forget()
  show([], "")
  container.hidden = true
}

/**
 * @param {ReadonlyArray<Listed>} found
 * @param {string} text
 */
const show = (found, text) => {
  container.hidden = found.length === 0
  rows(found)
  setText(headline, text)
}

/** Reads the recent transactions, and returns the function that shows them. */
export const recent = async () => {
  forget()
  const { body } = await call("GET", "/transactions")
  const found = /** @type {ReadonlyArray<Listed>} */ (body)
  const text =
    found.length === 0
      ? "No activity since this process started. Find an older transaction by the shop's order, its id, its amount or the day it was stored."
      : "The transactions with the latest activity since this process started:"
  return () => show(found, text)
}

/**
 * Searches, and returns the function that shows what was found so far. The same search runs once, or until it succeeds. `changed`
 * is called when it found more.
 *
 * @param {{ readonly text: string, readonly date: string }} asked
 * @param {() => void} changed
 */
export const search = (asked, changed) => {
  const address = addressOf(asked)
  if (last?.address !== address) {
    last = { address, found: [], state: "running", pages: 0 }
    const started = last
    run(started, changed, address).catch((error) => {
      started.state = error instanceof Error ? error : new Error("The search failed")
      changed()
    })
  }
  const { found, pages, state } = last
  if (state instanceof Error) forget()
  const [only] = found
  return () => {
    if (state === "complete" && found.length === 1 && only !== undefined && asked.text !== "") {
      window.location.replace(hrefOf(only))
    } else if (state instanceof Error) {
      show(found, state.message)
    } else if (state === "running") {
      show(found, `Searching: ${count(pages, "page")} of the store read.`)
    } else if (found.length === 0) {
      const what = asked.text === "" ? "" : ` with the order, id or amount “${asked.text}”`
      const when = asked.date === "" ? "" : ` that was stored on ${asked.date}`
      show(
        found,
        `The store has no transaction${what}${when}. Check the order in the shop. If it was paid, the overview says whether callbacks are refused.`
      )
    } else {
      const all = `${count(found.length, "transaction")}, the newest first.`
      const some = `The first ${most} transactions that the store returned. There may be newer ones: narrow the search.`
      show(found, found.length < most ? all : some)
    }
  }
}

/** @param {{ readonly text: string, readonly date: string }} asked */
const addressOf = ({ date, text }) => {
  const query = new URLSearchParams({ text })
  const start = new Date(`${date}T00:00:00`)
  if (!Number.isNaN(start.getTime())) {
    // In some time zones a day begins at 1 o'clock when the clocks change.
    const end = new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1)
    query.set("from", start.toISOString())
    query.set("before", end.toISOString())
  }
  return `/transactions?${query}`
}

/**
 * Reads the pages of a search, unless another one has begun.
 *
 * @param {Search} search
 * @param {() => void} changed
 * @param {string | undefined} next
 * @returns {Promise<void>}
 */
const run = async (search, changed, next) => {
  if (search !== last) return undefined
  if (next === undefined || search.found.length >= most) {
    search.state = "complete"
    return changed()
  }
  const page = await call("GET", next)
  search.found.push(.../** @type {ReadonlyArray<Listed>} */ (page.body))
  search.found.sort((one, two) => two.createdAt.localeCompare(one.createdAt))
  search.found.splice(most)
  search.pages++
  return run(search, changed, page.next)
}
