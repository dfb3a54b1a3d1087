/**
 * The list of the merchants, each with a link to his page. It is updated every two seconds while it is visible.
 */
import { call } from "./api.js"
import { byId, h, setText } from "@pawl/receiver/page/dom.js"
import { duration } from "@pawl/receiver/page/format.js"
import { table } from "./table.js"
/** @import { State as Merchant } from "../merchants/MerchantsAdmin.ts" */

/** The time between two updates, in milliseconds. */
const interval = 2000

/**
 * @param {string} text
 * @param {boolean} isBad
 */
const mark = (text, isBad) => h("span", isBad ? { class: "bad" } : {}, [text])

const show = table(
  "merchant-table",
  ["Merchant", "Accounts", "Store", "Credentials", "Due now", "Dead letters"],
  "No merchant.",
  (/** @type {Merchant} */ { id }) => id,
  ({ accounts, backlog, condition: { credentials, store }, id }) => [
    h("a", { class: "mono", href: `/merchants/${id}/` }, [id]),
    accounts.join(", "),
    mark(store, store !== "writable"),
    mark(credentials === "unknown" ? "not used yet" : credentials, credentials === "refused"),
    backlog === null
      ? mark("?", true)
      : backlog.due === 0
        ? "0"
        : `${backlog.due}, the oldest for ${duration(1000 * backlog.oldestDueSeconds)}`,
    backlog === null ? mark("?", true) : mark(String(backlog.deadLetters), backlog.deadLetters > 0)
  ]
)

const update = async () => {
  const error = byId("error", HTMLElement)
  try {
    const { body } = await call("GET", "/merchants")
    show(/** @type {ReadonlyArray<Merchant>} */ (body))
    setText(error, "")
  } catch (cause) {
    setText(
      error,
      cause instanceof TypeError || !(cause instanceof Error)
        ? "The receiver does not answer. This page shows its last answer."
        : cause.message
    )
  }
  setTimeout(refresh, interval)
}

/** Updates now, or when the page is visible again. */
const refresh = () => {
  if (document.hidden) document.addEventListener("visibilitychange", refresh, { once: true })
  else void update()
}

refresh()
