/**
 * The list of the merchants, each with a link to its page.
 */
import { call } from "./api.js"
import { h } from "@pawl/receiver/page/dom.js"
import { duration } from "@pawl/receiver/page/format.js"
import { table } from "@pawl/receiver/page/table.js"
import * as Updates from "./updates.js"
/** @import { State as Merchant } from "../merchants/MerchantsAdmin.ts" */

/**
 * @param {string} text
 * @param {boolean} isBad
 */
const mark = (text, isBad) => h("span", isBad ? { class: "bad" } : {}, [text])

const show = table(
  "merchant-table",
  ["Merchant", "Accounts", "Store", "Credentials", "Due now", "Dead letters"],
  "No merchant. Add one to the file that PAWL_MERCHANTS_FILE names, and start the receiver again.",
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

Updates.start(async () => {
  const { body } = await call("GET", "/merchants")
  show(/** @type {ReadonlyArray<Merchant>} */ (body))
})()
