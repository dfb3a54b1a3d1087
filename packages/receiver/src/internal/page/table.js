/**
 * Tables, and the small marks in them.
 */
import { byId, h, renderList } from "@pawl/receiver/page/dom.js"

/** @typedef {string | Node} Cell */

/** The headings of columns of numbers, which are aligned at their ends. */
const numbers = new Set(["Amount", "Calls", "Dead letters", "Failed calls", "Times"])

/**
 * Makes a table with a message that is shown when it is empty.
 *
 * @template Item
 * @param {string} id
 * @param {ReadonlyArray<string>} headings
 * @param {string} empty
 * @param {(item: Item) => string} keyOf
 * @param {(item: Item) => ReadonlyArray<Cell>} cells
 */
export const table = (id, headings, empty, keyOf, cells) => {
  const container = byId(id, HTMLElement)
  const body = h("tbody")
  const kindOf = (/** @type {string} */ heading) => (numbers.has(heading) ? "number" : undefined)
  const head = headings.map((heading) =>
    h("th", { scope: "col", class: kindOf(heading) }, [heading])
  )
  const full = h("table", {}, [h("thead", {}, [h("tr", {}, head)]), body])
  const message = h("p", { class: "empty" }, [empty])
  return (/** @type {ReadonlyArray<Item>} */ items) => {
    const shown = items.length === 0 ? message : full
    if (container.firstChild !== shown) container.replaceChildren(shown)
    renderList(body, items, keyOf, (item) =>
      h(
        "tr",
        { "data-testid": `row-${keyOf(item)}` },
        cells(item).map((cell, at) => {
          const label = headings[at] ?? ""
          return h("td", { "data-label": label, class: kindOf(label) }, [cell])
        })
      )
    )
  }
}

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
 * Makes a link to a transaction.
 *
 * @param {Named} transaction
 */
export const link = (transaction) =>
  h("a", { class: "mono", href: hrefOf(transaction) }, [transaction.transactionId])
