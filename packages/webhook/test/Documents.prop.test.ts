import { forAll } from "@pawl/test-support/Properties"
import fc from "fast-check"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Fields from "../src/internal/documents/Fields.ts"
import * as Codecs from "../src/internal/records/Codecs.ts"
import type { Collection } from "../src/internal/records/Records.ts"
import * as Any from "./anyDocument.ts"
import { repeats } from "@pawl/test-support/Repeats"

const numRuns = repeats(500)

const arbitraries: Readonly<Record<Collection, fc.Arbitrary<Any.Keyed<unknown>>>> = {
  transactions: Any.transactions,
  requests: Any.requests,
  quarantine: Any.quarantined,
  settings: Any.settings
}
const collections = ["transactions", "requests", "quarantine", "settings"] as const
const codecs = Codecs.texts

const check = (
  collection: Collection,
  law: (document: string, keyed: Any.Keyed<unknown>) => void,
  runs = numRuns
) =>
  forAll([arbitraries[collection]], { numRuns: runs }, (keyed) =>
    law(codecs[collection].encode(keyed.value), keyed)
  )

const isRefused = (collection: Collection, key: string, document: string) =>
  Result.isFailure(Result.try(() => codecs[collection].decode(document, key)))

describe.each(collections)("a document of %s", (collection) => {
  it("is read as it was written", () =>
    check(collection, (document, { key, value }) => {
      const read = codecs[collection].decode(document, key)
      // An undefined member may be left out.
      expect(read).toEqual(value)
      expect(codecs[collection].encode(read)).toBe(document)
    }))

  it("has no character that a database refuses", () =>
    check(collection, (document) => {
      expect(document.isWellFormed()).toBe(true)
      expect(document).not.toContain("\0")
    }))

  it("is refused after a change of any character", () =>
    check(
      collection,
      (document, { key }) => {
        for (let at = 0; at < document.length; at++) {
          const before = document.charCodeAt(at)
          for (const unit of [before ^ 1, 10, 48, 126]) {
            if (unit === before) continue
            const damaged =
              document.slice(0, at) + String.fromCharCode(unit) + document.slice(at + 1)
            if (!isRefused(collection, key, damaged)) expect(damaged).toBe("refused")
          }
        }
      },
      Math.ceil(numRuns / 25)
    ))

  it("is refused after it was cut off anywhere", () =>
    check(
      collection,
      (document, { key }) => {
        for (let end = 0; end < document.length; end++) {
          const damaged = document.slice(0, end)
          if (!isRefused(collection, key, damaged)) expect(damaged).toBe("refused")
        }
      },
      Math.ceil(numRuns / 25)
    ))
})

/** Numbers of fields that no version has. */
const newFields = fc.constantFrom(..."!#$%&*;?@ZWYHIJK\u00e4\u{1f600}")

const withLines = (document: string, added: ReadonlyArray<readonly [number, string]>): string => {
  const lines = document.split("\n").slice(0, -1)
  for (const [at, line] of added) lines.splice(1 + (at % lines.length), 0, line)
  const text = lines.join("\n")
  return `${text}\n~${Fields.hashOf(text).toString(36)}`
}

/** Returns the lines in any order, without the check. */
const linesOf = (document: string) => document.split("\n").slice(0, -1).toSorted()

describe.each(["transactions", "requests"] as const)("a document of %s", (collection) => {
  it("keeps each field of a newer version byte for byte", () =>
    forAll(
      [
        arbitraries[collection],
        fc.array(
          fc.tuple(
            fc.nat(),
            fc
              .tuple(newFields, Any.texts)
              .map(([field, text]) => field + text.replaceAll(/[\n\0]|\p{Cs}/gu, " "))
          ),
          { minLength: 1, maxLength: 3 }
        )
      ],
      { numRuns },
      ({ key, value }, added) => {
        const document = withLines(codecs[collection].encode(value), added)
        const again = codecs[collection].encode(codecs[collection].decode(document, key))
        expect(linesOf(again)).toEqual(linesOf(document))
      }
    ))
})
