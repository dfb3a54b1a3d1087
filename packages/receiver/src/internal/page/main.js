/**
 * The page: shows the view of the address, and updates it every two seconds while it is visible.
 */
import { call } from "./api.js"
import { byId, setText } from "@pawl/receiver/page/dom.js"
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

/** Reads the view and the transaction in the address: `#/transactions/apm/100001`. */
const read = () => {
  const [view = "", method = "", id] = window.location.hash.replace(/^#\//, "").split("/")
  const isTransaction = view === "transactions" && id !== undefined && id !== ""
  return {
    view: views.includes(view) ? view : "overview",
    key: isTransaction ? { method, transactionId: decodeURIComponent(id) } : undefined
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
  const { key, view } = read()
  const nothing = Promise.resolve(() => {})
  const [overview, requests, show] = await Promise.all([
    call("GET", "/overview"),
    Requests.read(),
    view === "dead-letters"
      ? Letters.load()
      : view === "transactions"
        ? Transaction.load(key)
        : nothing
  ])
  const now = read()
  if (now.view !== view || now.key?.transactionId !== key?.transactionId) return refresh()
  const state = /** @type {State} */ (overview.body)
  Overview.show(state, requests.length)
  Requests.show(requests)
  show()
  const letters = state.backlog?.deadLetters ?? 0
  const badge = byId("dead-letter-count", HTMLElement)
  setText(badge, String(letters))
  badge.toggleAttribute("data-any", letters > 0)
  document.title = state.condition.ready ? title : `Not ready · ${title}`
}

const refresh = Updates.start(update, connection)

const go = () => {
  if (window.location.hash !== "" && !window.location.hash.startsWith("#/")) return
  const { key, view } = read()
  for (const name of views) byId(name, HTMLElement).hidden = name !== view
  for (const link of document.querySelectorAll("nav a")) {
    if (link instanceof HTMLElement)
      link.ariaCurrent = link.dataset["view"] === view ? "page" : null
  }
  if (key !== undefined) {
    byId("method", HTMLSelectElement).value = key.method
    byId("id", HTMLInputElement).value = key.transactionId
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
byId("find", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault()
  const method = byId("method", HTMLSelectElement).value
  const id = byId("id", HTMLInputElement).value.trim()
  window.location.hash = `#/transactions/${method}/${encodeURIComponent(id)}`
})
if (merchant !== undefined) {
  const link = byId("merchant", HTMLAnchorElement)
  setText(link, merchant)
  link.hidden = false
}
Letters.start(refresh)
Redrive.start(announce)
go()
