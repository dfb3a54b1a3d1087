import { forAll } from "@pawl/test-support/Properties"
import type { Body } from "@pawl/core/Callback"
import * as SignedFields from "@pawl/core/internal/SignedFields"
import fc from "fast-check"
import { expect, it } from "vitest"

it("unsigned keeps every field of a body but the four that the checksum of its method covers", () => {
  const names = [
    ...SignedFields.signedNames.card,
    ...SignedFields.signedNames.apm,
    "metadata",
    "refundId"
  ]
  return forAll(
    [fc.constantFrom("card", "apm"), fc.dictionary(fc.constantFrom(...names), fc.jsonValue())],
    (method, body) => {
      const signed: ReadonlyArray<string> = SignedFields.signedNames[method]
      const kept = SignedFields.unsigned(method, body as Body)
      expect(Object.keys(kept)).toEqual(Object.keys(body).filter((name) => !signed.includes(name)))
      for (const [name, value] of Object.entries(kept)) expect(value).toEqual(body[name])
    }
  )
})

it("A46: no object of a body has a name that leads to a prototype", () => {
  const bad =
    '"__proto__":{"isAdmin":1},"\\u005f_proto__x":1,"constructor":{"prototype":{"isAdmin":1}}'
  const text = `{"metadata":{"a":[{${bad},"kept":1}],${bad}},${bad},"mid":"1"}`
  const kept = SignedFields.unsigned("card", JSON.parse(text) as Body)
  expect(JSON.stringify(kept)).toBe(
    '{"metadata":{"a":[{"__proto__x":1,"kept":1}],"__proto__x":1},"__proto__x":1}'
  )
})
