/**
 * A migration that has landed never changes. If a test fails, take back the change, and add a new
 * migration with its digest here.
 */
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { names, textsOf } from "./schemaTexts.ts"

const digests = {
  "1_documents": {
    sqlite: "124ad624a7de99e18ce3b5b19376f6e4ff2d883ed76f79c5250dfda4acbe91ba",
    postgres: "90216cf2634015c32afb76dc41dbc95f9510b1c174b13fb8818a8a5df8886825"
  }
}

it("each migration has a digest", () => {
  expect(Object.keys(digests)).toEqual(names)
})

describe.each(names)("the statements of migration %s", (name) => {
  it.each(["sqlite", "postgres"] as const)("are those that have landed, on %s", (dialect) => {
    const text = textsOf(name, dialect).join(";\n")
    expect(createHash("sha256").update(text).digest("hex")).toBe(digests[name][dialect])
  })
})
