/**
 * The page: shows the view of the address, and updates it every two seconds while it is visible.
 */
import { call } from "./api.js"
import { byId, setText } from "@pawl/receiver/page/dom.js"
import * as Finder from "./finder.js"
import * as Letters from "./letters.js"
import * as Overview from "./overview.js"
import * as Redrive from "./redrive.js"
import * as Requests from "./requests.js"
import * as Transaction from "./transaction.js"
import * as Updates from "./updates.js"
/** @import { Overview as State } from "../admin/Overview.ts" */

const views = ["overview", "dead-letters", "requests", "transactions"]

/** The merchant of the page, if the receiver has several ones. */
const merchant = /^\/merchants\/([^/]+)/u.exec(window.location.pathname)?.[1]
const title = merchant === undefined ? "pawl receiver" : `${merchant} · pawl receiver`

/** Reads the view, and the transaction or the search in the address: `#/transactions/apm/100001`, `#/transactions/find/TEXT/DAY`. */
const read = () => {
  const [view = "", method = "", ...rest] = window.location.hash.replace(/^#\//, "").split("/")
  // This parser throws nothing, unlike decodeURIComponent.
  const [text = "", date = ""] = rest.map((part) => new URLSearchParams(`_=${part}`).get("_") ?? "")
  const isTransaction = view === "transactions" && text !== ""
  return {
    view: views.includes(view) ? view : "overview",
    key: isTransaction && method !== "find" ? { method, transactionId: text } : undefined,
    search: view === "transactions" && method === "find" ? { text, date } : undefined
  }
}

/** @param {string} text */
const announce = (text) => {
  setText(byId("announcement", HTMLElement), text)
  refresh()
}

/** @param {"live" | "lost"} state */
const connection = (state) => {
  const element = byId("connection", HTMLElement)
  element.dataset["state"] = state
  setText(element, state === "live" ? "Live" : "Reconnecting")
}

/** Reads the view of the address and shows it. A view that was left meanwhile is not shown. */
const update = async () => {
  const address = window.location.hash
  const { view } = read()
  const parked = Requests.read()
  // The overview tells what is wrong with a store that cannot be read.
  const [overview, requests, show] = await Promise.all([
    call("GET", "/overview"),
    parked.catch(() => null),
    loadView(view, parked).catch((error) => () => {
      throw error
    })
  ])
  if (window.location.hash !== address) return refresh()
  const state = /** @type {State} */ (overview.body)
  Overview.show(state, requests === null ? null : requests.length)
  const letters = state.backlog?.deadLetters ?? "?"
  const badge = byId("dead-letter-count", HTMLElement)
  setText(badge, String(letters))
  badge.toggleAttribute("data-any", letters !== 0)
  document.title = state.condition.ready ? title : `Not ready · ${title}`
  show()
}

/**
 * Reads the lists of a view, and returns the function that shows them.
 *
 * @param {string} view
 * @param {ReturnType<typeof Requests.read>} parked
 */
const loadView = async (view, parked) => {
  if (view === "dead-letters") return Letters.load()
  if (view === "transactions") return loadTransactions()
  if (view !== "requests") return () => {}
  const requests = await parked
  return () => Requests.show(requests)
}

/** Reads the transaction of the address, what its search found, or else the recent transactions, and returns the function that shows it. */
const loadTransactions = async () => {
  const { key, search } = read()
  if (key !== undefined) {
    Finder.hide()
    return Transaction.load(key)
  }
  const show = search === undefined ? await Finder.recent() : Finder.search(search, refresh)
  return () => {
    Transaction.hide()
    show()
  }
}

const refresh = Updates.start(update, connection)

const go = () => {
  if (window.location.hash !== "" && !window.location.hash.startsWith("#/")) return
  const { key, search, view } = read()
  for (const name of views) byId(name, HTMLElement).hidden = name !== view
  for (const link of document.querySelectorAll("nav a")) {
    if (link instanceof HTMLElement)
      link.ariaCurrent = link.dataset["view"] === view ? "page" : null
  }
  if (view === "transactions") {
    byId("id", HTMLInputElement).value = key?.transactionId ?? search?.text ?? ""
    byId("day", HTMLInputElement).value = search?.date ?? ""
    // If the next transaction cannot be read, this one would stay under its address.
    Transaction.hide()
    Finder.hide()
  }
  setText(byId("announcement", HTMLElement), "")
  window.scrollTo(0, 0)
  refresh()
}

window.addEventListener("hashchange", go)
byId("skip", HTMLAnchorElement).addEventListener("click", (event) => {
  event.preventDefault()
  byId("main", HTMLElement).focus()
})
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof Element && event.target.matches("input, select")
  if (event.key !== "/" || isTyping || document.querySelector("dialog[open]") !== null) return
  event.preventDefault()
  if (read().view !== "transactions") window.location.hash = "#/transactions"
  byId("transactions", HTMLElement).hidden = false
  byId("id", HTMLInputElement).focus()
})
byId("find", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault()
  const text = byId("id", HTMLInputElement).value.trim()
  const date = byId("day", HTMLInputElement).value
  const hash =
    text === "" && date === ""
      ? "#/transactions"
      : `#/transactions/find/${encodeURIComponent(text)}/${date}`
  Finder.forget()
  if (window.location.hash === hash) refresh()
  else window.location.hash = hash
})
if (merchant !== undefined) {
  const link = byId("merchant", HTMLAnchorElement)
  setText(link, merchant)
  link.hidden = false
}
Letters.start(refresh)
Redrive.start(announce)
go()
