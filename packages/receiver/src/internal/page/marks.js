/** The small marks in the tables of the page. */
import { h } from "@pawl/receiver/page/dom.js"

/**
 * Makes the mark of a status.
 *
 * @param {string} status
 */
export const chip = (status) => h("span", { class: "chip", "data-status": status }, [status])

/** @typedef {{ readonly method: string, readonly transactionId: string }} Named */

/**
 * Returns the address of a transaction.
 *
 * @param {Named} transaction
 */
export const hrefOf = ({ method, transactionId }) =>
  `#/transactions/${method}/${encodeURIComponent(transactionId)}`

/**
 * @param {Named} transaction
 */
export const link = (transaction) =>
  h("a", { class: "mono", href: hrefOf(transaction) }, [transaction.transactionId])
