/** Tables of a page. */
import { byId, h, renderList } from "@pawl/receiver/page/dom.js"

/** @typedef {string | Node} Cell */

/** The headings of columns of numbers, which are aligned at their ends. */
const numbers = new Set(["Amount", "Calls", "Charges", "Dead letters", "Failed calls", "Times"])

/**
 * Makes a table with a message that is shown when it is empty.
 *
 * @template Item
 * @param {string} id
 * @param {ReadonlyArray<string>} headings
 * @param {string} empty
 * @param {(item: Item) => string} keyOf
 * @param {(item: Item, now: number) => ReadonlyArray<Cell>} cells
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
  return (/** @type {ReadonlyArray<Item>} */ items, now = Date.now()) => {
    const shown = items.length === 0 ? message : full
    if (container.firstChild !== shown) container.replaceChildren(shown)
    // A time of another day is written with its date.
    const day = new Date(now).toDateString()
    const shownItems = items.map((item) => ({ item, day }))
    renderList(
      body,
      shownItems,
      ({ item }) => keyOf(item),
      ({ item }) =>
        h(
          "tr",
          { "data-testid": `row-${keyOf(item)}` },
          cells(item, now).map((cell, at) => {
            const label = headings[at] ?? ""
            return h("td", { "data-label": label, class: kindOf(label) }, [cell])
          })
        )
    )
  }
}
