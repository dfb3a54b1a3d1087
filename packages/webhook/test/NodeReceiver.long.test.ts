/** Time limits in real time: sockets do not follow the clock of a test. */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Socket } from "node:net"
import { callbackHead as head, listening, post, sendRaw } from "./doors.ts"
import { live } from "@pawl/test-support/Tests"

live("A19: slow connections are closed, and valid requests are answered meanwhile", function* () {
  const { callbacks, port } = yield* listening
  const open = new Set<Socket>()
  const cutOff: Array<string> = []
  const slowly = (where: string, first: string, next: string) =>
    sendRaw(port, (socket) => {
      open.add(socket)
      socket.write(first)
      const more = setInterval(() => socket.write(next), 1000)
      socket.on("close", () => {
        clearInterval(more)
        open.delete(socket)
        cutOff.push(where)
      })
    })
  const inHeaders = Array.from({ length: 400 }, () => slowly("headers", head(""), "X: y\r\n"))
  const inBody = Array.from({ length: 400 }, () =>
    slowly("body", head("Content-Length: 5000\r\n\r\n"), "x")
  )
  const silent = Array.from({ length: 200 }, () => slowly("silence", "", ""))
  const slow = yield* Effect.forkChild(
    Effect.all([...inHeaders, ...inBody, ...silent], { concurrency: "unbounded" })
  )

  let answered = 0
  yield* Effect.whileLoop({
    while: () => slow.pollUnsafe() === undefined,
    body: () =>
      Effect.promise(() => post(`http://127.0.0.1:${port}/callback`)).pipe(
        Effect.delay("100 millis")
      ),
    step: ({ status }) => {
      expect(status).toBe(200)
      if (open.size === 1000) answered++
    }
  })
  expect(answered).toBeGreaterThan(10)
  const response = yield* Fiber.join(slow)
  expect(response.filter((each) => / 200 /u.test(each))).toEqual([])
  expect(response.slice(0, 800).filter((each) => each.startsWith("HTTP/1.1 408 "))).toHaveLength(
    800
  )
  expect(cutOff.lastIndexOf("headers")).toBeLessThan(cutOff.indexOf("body"))
  expect(yield* callbacks).toBeGreaterThan(answered)
})
