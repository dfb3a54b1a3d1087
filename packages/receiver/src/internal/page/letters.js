/**
 * The dead letters: pages of them, and redrives of one or of all of a reason.
 */
import { call } from "./api.js"
import { byId, copyable, h, instant, setText } from "@pawl/receiver/page/dom.js"
import { count, dateTime, kind } from "@pawl/receiver/page/format.js"
import { table } from "@pawl/receiver/page/table.js"
import * as Redrive from "./redrive.js"
import { chip, link } from "./marks.js"
/** @import { ListedDeadLetter as Letter } from "@pawl/webhook/internal/rule/TransactionReport" */

/** The dead letters that one click adds. The admin API returns at most 1,000. */
const step = 100

const chosen = byId("reason", HTMLSelectElement)
const all = byId("redrive-all", HTMLButtonElement)
const more = byId("more", HTMLButtonElement)
let limit = step

const rows = table(
  "letter-table",
  ["Transaction", "Reason", "Undelivered status", "Parked", "Calls", "Next step", "Action"],
  "No dead letters. A transaction becomes one when the handler fails for 24 hours, its amount differs from the order, or the service does not know it. There is nothing to do now.",
  (/** @type {Letter} */ { kind, transactionId }) => `${kind}-${transactionId}`,
  (letter) => [
    h("span", {}, [
      copyable(letter.transactionId, link(letter)),
      h("span", { class: "fine" }, [` ${kind(letter.kind)}`])
    ]),
    letter.reason,
    letter.to === null ? "" : chip(letter.to),
    instant(letter.at, dateTime(letter.at)),
    String(letter.attempts),
    letter.explanation,
    letter.reason === "amount-mismatch"
      ? h("a", { href: link(letter).href }, ["Compare the amounts"])
      : h(
          "button",
          {
            type: "button",
            class: "small",
            "data-testid": `redrive-${letter.transactionId}`,
            click: () => redriveOne(letter, letter.explanation)
          },
          ["Redrive"]
        )
  ]
)

/**
 * Opens the dialog for one dead letter.
 *
 * @param {{ readonly method: string, readonly transactionId: string, readonly reason: string }} letter
 * @param {string} text
 */
export const redriveOne = ({ method, reason, transactionId }, text) =>
  Redrive.open({
    path: `/dead-letters/${method}/${encodeURIComponent(transactionId)}/redrive?reason=${reason}`,
    heading:
      reason === "amount-mismatch"
        ? "Let this amount pass?"
        : `Redrive transaction ${transactionId}?`,
    text,
    button: reason === "amount-mismatch" ? "Let it pass" : "Redrive",
    done: () => `${transactionId} was redriven.`
  })

const redriveAll = () =>
  Redrive.open({
    path: `/dead-letters/redrive?reason=${chosen.value}`,
    heading: `Redrive every dead letter with ${chosen.value}?`,
    text:
      chosen.value === "amount-mismatch"
        ? "This accepts every amount that was parked. Redrive one first, and check it."
        : "Redrive one first, and check it. Choose a rate that the application can take beside its other work.",
    button: "Redrive all",
    rate: true,
    done: (body) => {
      const { lastDueAt, redriven } =
        /** @type {{ readonly redriven: number, readonly lastDueAt: string }} */ (body)
      return `${count(redriven, "dead letter")} will be redriven, the last at ${dateTime(lastDueAt)}.`
    }
  })

/**
 * Starts the view. `changed` is called when another list is to be read.
 *
 * @param {() => void} changed
 */
export const start = (changed) => {
  chosen.addEventListener("change", () => {
    limit = step
    changed()
  })
  more.addEventListener("click", () => {
    limit += step
    changed()
  })
  all.addEventListener("click", redriveAll)
}

/** Reads the dead letters, and returns the function that shows them. */
export const load = async () => {
  const query = new URLSearchParams({ limit: String(Math.min(limit, 1000)) })
  if (chosen.value !== "") query.set("reason", chosen.value)
  const { body, next } = await call("GET", `/dead-letters?${query}`)
  const letters = /** @type {ReadonlyArray<Letter>} */ (body)
  return () => {
    rows(letters)
    more.hidden = next === undefined || limit >= 1000
    all.hidden = chosen.value === "" || letters.length < 2
    setText(all, `Redrive all with ${chosen.value}`)
  }
}
