/**
 * The console: shows the view of the address, and updates it.
 */
import * as Detail from "./detail.js"
import * as Dialogs from "./dialogs.js"
import { byId, setText } from "@pawl/receiver/page/dom.js"
import * as First from "./guide.js"
import * as List from "./list.js"
import { call } from "./api.js"
import { follow, sandbox, now } from "./store.js"
import { callbackState } from "./summary.js"
import * as Tables from "./tables.js"
/** @import { Facts } from "../pages/Console.ts" */
/** @import { Transaction } from "@pawl/testkit/Gateway" */

const views = ["transactions", "subscriptions", "intents", "requests"]

const facts = /** @type {Facts} */ (await call("GET", "/console/facts.json"))

const container = byId("detail", HTMLElement)
const search = byId("search", HTMLInputElement)
const announce = (/** @type {string} */ text) => {
  setText(byId("error", HTMLElement), "")
  setText(byId("announcement", HTMLElement), text)
}
const fail = (/** @type {unknown} */ error) =>
  setText(byId("error", HTMLElement), error instanceof Error ? error.message : String(error))

const detail = Detail.make(container, facts, announce, fail)

/** Reads the view and the transaction in the address: `#/transactions/100001`. */
const read = () => {
  const [path = "", query = ""] = window.location.hash.replace(/^#\//, "").split("?")
  const [view = "", id = ""] = path.split("/")
  return {
    view: views.includes(view) ? view : "transactions",
    // This parser throws nothing, unlike decodeURIComponent.
    id: new URLSearchParams(`id=${id}`).get("id") || undefined,
    search: new URLSearchParams(query).get("q")
  }
}

let address = read()
let isSnapshot = false
let shownId = /** @type {string | undefined} */ (undefined)

const render = () => {
  const { id, view } = address
  document.body.dataset["view"] = view
  for (const name of views) byId(name, HTMLElement).hidden = name !== view
  for (const link of document.querySelectorAll("nav a")) {
    if (link instanceof HTMLElement && link.dataset["view"] === view) link.ariaCurrent = "page"
    else link.ariaCurrent = null
  }
  const connection = byId("connection", HTMLElement)
  connection.dataset["state"] = sandbox.connection
  setText(
    connection,
    { connecting: "Connecting", live: "Live", lost: "Reconnecting" }[sandbox.connection]
  )
  Dialogs.show()
  if (view === "subscriptions") {
    const charges = Map.groupBy(sandbox.transactions.values(), (one) => one.subscriptionId)
    const all = Array.from(sandbox.subscriptions.values(), (one) => ({
      ...one,
      charges: charges.get(one.subscriptionId) ?? []
    }))
    Tables.subscriptions(all.toReversed(), now())
  }
  if (view === "intents") Tables.intents([...sandbox.intents.values()].toReversed(), now())
  if (view === "requests") Tables.requests([...sandbox.requests.values()].toReversed(), now())
  if (view === "transactions" && isSnapshot) showTransactions(id)
}

/** @param {string | undefined} id */
const showTransactions = (id) => {
  const deliveriesOf = (/** @type {Transaction} */ { transactionId }) =>
    sandbox.deliveriesOf.get(transactionId) ?? []
  const callbacks = (/** @type {Transaction} */ transaction) =>
    transaction.callbackUrl === undefined
      ? []
      : transaction.history.map(({ status }) =>
          callbackState(status, deliveriesOf(transaction), facts.retryGaps)
        )
  const transactions = [...sandbox.transactions.values()].toReversed()
  const shown = id === undefined ? transactions[0] : sandbox.transactions.get(id)
  shownId = shown?.transactionId
  document.body.toggleAttribute("data-pinned", id !== undefined)
  document.title =
    shown === undefined ? "pawl sandbox" : `${shown.status} · ${shown.transactionId} · pawl sandbox`
  List.show(transactions, shown?.transactionId, callbacks, now())
  if (shown !== undefined) {
    const { transactionId } = shown
    const requests = [...sandbox.requests.values()].filter(
      (one) => one.transactionId === transactionId
    )
    detail.show(shown, deliveriesOf(shown), requests, callbacks(shown), now())
  } else if (id !== undefined) detail.clear(id, () => First.missing(id))
  else detail.clear("", () => First.guide(window.location.origin, facts.stories))
}

let isScheduled = false

/** Schedules a rendering for the next frame, unless one is scheduled. */
const changed = () => {
  if (isScheduled) return
  isScheduled = true
  requestAnimationFrame(() => {
    isScheduled = false
    render()
  })
}

const go = () => {
  if (window.location.hash !== "" && !window.location.hash.startsWith("#/")) return
  address = read()
  if (address.search !== null) search.value = address.search
  window.scrollTo(0, 0)
  changed()
}

/** Keeps the newest transaction, on which a person acts, when another one comes. */
const pin = () => {
  if (shownId === undefined || address.id !== undefined) return
  window.history.replaceState(null, "", `#/transactions/${encodeURIComponent(shownId)}`)
  address = read()
  changed()
}

for (const event of ["focusin", "pointerdown"]) container.addEventListener(event, pin)
window.addEventListener("hashchange", go)
byId("skip", HTMLAnchorElement).addEventListener("click", (event) => {
  event.preventDefault()
  byId("main", HTMLElement).focus()
})
List.start(
  facts.statuses.map(({ status }) => status),
  changed
)
Dialogs.start(facts, announce)
go()
void follow((topic, item) => {
  if (topic === "snapshot") {
    isSnapshot = true
    setText(byId("error", HTMLElement), "")
  }
  if (topic === "transaction") {
    const { status, transactionId } = /** @type {Transaction} */ (item)
    if (transactionId === address.id)
      setText(byId("announcement", HTMLElement), `${transactionId} is now ${status}.`)
  }
  changed()
})
