/** A request whose client has gone ends, unless it may write. */
import { serve } from "@pawl/test-support/Listener"
import { live } from "@pawl/test-support/Tests"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { request } from "node:http"
import { expect } from "vitest"
import * as Access from "../src/internal/admin/Access.ts"
import * as NodeResponder from "../src/internal/admin/NodeResponder.ts"
import * as Reply from "../src/internal/admin/Response.ts"

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
