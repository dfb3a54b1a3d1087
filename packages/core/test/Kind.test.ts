import * as Kind from "@pawl/core/Kind"
import { isLoopback } from "@pawl/core/internal/Loopback"
import { expect, it } from "vitest"

it.each([
  ["apm", ["apm-payment", "apm-payout"]],
  ["card", ["card-payment", "card-payout", "refund"]]
] as const)("the method %s has its kinds, the payment first", (method, kinds) => {
  expect(Kind.kindsOf[method]).toEqual(kinds)
  expect([method, ...kinds].map(Kind.methodOf)).toEqual([
    method,
    method,
    ...kinds.slice(1).map(() => method)
  ])
  expect([method, ...kinds].map(Kind.isKnown)).toEqual([false, ...kinds.map(() => true)])
})

it("a loopback host is this machine by its name or by its address", () => {
  for (const host of ["localhost", "::1", "[::1]", "127.0.0.1", "127.255.255.254"])
    expect([host, isLoopback(host)]).toEqual([host, true])
  for (const host of [
    "",
    "xlocalhost",
    "localhost.example",
    "x127.0.0.1",
    "127.0.0.1.example",
    "127.0.0",
    "127.0.0.0.1",
    "127.0.0.1234",
    "127.0.0.",
    "128.0.0.1",
    "::11",
    "2::1"
  ])
    expect([host, isLoopback(host)]).toEqual([host, false])
})
