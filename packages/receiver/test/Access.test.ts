/**
 * A wrong token waits and is logged, and nobody else waits for it. A request whose client has gone
 * ends, unless it may write.
 */
import { expect } from "vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Access from "../src/internal/admin/Access.ts"
import * as Reply from "../src/internal/admin/Response.ts"
import { serve } from "@pawl/test-support/Listener"
import { live, test } from "@pawl/test-support/Tests"
import { keepLog } from "@pawl/test-support/World"
import * as Deferred from "effect/Deferred"
import { request } from "node:http"
import * as NodeResponder from "../src/internal/admin/NodeResponder.ts"

const token = "the-token-of-the-operator"

test("A47: of 20 wrong tokens at once 4 are answered in a second, and one line is logged", function* () {
  const { kept, lines } = keepLog("Warn")
  const respond = Access.guard({ token: Redacted.make(token) }, () =>
    Effect.succeed(Reply.json("open"))
  )
  const ask = (authorization?: string) =>
    respond({
      method: "GET",
      path: "/overview",
      headers: { host: "127.0.0.1", authorization }
    }).pipe(
      Effect.map(({ status }) => status),
      kept
    )
  const answers: Array<number> = []
  for (let n = 0; n < 20; n++) {
    yield* Effect.forkChild(Effect.map(ask(`Bearer guess-${n}`), (status) => answers.push(status)))
  }
  yield* TestClock.adjust("900 millis")
  expect(answers).toEqual([])
  expect(yield* ask(`Bearer ${token}`)).toBe(200)
  expect(yield* ask()).toBe(401)
  yield* TestClock.adjust("100 millis")
  expect(answers).toEqual([401, 401, 401, 401])
  yield* TestClock.adjust("4 seconds")
  expect(answers).toHaveLength(20)
  expect(lines).toEqual([["The admin API was asked with a wrong token, once"]])
  const floods: Array<Fiber.Fiber<unknown>> = []
  for (let n = 0; n < 100; n++) floods.push(yield* Effect.forkChild(ask(`Bearer flood-${n}`)))
  yield* Effect.yieldNow
  expect(floods.filter((each) => each.pollUnsafe() === undefined)).toHaveLength(64)
  yield* Fiber.interruptAll(floods)
  const next = yield* Effect.forkChild(ask("Bearer after-the-flood"))
  yield* TestClock.adjust("900 millis")
  expect(next.pollUnsafe()).toBeUndefined()
  yield* TestClock.adjust("100 millis")
  expect(yield* Fiber.join(next)).toBe(401)
  expect(JSON.stringify(lines)).not.toContain("guess")
  yield* TestClock.adjust("1 minute")
  yield* Effect.forkChild(ask("Bearer guess"))
  yield* TestClock.adjust("1 second")
  expect(lines).toHaveLength(2)
  yield* TestClock.setTime(0)
  yield* Effect.forkChild(ask("Bearer guess"))
  yield* Effect.yieldNow
  expect(lines).toHaveLength(3)
})

live("a response that nobody waits for is not computed to its end", function* () {
  const begun = yield* Deferred.make<void>()
  const ended = yield* Deferred.make<string>()
  const work = Deferred.succeed(begun, undefined).pipe(
    Effect.andThen(Effect.never),
    Effect.onInterrupt(() => Deferred.succeed(ended, "interrupted"))
  )
  const respond = yield* NodeResponder.make
  const port = yield* serve((_, response) => respond(work, response))
  const asked = request({ port, host: "127.0.0.1" }).end()
  asked.on("error", () => {})
  yield* Deferred.await(begun)
  asked.destroy()
  expect(yield* Deferred.await(ended)).toBe("interrupted")
})

live("a defect is answered with 500, and logged with its cause", function* () {
  const { kept, lines } = keepLog("Error", ({ cause }) => Cause.pretty(cause))
  const respond = yield* kept(NodeResponder.make)
  const broken = Effect.die(new Error("a broken invariant"))
  const port = yield* serve((_, response) => respond(broken, response))
  const { status } = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/metrics`))
  expect(status).toBe(500)
  expect(lines).toEqual([expect.stringContaining("a broken invariant")])
})

live("a link of another site leads to the page, but to nothing else", function* () {
  const options = { page: new Map([["/", Reply.json("page")]]) }
  const respond = Access.guard(options, () => Effect.succeed(Reply.json("secret")))
  const headers = { host: "127.0.0.1", "sec-fetch-site": "cross-site" }
  for (const [path, status] of [
    ["/", 200],
    ["/metrics", 404]
  ] as const) {
    expect((yield* respond({ method: "GET", path, headers })).status).toBe(status)
  }
})

live("a request that may write goes on without its client", function* () {
  const begun = yield* Deferred.make<void>()
  const gone = yield* Deferred.make<void>()
  let isWritten = false
  const respond = Access.guard({}, () =>
    Deferred.succeed(begun, undefined).pipe(
      Effect.andThen(Deferred.await(gone)),
      Effect.andThen(Effect.sync(() => (isWritten = true))),
      Effect.as(Reply.json("done"))
    )
  )
  const headers = { host: "127.0.0.1" }
  const fiber = yield* Effect.forkChild(respond({ method: "POST", path: "/erase", headers }))
  yield* Deferred.await(begun)
  fiber.interruptUnsafe()
  yield* Deferred.succeed(gone, undefined)
  yield* Fiber.await(fiber)
  expect(isWritten).toBe(true)
})
