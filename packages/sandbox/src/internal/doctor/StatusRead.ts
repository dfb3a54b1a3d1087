import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Probe } from "./Probe.ts"
import type { Exchange } from "./Recording.ts"

/** Reads a status until it satisfies, at growing gaps. */
export const read = Effect.fnUntraced(function* (
  probe: Probe,
  name: string,
  path: string,
  isDone: (exchange: Exchange) => boolean
) {
  for (const gap of [0, 1, 2, 5, 15, 60]) {
    if (gap > 0) yield* probe.settings.pause(Duration.seconds(gap))
    const response = yield* probe.send({ name, method: "GET", path })
    if (isDone(response)) return
  }
})
