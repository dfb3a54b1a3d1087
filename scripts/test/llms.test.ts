import { expect, it } from "vitest"
import { llms } from "../llms.ts"

it("has the summary, and each link with its text from the root of the repository", () => {
  const readme = "# pawl\n\nTakes and\nsends money.\n\nMore.\n"
  const pages =
    "# Pages\n\nTasks:\n\n1. [Card](flows/card.md): by\n   card.\n- [Code](../src/a.ts)\n"
  expect(llms(readme, pages)).toBe(
    "# pawl\n\n> Takes and sends money.\n\n## Tasks\n\n- [Card](docs/flows/card.md): by card.\n- [Code](src/a.ts)\n\n"
  )
})
