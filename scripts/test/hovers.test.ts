/**
 * An editor shows a sentence for each name that a user meets: an export of a public module, a
 * member of an exported interface or service, and a field of an exported class or error.
 */
import { join } from "node:path"
import { parseSync } from "oxc-parser"
import { describe, expect, it } from "vitest"
import { find, packages, read } from "../repository.ts"

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value

const childrenOf = (node: Node): ReadonlyArray<Node> => Object.values(node).flat().filter(isNode)

/** The members under the name of a declaration, without the bodies of functions. */
const membersOf = (node: Node): ReadonlyArray<Node> =>
  childrenOf(node).flatMap((child) => {
    switch (child.type) {
      case "TSPropertySignature":
      case "TSMethodSignature":
      case "MethodDefinition":
      case "PropertyDefinition":
        return [child]
      // The fields of a tagged error are the last argument of a call in the head of its class.
      case "ObjectExpression":
        return node.type === "CallExpression"
          ? childrenOf(child).filter(({ type }) => type === "Property")
          : []
      default:
        return membersOf(child)
    }
  })

const undocumented = (text: string): ReadonlyArray<string> => {
  const { comments, program } = parseSync("module.ts", text)
  const ends = new Set(
    comments
      .filter(({ type, value }) => type === "Block" && value.startsWith("*"))
      .map(({ end, value }) => end + (/[a-z]/iu.test(value) ? 0 : Infinity))
  )
  const isDocumented = ({ start }: Node) =>
    ends.has(text.slice(0, start).replace(/(?:\n\s*\/\/.*)*\s*$/u, "").length)
  const nameOf = ({ id, key, declarations }: Node): string => {
    const named = id ?? key ?? (Array.isArray(declarations) ? declarations[0].id : undefined)
    return isNode(named) ? String(named["name"] ?? named["value"]) : ""
  }
  const exported = (program.body as unknown as ReadonlyArray<Node>).filter(
    ({ declaration, type }) => type === "ExportNamedDeclaration" && isNode(declaration)
  )
  const named = Map.groupBy(exported, ({ declaration }) => nameOf(declaration as Node))
  return Array.from(named).flatMap(([name, all]) => {
    const own = all.some(isDocumented) ? [] : [name]
    const members = all.flatMap(({ declaration }) => {
      const { type } = declaration as Node
      return /Interface|Class/u.test(type) ? membersOf(declaration as Node) : []
    })
    const bare = members.filter(
      (member) => !member["override"] && member["kind"] !== "constructor" && !isDocumented(member)
    )
    return [...own, ...bare.map((member) => `${name}.${nameOf(member)}`)]
  })
}

it.for(packages)("each name of %s has a sentence", (name) => {
  const files = find(`packages/${name}/src/*.ts`)
  // A public module exports interfaces of some private ones.
  const again = files.flatMap((path) =>
    Array.from(read(path).matchAll(/^export .* from "\.\/(internal\/.*)"$/gmu), ([, file]) =>
      join(path, "..", file ?? "")
    )
  )
  expect(files.length).toBeGreaterThan(0)
  const found = [...files, ...again].flatMap((path) =>
    undocumented(read(path))
      .filter((each) => files.includes(path) || each.includes("."))
      .map((each) => `${path}: ${each}`)
  )
  expect(found).toEqual([])
})

describe("a name without a sentence", () => {
  it.for([
    ["export const a = 1", "a"],
    ["export function a() {}", "a"],
    ["export type A = string", "A"],
    ["/***/\nexport const a = 1", "a"],
    ["/** A. */\n\nconst b = 2\nexport const a = 1", "a"],
    ["/** A. */\nexport interface A { b: string }", "A.b"],
    ["/** A. */\nexport interface A { /** B. */ b: string\n c(): void }", "A.c"],
    ["/** A. */\nexport interface A { /** B. */ b: { c: string } }", undefined],
    ["/** A. */\n// a\nexport const a = 1", undefined],
    ["/** `http://a`. */\nexport const a = 1", undefined],
    ["/** A. */\nexport class A { b = 1 }", "A.b"],
    ["/** A. */\nexport class A extends S<A, { readonly b: string }>()('A') {}", "A.b"],
    ["/** A. */\nexport class A extends E('A', { b: 1 }) {}", "A.b"],
    ["/** A. */\nexport class A extends E('A', { /** B. */ b: 1 }) {}", undefined],
    ["/** A. */\nexport const A = 1\nexport type A = typeof A", undefined],
    ["const a = 1", undefined]
  ])("%s: %s", ([text = "", name]) => {
    expect(undocumented(text)).toEqual(name === undefined ? [] : [name])
  })
})
