import { Verifier } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it } from "vitest"
import { layerVerifier } from "../../src/rel/FakeService.ts"
import { altered, posted } from "../../src/rel/forge.ts"
import { holds, shortRun } from "./support.ts"

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

holds(
  "changed callbacks never pass the verifier (A01, A02, A03, A07, A15, A16)",
  Effect.provide(altered(shortRun(3000)), layerVerifier),
  (figures) => expect(figures["genuine"]).toBe(6)
)

holds(
  "changed callbacks are never accepted over HTTP, and a genuine one is",
  posted(shortRun(500)),
  (figures) => expect(figures["sent"]).toBeGreaterThan(300)
)

it("changed callbacks pass a verifier that decodes the checksum before it compares", async () => {
  const { misses } = await Effect.runPromise(Effect.provide(altered(shortRun(2000)), layerDecoding))
  expect(misses.join()).toContain("was accepted")
})
