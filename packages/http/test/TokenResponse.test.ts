import { forAll } from "@pawl/test-support/Properties"
import { character } from "@pawl/test-support/Text"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as TokenResponse from "../src/internal/token/TokenResponse.ts"
import * as Memory from "./support/memory.ts"

const find = (json: unknown, field?: string) =>
  TokenResponse.findToken(new TextEncoder().encode(JSON.stringify(json)), field)

describe("the token", () => {
  it("is the body, or in a usual field of it or of its data", () => {
    expect(find("abc")).toBe("abc")
    for (const name of ["accessToken", "access_token", "token", "jwt"]) {
      expect(find({ [name]: "abc" })).toBe("abc")
      expect(find({ data: { [name]: "abc" } })).toBe("abc")
      expect(find({ more: { [name]: "abc" } })).toBeUndefined()
    }
  })

  it("is in the first of these fields that has a text", () => {
    expect(find({ jwt: "d", token: "c", access_token: "b", accessToken: "a" })).toBe("a")
    expect(find({ data: { accessToken: "a" }, jwt: "d" })).toBe("d")
    expect(find({ accessToken: 7, data: null, token: "c" })).toBe("c")
    expect(find({ data: "text", accessToken: null })).toBeUndefined()
  })

  it("is in the named field only, if one is named", () => {
    expect(find({ session: "abc", token: "c" }, "session")).toBe("abc")
    expect(find({ data: { session: "abc" } }, "session")).toBe("abc")
    expect(find({ token: "c" }, "session")).toBeUndefined()
  })

  it("B02 has 1 to 8,192 characters of printable ASCII, so it can be a header value", () => {
    for (const text of ["a", "!~", "x".repeat(8192)]) expect(find(text)).toBe(text)
    const refused = ["", " a", "a ", "a b", "a\n", "a\r\nX-Evil: 1", "a\u0000b", "é", "\u{1f600}"]
    for (const text of [...refused, "x".repeat(8193)]) expect(find(text)).toBeUndefined()
    return forAll([fc.string({ unit: character, minLength: 1 })], (text) => {
      fc.pre(!/^[\x21-\x7e]*$/u.test(text))
      expect(find({ accessToken: text })).toBeUndefined()
    })
  })

  it("is in no other body", () => {
    for (const json of [null, 7, true, [], {}, { token: ["a"] }, { token: { a: "b" } }])
      expect(find(json)).toBeUndefined()
    expect(TokenResponse.findToken(new TextEncoder().encode("{"), undefined)).toBeUndefined()
  })
})

describe("the expiry of a token", () => {
  const now = 1_700_000_000
  const [minutes, days] = [60, 86_400]

  const lifeOf = (text: string) =>
    TestClock.setTime(now * 1000).pipe(
      Effect.andThen(TokenResponse.toToken(text)),
      Effect.map(({ expiresAt, text }) => [expiresAt / 1000 - now, Redacted.value(text)]),
      Effect.provide(TestClock.layer()),
      Effect.runPromise
    )

  it("is read from claims of every character", async () => {
    const text = Memory.jwt({ exp: now + 90 * minutes, name: ">>>>>>???????é" })
    expect(text).toMatch(/-.*_/u)
    expect(await lifeOf(text)).toEqual([90 * minutes, text])
  })

  it("is 30 days without a readable claim of 10 minutes or more, under a label and without its text", async () => {
    for (const text of ["a.%%.c", Memory.jwt({ exp: now + 10 * minutes - 1 })])
      expect(await lifeOf(text)).toEqual([30 * days, text])
    const { text } = await Effect.runPromise(TokenResponse.toToken("a"))
    expect(text.label).toBe("token")
  })
})
