import { expect, it } from "vitest"
import * as InFlight from "../src/internal/call/Creates.ts"
import type { Request } from "../src/Transport.ts"

const request: Request = { method: "POST", url: "https://a.example/x", headers: {}, body: "{}" }

it("a requestId has one request at a time, which may be in flight several times", () => {
  const { enter, leave } = InFlight.make()
  expect(enter("order-1", request)).toBe(true)
  expect(enter("order-1", { ...request, headers: { authorization: "Bearer other" } })).toBe(true)
  for (const other of [
    { ...request, url: "https://a.example/y" },
    { ...request, body: "{ }" }
  ]) {
    expect(enter("order-1", other)).toBe(false)
    expect(enter("order-2", other)).toBe(true)
    leave("order-2")
  }
  leave("order-1")
  expect(enter("order-1", { ...request, body: "{ }" })).toBe(false)
  leave("order-1")
  expect(enter("order-1", { ...request, body: "{ }" })).toBe(true)
})

it("the end of a create that is not in flight changes nothing", () => {
  const { enter, leave } = InFlight.make()
  leave("order-1")
  expect(enter("order-1", request)).toBe(true)
})
