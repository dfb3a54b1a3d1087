import { onContentUpdated } from "vitepress"
import theme from "vitepress/theme-without-fonts"
import "./style.css"

/** The ids of diagrams are unique: a second one would remove the first. */
let drawn = 0

/** Draws the diagrams of the page, each in place of its text, named by the heading above it. */
const draw = async (): Promise<void> => {
  const texts = Array.from(
    document.querySelectorAll<HTMLElement>(".language-mermaid > pre:not([data-taken])")
  )
  if (texts.length === 0) return
  // Vue reports the content of a page several times.
  for (const text of texts) text.dataset["taken"] = ""
  const { default: mermaid } = await import("mermaid")
  const inItsSize = { useMaxWidth: false }
  mermaid.initialize({ startOnLoad: false, flowchart: inItsSize, state: inItsSize })
  const headings = Array.from(document.querySelectorAll(".vp-doc :is(h1, h2, h3)"))
  for (const text of texts) {
    const { svg } = await mermaid.render(`diagram-${(drawn += 1)}`, text.textContent)
    const above = headings.findLast(
      (each) => each.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING
    )
    const diagram = document.createElement("div")
    diagram.className = "diagram"
    // A wide one is scrolled, by the keyboard too.
    diagram.tabIndex = 0
    diagram.role = "img"
    diagram.ariaLabel = `Diagram: ${above?.firstChild?.textContent?.trim()}`
    diagram.innerHTML = svg
    // The parent stays, because Vue removes it when the reader leaves the page.
    text.parentElement?.replaceChildren(diagram)
  }
}

export default {
  extends: theme,
  setup: () => onContentUpdated(draw)
}
