import { describe, expect, it } from "@effect/vitest"
import { Verifier } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { altered, claims, layerVerifier, posted } from "../../src/rel/forge.ts"
import { short } from "./support.ts"

/** A verifier like ours that compares what the header decodes to. */
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

describe("callbacks that were changed", () => {
  it.live("are never taken by the verifier (A01, A02, A03, A07, A15, A16)", () =>
    Effect.gen(function* () {
      const { figures, misses } = yield* Effect.provide(altered(short(20_000)), layerVerifier)
      expect(misses).toEqual([])
      expect(figures["genuine"]).toBe(40)
    })
  )

  it.live("are never taken over HTTP, and the genuine one beside them is", () =>
    Effect.gen(function* () {
      const { figures, misses } = yield* posted(short(500))
      expect(misses).toEqual([])
      expect(figures["sent"]).toBeGreaterThan(300)
    })
  )

  it.live("are found out when a verifier decodes before it compares", () =>
    Effect.gen(function* () {
      const { misses } = yield* Effect.provide(altered(short(2000)), layerDecoding)
      expect(misses.join()).toContain("was taken")
    })
  )
})

describe("forged statuses under a valid checksum", () => {
  it.live("are told as nothing but unconfirmed, and hold nothing up (A05, S9)", () =>
    Effect.gen(function* () {
      const { figures, misses } = yield* claims("final", short(120))
      expect(misses).toEqual([])
      expect(figures.forged).toBeGreaterThan(1000)
    })
  )

  it.live("are not told at all where everything has to be confirmed", () =>
    Effect.gen(function* () {
      const { figures, misses } = yield* claims("always", short(120))
      expect(misses).toEqual([])
      expect(figures.toldUnconfirmed).toBe(0)
    })
  )

  it.live("are found out when a receiver confirms nothing, or not everything", () =>
    Effect.gen(function* () {
      const trusting = yield* claims("final", short(40), "never")
      expect(trusting.misses.join()).toContain("is final and was forged")
      const hasty = yield* claims("always", short(40), "final")
      expect(hasty.misses.join()).toContain("is not confirmed")
    })
  )
})
