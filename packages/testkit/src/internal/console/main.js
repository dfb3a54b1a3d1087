/**
 * The console: what the address says is shown, and kept up to date.
 */
import * as Detail from "./detail.js"
import * as Dialogs from "./dialogs.js"
import { byId, say } from "./dom.js"
import * as First from "./guide.js"
import * as List from "./list.js"
import { ask } from "./api.js"
import { follow, known, now } from "./store.js"
import { fate } from "./story.js"
import * as Tables from "./tables.js"
/** @import { Facts } from "../../Console.ts" */
/** @import { Transaction } from "../../Gateway.ts" */

const views = ["transactions", "subscriptions", "intents", "requests"]

const facts = /** @type {Facts} */ (await ask("GET", "/console/facts.json"))

const place = byId("detail", HTMLElement)
const search = byId("search", HTMLInputElement)
const announce = (/** @type {string} */ text) => {
  say(byId("error", HTMLElement), "")
  say(byId("said", HTMLElement), text)
}
const fail = (/** @type {unknown} */ error) =>
  say(byId("error", HTMLElement), error instanceof Error ? error.message : String(error))

const detail = Detail.make(place, facts, announce, fail)

/** Which list the address names, and which transaction: `#/transactions/100001`. */
const read = () => {
  const [path = "", query = ""] = window.location.hash.replace(/^#\//, "").split("?")
  const [view = "", id] = path.split("/")
  return {
    view: views.includes(view) ? view : "transactions",
    id: id === undefined || id === "" ? undefined : decodeURIComponent(id),
    search: new URLSearchParams(query).get("q")
  }
}

let address = read()
let isSnapshot = false

const render = () => {
  const { id, view } = address
  document.body.dataset["view"] = view
  for (const name of views) byId(name, HTMLElement).hidden = name !== view
  for (const link of document.querySelectorAll("nav a")) {
    if (link instanceof HTMLElement && link.dataset["view"] === view) link.ariaCurrent = "page"
    else link.ariaCurrent = null
  }
  const connection = byId("connection", HTMLElement)
  connection.dataset["state"] = known.connection
  say(
    connection,
    { connecting: "Connecting", live: "Live", lost: "Reconnecting" }[known.connection]
  )
  Dialogs.show()
  if (view === "subscriptions") {
    const charges = Map.groupBy(known.transactions.values(), (one) => one.subscriptionId)
    const all = Array.from(known.subscriptions.values(), (one) => ({
      ...one,
      charges: charges.get(one.subscriptionId) ?? []
    }))
    Tables.subscriptions(all.toReversed(), now())
  }
  if (view === "intents") Tables.intents([...known.intents.values()].toReversed(), now())
  if (view === "requests") Tables.requests([...known.requests.values()].toReversed(), now())
  if (view === "transactions" && isSnapshot) showTransactions(id)
}

/** @param {string | undefined} id */
const showTransactions = (id) => {
  const deliveriesOf = (/** @type {Transaction} */ { transactionId }) =>
    known.deliveriesOf.get(transactionId) ?? []
  const fates = (/** @type {Transaction} */ transaction) =>
    transaction.callbackUrl === undefined
      ? []
      : transaction.history.map(({ status }) =>
          fate(status, deliveriesOf(transaction), facts.retryGaps)
        )
  const transactions = [...known.transactions.values()].toReversed()
  const shown = id === undefined ? transactions[0] : known.transactions.get(id)
  document.body.toggleAttribute("data-pinned", id !== undefined)
  document.title =
    shown === undefined ? "pawl sandbox" : `${shown.status} · ${shown.transactionId} · pawl sandbox`
  List.show(transactions, shown?.transactionId, fates, now())
  if (shown !== undefined) {
    const { transactionId } = shown
    const requests = [...known.requests.values()].filter(
      (one) => one.transactionId === transactionId
    )
    detail.show(shown, deliveriesOf(shown), requests, fates(shown), now())
  } else if (id !== undefined) detail.clear(id, () => First.missing(id))
  else detail.clear("", () => First.guide(window.location.origin))
}

let isDue = false

/** Renders once a frame, however much happened. */
const changed = () => {
  if (isDue) return
  isDue = true
  requestAnimationFrame(() => {
    isDue = false
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
void follow((topic, told) => {
  if (topic === "snapshot") isSnapshot = true
  if (topic === "transaction") {
    const { status, transactionId } = /** @type {Transaction} */ (told)
    if (transactionId === address.id)
      say(byId("said", HTMLElement), `${transactionId} is ${status} now.`)
  }
  changed()
})
