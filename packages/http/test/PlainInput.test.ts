import { describe, expect, it } from "vitest"
import { toError, withoutUndefined } from "../src/internal/wire/Operation.ts"

describe("a value without its undefined members", () => {
  it("is the same value if it has none", () => {
    for (const value of [{}, { a: 1 }, { a: { b: "1" }, c: null }, "text", null, undefined]) {
      expect(withoutUndefined(value)).toBe(value)
    }
  })

  it("keeps what is no plain object as it is", () => {
    class Money {
      readonly note = undefined
    }
    const members = { list: [{ a: undefined }], money: new Money(), date: new Date(0), none: null }
    const plain = withoutUndefined({ ...members, left: undefined }) as Record<string, unknown>
    expect(Object.keys(plain)).toEqual(Object.keys(members))
    for (const [name, member] of Object.entries(members)) expect(plain[name]).toBe(member)
  })

  it("has none in objects without a prototype either", () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1, b: undefined })
    expect(Object.keys(withoutUndefined({ bare }) as object)).toEqual(["bare"])
    expect(withoutUndefined(bare)).toEqual({ a: 1 })
    expect(Object.keys(withoutUndefined(bare) as object)).toEqual(["a"])
  })
})

const nested = (value: unknown, depth: number): unknown =>
  Array.from({ length: depth }).reduce((inner) => ({ a: inner }), value)

describe("the error for a value without a JSON form", () => {
  const pathOf = (value: unknown) => toError(value).fields[0]?.path
  const noJson = { path: "", message: "Expected a value that can be written as JSON" }

  it("names the first bigint, and not its value", () => {
    const value = { none: null, text: "7", list: [1, { id: 70_707n }], other: 2n }
    expect(toError(value)).toMatchObject({
      sent: false,
      fields: [{ path: "list.1.id", message: "Expected a number or text, not a bigint" }]
    })
    expect(JSON.stringify(toError(value))).not.toContain("70707")
    expect(pathOf(7n)).toBe("")
  })

  it("names a bigint below 65 objects, and searches no deeper", () => {
    expect(pathOf(nested(1n, 65))).toBe(Array.from({ length: 65 }).fill("a").join("."))
    expect(toError(nested(1n, 66)).fields).toEqual([noJson])
  })

  it("names no field of a value that has itself as a member", () => {
    const itself: Record<string, unknown> = { call: Object.assign(() => 1, { id: 1n }) }
    itself["self"] = itself
    expect(toError(itself).fields).toEqual([noJson])
  })
})
