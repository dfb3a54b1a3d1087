import { describe, expect, it } from "vitest"
import { index, page, read } from "../reference.ts"

const source = `/**
 * Money as text. It is never a number.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Schema for an amount.
 *
 * See docs/decisions/0011-ambiguous-statements.md.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Amount = Schema.String.pipe(Schema.brand("Amount"))

/** Type of {@link Amount}. */
export type Amount = typeof Amount.Type

/** Adds two. */
export const add = (one: Amount, two: Amount): Amount => plus(one, two)

/** Rounds, in Effect. */
export const round = Effect.fnUntraced(function* (amount: Amount): Effect.fn.Return<Amount> {
  return amount
})

/** A limit, whose value says nothing. */
export const limit: number = compute(1, 2, 3)

/** Service that holds money. */
export class Money extends Context.Service<Money, { readonly all: Amount }>()("Money") {
  static readonly secret = 1
}

/** Returns its cost. */
export function cost(amount: Amount): number {
  return 1
}

export const unsaid = 1

/** Not ours to show. */
const plus = (one: Amount, two: Amount) => one
`

describe("reading a module", () => {
  const { doc, exports } = read({ specifier: "@pawl/core/Amount", text: source })

  it("returns its comment, without tags", () => {
    expect(doc).toBe("Money as text. It is never a number.")
  })

  it("returns every documented export, and a schema and its type as one", () => {
    expect(exports.map(({ name }) => name)).toEqual([
      "Amount",
      "add",
      "round",
      "limit",
      "Money",
      "cost"
    ])
  })

  it("returns signatures without bodies", () => {
    expect(exports.map(({ signature }) => signature)).toEqual([
      'const Amount = Schema.String.pipe(Schema.brand("Amount"))\n\ntype Amount = typeof Amount.Type',
      "const add = (one: Amount, two: Amount): Amount",
      "const round = Effect.fnUntraced(function* (amount: Amount): Effect.fn.Return<Amount>",
      "const limit: number",
      'class Money extends Context.Service<Money, { readonly all: Amount }>()("Money")',
      "function cost(amount: Amount): number"
    ])
  })

  it("writes a page with links to the decisions", () => {
    expect(page({ specifier: "@pawl/core/Amount", doc, exports: exports.slice(0, 1) }))
      .toBe(`# Amount

\`@pawl/core/Amount\`

Money as text. It is never a number.

## Amount

\`\`\`ts
const Amount = Schema.String.pipe(Schema.brand("Amount"))

type Amount = typeof Amount.Type
\`\`\`

Schema for an amount.

See [decision 0011](../../decisions/0011-ambiguous-statements.md).

Type of {@link Amount}.
`)
  })

  it("lists it in the index by its first sentence", () => {
    const modules = [{ specifier: "@pawl/core/Amount", doc, exports }]
    expect(index([{ name: "@pawl/core", description: "Schemas.", modules }])).toBe(`# API reference

## @pawl/core

Schemas.

- [Amount](core/Amount.md): Money as text.
`)
  })
})
