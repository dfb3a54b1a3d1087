import { expect, it } from "vitest"
import { internalOf, namesOf, withInternal } from "../names.ts"

it("lists each exported name once, with its stability", () => {
  const source = `/** A module. */
    /** @experimental */
    export const one = 1
    export interface Two {}
    export const Two = 2
    export { three, type Four } from "./Other.ts"
    export * as Five from "./Five.ts"
    export * from "./Six.ts"
    const hidden = 0
    export class Seven {}
    export function eight() {}`
  expect(namesOf(source).map(({ name, stability }) => `${name} ${stability}`)).toEqual([
    "* of ./Six.ts stable",
    "Five stable",
    "Four stable",
    "Seven stable",
    "Two stable",
    "eight stable",
    "one experimental",
    "three stable"
  ])
})

it("takes the stability of a module for all of its names", () => {
  const source = `/** A store. @experimental */ export const layer = 1`
  expect(namesOf(source)).toEqual([{ name: "layer", stability: "experimental" }])
})

it("publishes the internal modules that a sibling imports, and no other", () => {
  const sibling = `import * as Json from "@pawl/core/internal/Json"
    import { rank } from "@pawl/core/Status"
    import type { Door } from "@pawl/webhook/internal/doors/Door"`
  expect(internalOf("@pawl/core", [sibling])).toEqual(["internal/Json"])
  const before = { ".": "./dist/index.js", "./internal/Old": {}, "./internal/*": null }
  expect(withInternal(before, ["internal/Json"])).toEqual({
    ".": "./dist/index.js",
    "./internal/Json": {
      types: "./dist/internal/Json.d.ts",
      default: "./dist/internal/Json.js"
    },
    "./internal/*": null
  })
})
