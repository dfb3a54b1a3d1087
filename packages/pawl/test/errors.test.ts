/**
 * The catalogue has a line for each error that a user can meet, which says whether to call again.
 */
import * as PaymentsError from "@pawl/core/PaymentsError"
import { globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Pawl from "pawl"
import { open, sandbox } from "pawl/testing"
import { expect, it } from "vitest"

const root = resolve(import.meta.dirname, "../../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

const rows = new Map(
  read("docs/errors.md")
    .split("\n")
    .flatMap((line) => {
      const [, tag = "", when = "", step = "", again = ""] = line
        .split("|")
        .map((cell) => cell.trim())
      return tag.startsWith("`") ? [[tag.slice(1, -1), { when, step, again }] as const] : []
    })
)

/** Internal modules whose errors public modules export, or fail with. */
const shared = /\/internal\/(?:requests\/RequestsError|ledger\/Owner|rule\/Order)\.ts$/u

const tags = globSync("packages/*/src/**/*.ts", { cwd: root })
  .filter((path) => shared.test(path) || !/\/(?:internal|bin)\/|\.d\.ts$/u.test(path))
  .flatMap((path) =>
    Array.from(
      read(path).matchAll(/^export class (\w+) extends [^{]*?\b(?:TaggedError|printed)\b/gmu),
      ([, name = ""]) => name
    )
  )

it("has a whole line for each error, and no line for another", () => {
  expect(tags.length).toBeGreaterThan(25)
  expect([...rows.keys()].toSorted()).toEqual(tags.toSorted())
  expect([...rows].filter(([, cells]) => Object.values(cells).includes(""))).toEqual([])
})

const fields = {
  sent: true,
  fields: [],
  status: 500,
  attempts: 1,
  reason: "",
  response: {},
  requestId: "order-17",
  errorCode: "1",
  cause: new PaymentsError.Unreachable({ reason: "", sent: true, attempts: 1 })
}

it("says of each error of a call whether to call again, as isRetryable does", () => {
  const classes = Object.entries(PaymentsError).filter(([name]) => tags.includes(name))
  expect(classes.length).toBeGreaterThan(9)
  const said = classes.map(([name]) => [name, rows.get(name)?.again.startsWith("yes")])
  const held = classes.map(([name, make]) => {
    const error = new (make as new (all: object) => { readonly isRetryable: boolean })(fields)
    return [name, error.isRetryable]
  })
  expect(said).toEqual(held)
})

it("has every error that pawl exports", () => {
  const exported = Object.entries(Pawl).filter(
    ([, { prototype }]) => (prototype as unknown) instanceof Error
  )
  expect(exported.length).toBeGreaterThan(10)
  expect(exported.map(([name]) => name).filter((name) => !rows.has(name))).toEqual([])
})

it("keeps the message of an error whose code it replaces by the tag", async () => {
  const pawl = await open()
  const port = await pawl.listen({ port: 0 })
  await expect(pawl.listen({ port })).rejects.toMatchObject({
    code: "CannotListen",
    message: `Cannot listen on port ${port} of 127.0.0.1: another process uses it; stop that process, or choose another port`
  })
  await expect(sandbox({ port })).rejects.toMatchObject({ code: "CannotListen", port })
  await pawl.close()
})
