import * as Effect from "effect/Effect"
import { EventEmitter, once } from "node:events"
import * as Sandbox from "../../src/Sandbox.ts"
import type { Shown } from "./sandbox.ts"

export interface Arrived {
  readonly id: number
  readonly name: string
  readonly item: Shown
}

/** Listens until the scope closes; no event after the return is missed. */
export const listen = Effect.gen(function* () {
  const { baseUrl } = yield* Sandbox.Sandbox
  const signal = yield* Effect.abortSignal
  const events: Array<Arrived> = []
  const arrivals = new EventEmitter()
  const response = yield* Effect.promise(() =>
    fetch(baseUrl.replace("/api", "/sandbox/events"), { signal })
  )
  const read = async () => {
    let text = ""
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const blocks = text.split("\n\n")
      text = blocks.pop() ?? ""
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, "mu").exec(block)?.[1] ?? ""
        if (block.startsWith(":")) continue
        events.push({
          id: Number(field("id")),
          name: field("event"),
          item: JSON.parse(field("data")) as Shown
        })
        arrivals.emit("arrived")
      }
    }
  }
  read().catch(() => {})
  const first = (isOne: (event: Arrived) => boolean) =>
    Effect.promise(async () => {
      for (;;) {
        const found = events.find(isOne)
        if (found !== undefined) return found
        await once(arrivals, "arrived")
      }
    })
  return { events, first, headers: response.headers }
})
