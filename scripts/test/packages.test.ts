import { expect, it } from "vitest"
import { objections, unexplained } from "../packages.ts"
import { read } from "../repository.ts"

const exports = { "./*": "./src/*.ts", "./bin/*": null, "./internal/*": "./src/internal/*.ts" }
const built = { types: "./dist/*.d.ts", default: "./dist/*.js" }

const sound = {
  name: "@pawl/core",
  version: "0.1.0",
  type: "module",
  sideEffects: false,
  engines: { node: ">=22.19" },
  exports,
  publishConfig: { access: "public", exports: { ...exports, "./*": built, "./internal/*": null } },
  dependencies: { "dinero.js": "^2" },
  peerDependencies: { effect: "^4.1.0" }
}

it("accepts a package of modules without scripts", () => {
  expect(objections(sound)).toEqual([])
})

it.each([
  ["module", { type: "commonjs" }],
  ["sideEffects", { sideEffects: true }],
  ["scripts", { scripts: { postinstall: "node setup.js" } }],
  ["Node", { engines: {} }],
  ["public", { publishConfig: { exports: sound.publishConfig.exports } }],
  ["peer", { peerDependencies: {} }],
  ["internal", { exports: { "./*": "./src/*.ts", "./bin/*": null } }],
  ["modules", { publishConfig: { access: "public", exports } }]
])("reports a package that is wrong in: %s", (word, change) => {
  expect(objections({ ...sound, ...change })).toEqual([expect.stringContaining(word)])
})

it("reports a dependency without a reason, and a reason without a dependency", () => {
  const row = (name: string, why: string) => `| \`@pawl/core\` | \`${name}\` | peer | ${why} |\n`
  const table = row("dinero.js", "a table") + row("effect", "everything")
  expect(unexplained([sound], table)).toEqual([])
  expect(unexplained([sound], row("dinero.js", "a table") + row("zod", "habit"))).toEqual([
    "@pawl/core effect: docs/guides/security.md gives no reason for it",
    "@pawl/core zod: no package depends on it"
  ])
  expect(unexplained([sound], row("dinero.js", " ") + row("effect", "everything"))).toEqual([
    "@pawl/core dinero.js: docs/guides/security.md gives no reason for it"
  ])
})

it("pawl accepts each patch of Effect: with an exact version a program has two copies, whose types differ", () => {
  expect(read("pnpm-workspace.yaml")).toMatch(/^ {2}effect: ~/mu)
})
