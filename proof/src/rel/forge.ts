/**
 * Attacks with callbacks, by somebody who has seen callbacks and does not know the secret: changed
 * fields or headers are given to the verifier (*altered*) or posted over HTTP (*posted*), and none
 * is accepted. The simulation forges statuses under valid checksums.
 */
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SeededRandom from "./SeededRandom.ts"
import * as Mutations from "./Mutations.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { inSequence, report, type Run, type RunOptions } from "./Run.ts"
import * as FakeService from "./FakeService.ts"
import { makePost, repeat } from "./LocalHttp.ts"

type Options = Omit<RunOptions, "stores">

const genuineEvery = 500
const yieldEvery = 20_000

export const altered = ({ count, progress, seed }: Options) =>
  report(function* (miss) {
    const { verify } = yield* Verifier.Verifier
    const random = SeededRandom.make(seed, "altered")
    const counts: Record<string, number> = {}
    let genuine = 0
    for (let from = 0; from < count; from += yieldEvery) {
      for (let index = from; index < Math.min(from + yieldEvery, count); index++) {
        const original = Mutations.genuine(random)
        const { checksum, ...mutated } = Mutations.mutate(original, random)
        const incoming = { ...FakeService.incoming({ ...mutated, checksum: "" }), checksum }
        const verified = verify(incoming)
        if (Result.isFailure(verified)) {
          const { status } = verified.failure
          counts[`answered${status}`] = (counts[`answered${status}`] ?? 0) + 1
        } else miss(`mutation ${index} was accepted: ${mutated.body}, ${String(checksum)}`)
        if (index % genuineEvery !== 0) continue
        if (Result.isSuccess(verify(FakeService.incoming(Mutations.unchanged(original))))) genuine++
        else miss(`the genuine callback of mutation ${index} was refused`)
      }
      if (from % (10 * yieldEvery) === 0 && from > 0) progress(`${from} of ${count} mutations`)
      yield* Effect.yieldNow
    }
    return { ...counts, genuine }
  })

export const posted = ({ count, progress, seed }: Options) =>
  report(function* (miss) {
    const { serve } = yield* ReceiverProcess.make("memory")
    const post = yield* makePost
    const { get, port } = yield* serve()
    const random = SeededRandom.make(seed, "posted")
    let sent = 0
    yield* Effect.promise(() =>
      repeat(count, 32, async (index) => {
        const { checksum, isPostable, ...mutated } = Mutations.mutate(
          Mutations.genuine(random),
          random
        )
        if (!isPostable) return
        sent++
        const status = await post(port, {
          ...mutated,
          ...(checksum !== undefined && { checksum })
        })
        if (status !== 400 && status !== 401)
          miss(`a changed callback was answered ${String(status)}: ${mutated.body}`)
        if (index % 10_000 === 9999) progress(`${index + 1} of ${count} mutations over HTTP`)
      })
    )
    // A genuine callback shows that the receiver works.
    const status = yield* Effect.promise(() =>
      post(port, Mutations.unchanged(Mutations.genuine(random)))
    )
    if (status !== 200) miss(`a genuine callback was answered ${String(status)}`)
    const metrics = yield* Effect.promise(async () => (await get("/metrics")).text())
    const accepted = /^pawl_webhook_callbacks_accepted_total (\d+)/mu.exec(metrics)?.[1]
    if (accepted !== "1") miss(`${String(accepted)} were accepted, and one was genuine`)
    return { sent }
  })

export const forge: Run = {
  summary: "callbacks forged without the secret: none is accepted",
  unit: "mutations",
  count: { memory: 1_000_000 },
  make: (options) =>
    inSequence([
      ["altered", Effect.provide(altered(options), FakeService.layerVerifier)],
      ["posted", posted({ ...options, count: Math.ceil(options.count / 50) })]
    ])
}
