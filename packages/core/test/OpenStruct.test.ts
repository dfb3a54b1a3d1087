import { ApmBillingDetails } from "@pawl/core/internal/RequestBodies"
import { ApmBillingDetailsDto } from "@pawl/core/internal/SharedFields"
import { openStruct } from "@pawl/core/internal/OpenStruct"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"

const open = openStruct("Open", { a: Schema.Finite, b: Schema.optionalKey(Schema.String) })

describe("an open object", () => {
  const decode = Schema.decodeUnknownSync(open)
  const encode = Schema.encodeUnknownExit(open)

  it("has its unknown fields under one member, and without them none", () => {
    expect(decode({ a: 1, c: 2, unknownFields: 3 })).toEqual({
      a: 1,
      unknownFields: { c: 2, unknownFields: 3 }
    })
    expect(decode({ a: 1, b: "b" })).toStrictEqual({ a: 1, b: "b" })
  })

  it("is read alike by a program that refuses or ignores excess fields", () => {
    for (const onExcessProperty of ["error", "ignore"] as const) {
      const value = Schema.decodeUnknownSync(open, { onExcessProperty })({ a: 1, c: 2 })
      expect(value).toEqual({ a: 1, unknownFields: { c: 2 } })
    }
  })

  it("is encoded with them beside the others", () => {
    const value = { a: 1, unknownFields: { c: 2, unknownFields: 3 } }
    expect(encode(value)).toEqual(Exit.succeed({ a: 1, c: 2, unknownFields: 3 }))
  })

  it("cannot have a known field among them, or none", () => {
    for (const unknownFields of [{ a: 2 }, { b: "b", c: 3 }, { c: 3, b: "b" }, {}]) {
      const exit = encode({ a: 1, unknownFields })
      expect(String(exit)).toContain("fields that the specification does not name")
    }
  })
})

it("the secrets of a customer are redacted under their names", () => {
  for (const schema of [ApmBillingDetails, ApmBillingDetailsDto]) {
    const { identityCode, ssn } = Schema.decodeUnknownSync(schema)({ identityCode: "1", ssn: "2" })
    expect([identityCode?.label, ssn?.label]).toEqual(["identityCode", "ssn"])
  }
})
