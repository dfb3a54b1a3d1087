import { describe, expect, it } from "@effect/vitest"
import { Verifier } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerVerifier } from "../../src/rel/FakeService.ts"
import { altered, posted } from "../../src/rel/forge.ts"
import { shortRun } from "./support.ts"

/** A bug: it compares the decoded header, so other spellings of the checksum pass. */
const layerDecoding = Layer.effect(
  Verifier,
  Effect.map(Verifier, ({ verify }) => ({
    verify: (incoming) =>
      verify({
        ...incoming,
        checksum: Buffer.from(incoming.checksum ?? "", "base64").toString("base64")
      })
  }))
).pipe(Layer.provide(layerVerifier))

describe("changed callbacks", () => {
  it.live("never pass the verifier (A01, A02, A03, A07, A15, A16)", () =>
    Effect.gen(function* () {
      const { figures, misses } = yield* Effect.provide(altered(shortRun(3000)), layerVerifier)
      expect(misses).toEqual([])
      expect(figures["genuine"]).toBe(6)
    })
  )

  it.live("are never accepted over HTTP, and a genuine one is", () =>
    Effect.gen(function* () {
      const { figures, misses } = yield* posted(shortRun(500))
      expect(misses).toEqual([])
      expect(figures["sent"]).toBeGreaterThan(300)
    })
  )

  it.live("pass a verifier that decodes the checksum before it compares", () =>
    Effect.gen(function* () {
      const { misses } = yield* Effect.provide(altered(shortRun(2000)), layerDecoding)
      expect(misses.join()).toContain("was accepted")
    })
  )
})
