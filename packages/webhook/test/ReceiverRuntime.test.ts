import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as NodeReceiver from "../src/NodeReceiver.ts"
import * as WebReceiver from "../src/WebReceiver.ts"
import { callbackRequest, makeReceiver, post } from "./doors.ts"

const flaky = () => {
  const state = { isDown: true, builds: 0, held: 0 }
  const held = Layer.effectDiscard(
    Effect.acquireRelease(
      Effect.sync(() => state.held++),
      () => Effect.sync(() => state.held--)
    )
  )
  const built = Layer.unwrap(
    Effect.suspend(() => {
      state.builds++
      return state.isDown
        ? Effect.fail("database down" as const)
        : Effect.succeed(makeReceiver().layer)
    })
  )
  return { state, layer: Layer.provideMerge(built, held) }
}

const doors = {
  WebReceiver: async (layer: ReturnType<typeof flaky>["layer"]) => {
    const { dispose, handler, start } = WebReceiver.toHandler(layer)
    const send = async () => {
      const { body, headers, search } = callbackRequest()
      const request = { method: "POST", body, headers }
      return (await handler(new Request(`https://shop.example/callback${search}`, request))).status
    }
    return { dispose, send, start }
  },
  NodeReceiver: async (layer: ReturnType<typeof flaky>["layer"]) => {
    const { dispose, listener, start } = NodeReceiver.toListener(layer)
    const server = createServer(listener).listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    return {
      dispose: async () => {
        server.close()
        server.closeAllConnections()
        await dispose()
      },
      send: async () => (await post(`http://127.0.0.1:${port}/callback`)).status,
      start
    }
  }
}

const logs: Array<string> = []
let passed = 0n
beforeEach(() => {
  logs.length = 0
  passed = 0n
  vi.spyOn(console, "log").mockImplementation((...line) => void logs.push(line.join(" ")))
  const clock = Effect.runSync(Clock.Clock)
  const now = clock.monotonicTimeNanosUnsafe.bind(clock)
  vi.spyOn(clock, "monotonicTimeNanosUnsafe").mockImplementation(() => now() + passed)
})
afterEach(() => void vi.restoreAllMocks())

describe.each(["WebReceiver", "NodeReceiver"] as const)("the build of a %s", (door) => {
  it("is made again by the first callback a second after it failed, and is kept then", async () => {
    const { layer, state } = flaky()
    const { dispose, send } = await doors[door](layer)
    expect([await send(), await send()]).toEqual([503, 503])
    expect(state).toMatchObject({ builds: 1, held: 0 })
    expect(logs.length).toBe(1)
    expect(logs[0]).toMatch(/ERROR.*: The receiver cannot be built.*database down/su)

    passed += 1_000_000_000n
    expect([await send(), await send()]).toEqual([503, 503])
    expect([state.builds, logs.length]).toEqual([2, 2])

    state.isDown = false
    expect(await send()).toBe(503)
    passed += 1_000_000_000n
    expect(await Promise.all([send(), send()])).toEqual([200, 200])
    passed += 1_000_000_000n
    expect(await send()).toBe(200)
    expect(state).toMatchObject({ builds: 3, held: 1 })
    expect(logs.length).toBe(2)
    await dispose()
    expect(state.held).toBe(0)
  })

  it("makes start fail with its error, and is made again by a later start", async () => {
    const { layer, state } = flaky()
    const { dispose, send, start } = await doors[door](layer)
    await expect(start()).rejects.toMatch("database down")
    state.isDown = false
    await expect(start()).rejects.toMatch("database down")
    expect(await send()).toBe(503)
    expect(state.builds).toBe(1)
    passed += 1_000_000_000n
    await start()
    expect(await send()).toBe(200)
    expect(state.builds).toBe(2)
    await dispose()
  })

  it("is made again after it was interrupted from within", async () => {
    let builds = 0
    const { layer } = makeReceiver()
    const build = Effect.suspend(() => (builds++ === 0 ? Effect.interrupt : Effect.succeed(layer)))
    const { dispose, send } = await doors[door](Layer.unwrap(build))
    expect(await send()).toBe(503)
    passed += 1_000_000_000n
    expect(await send()).toBe(200)
    await dispose()
  })

  it("has not failed if the receiver ends meanwhile", async () => {
    const building = Layer.unwrap(Effect.as(Effect.never, flaky().layer))
    const { dispose, start } = await doors[door](building)
    const started = start()
    await dispose()
    await expect(started).rejects.toBeDefined()
    expect(logs).toEqual([])
  })

  it("is not made again after the end of the receiver", async () => {
    const { layer, state } = flaky()
    const { dispose, send, start } = await doors[door](layer)
    expect(await send()).toBe(503)
    passed += 1_000_000_000n
    await dispose()
    await expect(start()).rejects.toMatch("disposed")
    expect(state).toMatchObject({ builds: 1, held: 0 })
  })
})
