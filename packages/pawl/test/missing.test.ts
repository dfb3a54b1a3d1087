import { expect, it } from "vitest"
import { sentence } from "../src/internal/Missing.ts"

const notFound = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /shop/pawl.js`), {
    code: "ERR_MODULE_NOT_FOUND"
  })

it.each([
  ["@pawl/sandbox", "npm install --save-dev @pawl/sandbox"],
  ["@pawl/sandbox/bin/SandboxCommand", "npm install --save-dev @pawl/sandbox"],
  ["@pawl/testkit", "npm install --save-dev @pawl/testkit"],
  ["@pawl/receiver", "npm install @pawl/receiver"]
])("says how to install %s", (name, command) => {
  expect(sentence(notFound(name), "pawl demo")).toBe(
    `pawl demo needs the package ${name.split("/", 2).join("/")}: ${command}`
  )
})

it("says nothing of another error", () => {
  expect(sentence(new Error("Cannot find package 'x' imported from y"), "pawl")).toBeUndefined()
  const other = Object.assign(new Error("Cannot find module './x.js'"), {
    code: "ERR_MODULE_NOT_FOUND"
  })
  expect(sentence(other, "pawl")).toBeUndefined()
  expect(sentence("text", "pawl")).toBeUndefined()
})

it("says it in Deno too, whose sentence is another one", () => {
  const error = Object.assign(new Error("Could not find package 'x' from referrer 'file:///y'"), {
    code: "ERR_MODULE_NOT_FOUND"
  })
  expect(sentence(error, "pawl")).toBe("pawl needs the package x: npm install --save-dev x")
})
