import { expect, it } from "@effect/vitest"
import * as LogLine from "../src/internal/LogLine.ts"

const entry = {
  level: "WARN",
  fiberId: "#1",
  timestamp: "2026-11-22T20:14:03.123Z",
  message: "hello" as unknown,
  cause: undefined,
  annotations: {},
  spans: {}
}

it("has the time, the level, the message and the annotations in one line", () => {
  const event = { _tag: "Alarm", reason: "several final statuses conflict" }
  const annotations = { method: "apm", transactionId: "100001" }
  expect(LogLine.make(true)({ ...entry, message: event, annotations })).toBe(
    "\u001B[33m20:14:03.123 WARN  Alarm: several final statuses conflict method=apm transactionId=100001\u001B[0m"
  )
  expect(
    LogLine.make(true)({ ...entry, level: "INFO", message: ["told", { to: "SUCCEED" }, 7] })
  ).toBe("20:14:03.123 INFO  told to=SUCCEED 7")
})

it("has a cause in lines of its own, and no control character of anybody's text", () => {
  const cause = "Error: no\n    at \u001B[2Jhere"
  const message = "a\nb\r\u001B]0;title\u0007"
  expect(LogLine.make(true)({ ...entry, level: "INFO", message, cause })).toBe(
    "20:14:03.123 INFO  a b ]0;title \n  Error: no\n      at  [2Jhere"
  )
})

it("A23: shows the text of a callback in its order, and on one line", () => {
  const annotations = { transactionId: "1\u202E\u2066\u20282" }
  expect(LogLine.make(false)({ ...entry, annotations })).toBe(
    "20:14:03.123 WARN  hello transactionId=1 2"
  )
})

it("A23: as JSON escapes what could change the line on a terminal", () => {
  const json = JSON.stringify({ a: "\u001B[2J\u009B2J\u202E\u2066\u2028 é|" })
  expect(LogLine.escaped(json)).toBe(String.raw`{"a":"\u001b[2J\u009b2J\u202e\u2066\u2028 é|"}`)
})

it("has no colour where there are none", () => {
  expect(LogLine.make(false)(entry)).toBe("20:14:03.123 WARN  hello")
})
