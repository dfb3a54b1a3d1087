import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it } from "vitest"
import { ApmPayouts } from "../src/ApmPayouts.ts"
import * as Memory from "./support/memory.ts"

it("has a checksum only when Profile.payoutChecksum is on", async () => {
  for (const payoutChecksum of [true, false]) {
    const service = new Memory.Service()
    await ApmPayouts.use(({ create }) => create(Memory.payment)).pipe(
      Effect.provide(Layer.provide(Memory.client(service), Memory.profile({ payoutChecksum }))),
      Memory.virtual
    )
    const { checksum, ...fields } = JSON.parse(service.requests[0]?.body ?? "")
    expect(fields).toEqual(Memory.payment)
    if (payoutChecksum) expect(checksum).toMatch(/^[0-9a-f]{64}$/u)
    else expect(checksum).toBeUndefined()
  }
})
