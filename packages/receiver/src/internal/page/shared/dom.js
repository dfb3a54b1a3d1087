/**
 * DOM elements built without markup: a text of a merchant is set as text and never parsed.
 */

/**
 * Makes an element. A function among its properties is an event listener; any other is an attribute.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Readonly<Record<string, string | boolean | undefined | ((event: Event) => void)>>} [properties]
 * @param {ReadonlyArray<Node | string | undefined>} [children]
 * @returns {HTMLElementTagNameMap[Name]}
 */
export const h = (name, properties = {}, children = []) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue
    if (typeof value === "function") element.addEventListener(key, value)
    else element.setAttribute(key, value === true ? "" : value)
  }
  element.append(...children.flatMap((child) => (child === undefined ? [] : [child])))
  return element
}

/**
 * Finds an element of index.html.
 *
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export const byId = (id, kind) => {
  const element = document.getElementById(id)
  if (element instanceof kind) return element
  throw new Error(`index.html has no ${kind.name} #${id}`)
}

/**
 * Sets a text only if it differs, so that a screen reader announces only changes.
 *
 * @param {Element} element
 * @param {string} text
 */
export const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text
}

/** @type {WeakMap<Element, Map<string, { readonly element: Element, readonly json: string }>>} */
const rendered = new WeakMap()

/**
 * Renders one child for each item, in order. The child of an unchanged item stays and keeps the focus; the
 * focus in a changed one moves to its replacement, whose disclosures are open if they were.
 *
 * @template Item
 * @param {Element} parent
 * @param {ReadonlyArray<Item>} items
 * @param {(item: Item) => string} keyOf
 * @param {(item: Item) => Element} make
 */
export const renderList = (parent, items, keyOf, make) => {
  const before = rendered.get(parent) ?? new Map()
  const after = new Map()
  for (const item of items) {
    const key = keyOf(item)
    const json = JSON.stringify(item)
    const old = before.get(key)
    const child = old?.json === json ? old : { element: make(item), json }
    if (old !== undefined && old !== child) replace(old.element, child.element)
    after.set(key, child)
  }
  rendered.set(parent, after)
  for (const [key, { element }] of before) if (after.get(key)?.element !== element) element.remove()
  let position = parent.firstElementChild
  for (const { element } of after.values()) {
    if (element === position) position = element.nextElementSibling
    else parent.insertBefore(element, position)
  }
}

/**
 * @param {Element} old
 * @param {Element} next
 */
const replace = (old, next) => {
  const opened = next.querySelectorAll("details")
  for (const [at, { open }] of old.querySelectorAll("details").entries()) {
    opened[at]?.toggleAttribute("open", open)
  }
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement) || !old.contains(focused)) return old.replaceWith(next)
  const { testid } = focused.dataset
  const target =
    focused === old
      ? next
      : testid === undefined
        ? next.querySelectorAll(places)[[...old.querySelectorAll(places)].indexOf(focused)]
        : next.querySelector(`[data-testid="${CSS.escape(testid)}"]`)
  old.replaceWith(next)
  if (target instanceof HTMLElement) target.focus({ preventScroll: true })
}

/** An element without a `data-testid` that has the focus is found by its place among these. */
const places = "a, button, summary"

/**
 * Makes an element of a time, which tells the time in UTC to a pointer.
 *
 * @param {string} at ISO 8601
 * @param {...(string | Node)} texts the time in the browser's time zone
 */
export const instant = (at, ...texts) => {
  const utc = new Date(at).toISOString()
  return h("time", { datetime: utc, title: `${utc.slice(0, 19).replace("T", " ")} UTC` }, texts)
}

/**
 * Makes a text, such as an id, with a button that copies it.
 *
 * @param {string} text
 * @param {HTMLElement} [shown]
 */
export const copyable = (text, shown = h("span", { class: "mono" }, [text])) => {
  const button = h(
    "button",
    {
      type: "button",
      class: "copy",
      "data-testid": `copy-${text}`,
      click: () => {
        // A page that another machine serves by HTTP has no clipboard: the selected text is copied by hand.
        window.getSelection()?.selectAllChildren(shown)
        void navigator.clipboard?.writeText(text).then(() => {
          label("Copied")
          return setTimeout(() => label("Copy"), 1500)
        })
      }
    },
    []
  )
  const label = (/** @type {string} */ word) => {
    setText(button, word)
    button.ariaLabel = `${word} ${text}`
  }
  label("Copy")
  return h("span", { class: "copyable" }, [shown, button])
}
