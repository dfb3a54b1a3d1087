import { expect, it } from "vitest"
import { index } from "../decisions.ts"

// `check docs` compares the index with the committed one.
it.for(["# One\n\nGroup: Maxims\n\nText.\n", "# One\n"])(
  "the index of the decisions rejects a page without a known group: %j",
  (text) => {
    expect(() => index([{ path: "docs/decisions/0001-one.md", text }])).toThrow(
      'docs/decisions/0001-one.md has no line "Group: …" with a known group'
    )
  }
)
