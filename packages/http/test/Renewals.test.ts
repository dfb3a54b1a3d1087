import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import * as Renewals from "../src/internal/token/Renewals.ts"

const token = (text: string) => ({ text: Redacted.make(text), expiresAt: 0 })

const [old, current] = [token("old"), token("current")]

const make = () => Renewals.make(10n)

describe("a 401", () => {
  it("to a token that was replaced or dropped is sent again", () => {
    for (const held of [current, undefined])
      expect(make().afterRefusal("read", old, held, 0n)).toBe("retry")
  })

  it("renews the token once in the cooldown time while no operation succeeds", () => {
    const { afterRefusal } = make()
    const refusals = [0n, 0n, 9n, 10n, 19n, 20n]
    expect(refusals.map((now) => afterRefusal("read", current, current, now))).toEqual([
      "renew",
      "fail",
      "fail",
      "renew",
      "fail",
      "renew"
    ])
  })

  it("renews at once a token with which an operation has succeeded", () => {
    const { afterRefusal, succeeded } = make()
    expect(afterRefusal("read", old, old, 0n)).toBe("renew")
    succeeded("create", current)
    expect(afterRefusal("read", current, current, 1n)).toBe("renew")
    succeeded("create", old)
    expect(afterRefusal("read", current, current, 2n)).toBe("fail")
  })

  it("fails the operation that was refused with a new token, and no other, for the cooldown time", () => {
    const { afterRefusal, refused, succeeded } = make()
    refused("read", 0n)
    succeeded("create", current)
    expect(afterRefusal("read", current, current, 9n)).toBe("fail")
    expect(afterRefusal("create", current, current, 9n)).toBe("renew")
    expect(afterRefusal("read", current, current, 10n)).toBe("renew")
  })

  it("renews again for an operation that has succeeded since", () => {
    const { afterRefusal, refused, succeeded } = make()
    refused("read", 0n)
    succeeded("read", current)
    expect(afterRefusal("read", current, current, 1n)).toBe("renew")
  })
})

it("/auth may be asked, and not for the cooldown time after it refused the credentials", () => {
  const { authRefused, mayAsk } = make()
  expect(mayAsk(0n)).toBe(true)
  authRefused(0n)
  expect([0n, 9n, 10n].map(mayAsk)).toEqual([false, false, true])
})
