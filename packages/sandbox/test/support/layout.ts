/**
 * Returns the elements whose content is wider than they are, or outside the window. Runs in the
 * page.
 */
export const cutOff = (): ReadonlyArray<string> =>
  Array.from(document.querySelectorAll("body *"))
    .filter((element) => {
      const { right, width } = element.getBoundingClientRect()
      const isInput = element instanceof HTMLInputElement || element instanceof HTMLSelectElement
      const isWide = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
      return width > 0 && (right > window.innerWidth + 1 || (isWide && !isInput))
    })
    .map((element) => element.outerHTML.slice(0, 160))
