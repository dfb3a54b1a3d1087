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
  fc.assert(
    fc.property(
      fc.constantFrom("card", "apm"),
      fc.dictionary(fc.constantFrom(...names), fc.jsonValue()),
      (method, body) => {
        const signed: ReadonlyArray<string> = SignedFields.signedNames[method]
        const kept = SignedFields.unsigned(method, body as Body)
        expect(Object.keys(kept)).toEqual(
          Object.keys(body).filter((name) => !signed.includes(name))
        )
        for (const [name, value] of Object.entries(kept)) expect(value).toBe(body[name])
      }
    )
  )
})
