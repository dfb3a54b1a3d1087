/**
 * Elements, built without markup: whatever a merchant sent is set as text and is never parsed.
 */

/**
 * Makes an element. Of its properties those with a dash are attributes, and functions listeners.
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
 * Finds an element that index.html is known to have.
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
 * Writes text where it differs, so that a screen reader hears changes alone.
 *
 * @param {Element} element
 * @param {string} text
 */
export const say = (element, text) => {
  if (element.textContent !== text) element.textContent = text
}

/** @type {WeakMap<Element, Map<string, { readonly element: Element, readonly told: string }>>} */
const kept = new WeakMap()

/**
 * Makes a parent hold one child per item, in order. The child of an item that did not change stays, and
 * with it the focus; the focus within one that did moves to its successor.
 *
 * @template Item
 * @param {Element} parent
 * @param {ReadonlyArray<Item>} items
 * @param {(item: Item) => string} keyOf
 * @param {(item: Item) => Element} make
 */
export const fill = (parent, items, keyOf, make) => {
  const before = kept.get(parent) ?? new Map()
  const after = new Map()
  for (const item of items) {
    const key = keyOf(item)
    const told = JSON.stringify(item)
    const old = before.get(key)
    const child = old?.told === told ? old : { element: make(item), told }
    if (old !== undefined && old !== child) succeed(old.element, child.element)
    after.set(key, child)
  }
  kept.set(parent, after)
  for (const [key, { element }] of before) if (after.get(key)?.element !== element) element.remove()
  let place = parent.firstElementChild
  for (const { element } of after.values()) {
    if (element === place) place = element.nextElementSibling
    else parent.insertBefore(element, place)
  }
}

/**
 * @param {Element} old
 * @param {Element} next
 */
const succeed = (old, next) => {
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement) || !old.contains(focused)) return old.replaceWith(next)
  const id = focused.dataset["testid"] ?? ""
  const heir = focused === old ? next : next.querySelector(`[data-testid="${CSS.escape(id)}"]`)
  old.replaceWith(next)
  if (heir instanceof HTMLElement) heir.focus({ preventScroll: true })
}
