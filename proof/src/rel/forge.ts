/**
 * Attacks with callbacks, by somebody who has seen callbacks and does not know the secret.
 *
 * - *altered*, *posted*: changed fields or headers, given to the verifier or posted over HTTP. None
 *   is accepted.
 * - *final*, *always*: forged statuses under valid checksums, which do not cover the status. A
 *   forged terminal status is never told; an earlier one only unconfirmed, and never under the
 *   policy `always`.
 */
import type { Policy } from "@pawl/core/Evidence"
import { finalRank, rank, type Status, statuses } from "@pawl/core/Status"
import * as World from "@pawl/test-support/World"
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

/** The number of changed callbacks for which one genuine callback is verified. */
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

const second = 1000
const minute = 60 * second
const latency = 800
/** The longest time until the handler gets a status. */
const oneRead = second + latency

const drawTransaction = (id: string, random: SeededRandom.SeededRandom) => {
  const ends: ReadonlyArray<ReadonlyArray<Status>> = [
    ["SUCCEED"],
    ["FAILED"],
    ["CANCELLED"],
    ["SUCCEED", "REFUNDED"],
    ["SUCCEED", "CHARGEBACK"],
    ["SUCCEED", "REFUNDED", "CHARGEBACK"],
    []
  ]
  const history: ReadonlyArray<Status> = ["NEW", "PENDING", "PROCESSING", ...random.pick(ends)]
  let at = 0
  const moves = history.map((status) => {
    at += 1 + random.below(random.pick([50, 2 * second, 40 * second]))
    return { id, at, status }
  })
  const forged = Array.from({ length: random.below(40) }, () => ({
    id,
    at: (moves[0]?.at ?? 0) + random.below(at + 10 * second),
    status: random.pick(statuses)
  }))
  const atGenuine = moves.flatMap((move) =>
    random.isTrue(0.5)
      ? [{ ...move, at: move.at - random.below(3), status: random.pick(statuses) }]
      : []
  )
  return { id, moves, forged: [...forged, ...atGenuine].filter(({ at }) => at >= 0) }
}

/** So few transactions that no read waits for another. */
const transactionsAtOnce = 8

/** Posts forged statuses among genuine ones; another `actual` policy must cause misses. */
export const claims = (policy: Policy, { count, seed }: Options, actual: Policy = policy) =>
  report(function* (miss) {
    const figures = { forged: 0, genuine: 0, told: 0, toldUnconfirmed: 0, reads: 0, latestMs: 0 }
    for (let from = 0; from < count; from += transactionsAtOnce) {
      const random = SeededRandom.make(seed, `claims ${policy} ${from}`)
      const transactions = Array.from({ length: transactionsAtOnce }, (_, index) =>
        drawTransaction(String(100_001 + from + index), random)
      )
      const byId = new Map(transactions.map((each) => [each.id, each.moves]))
      const statusesUntil = (id: string, at: number) =>
        (byId.get(id) ?? []).filter((move) => move.at <= at).map(({ status }) => status)
      const posts = transactions
        .flatMap(({ forged, moves }) => [
          ...forged.map((each) => ({ ...each, isGenuine: false })),
          ...moves.map((each) => ({ ...each, isGenuine: true }))
        ])
        .toSorted((one, two) => one.at - two.at)
      const { calls, reads } = yield* World.inVirtualTime(
        Effect.gen(function* () {
          const world = yield* World.started({
            policy: actual,
            // The times of reads are judged, so none waits for another.
            limits: { readsPerSecond: Infinity },
            read: ({ at, id }) => {
              const status = statusesUntil(id, at).at(-1)
              const read = status === undefined ? World.notFound : Effect.succeed(status)
              return Effect.delay(read, random.below(latency))
            }
          })
          for (const { at, id, isGenuine, status } of posts) {
            if (at > world.now()) yield* World.pass(at - world.now())
            const response = yield* world.receive(id, status)
            if (response !== 200) miss(`${status} of ${id} was answered ${response}`)
            figures[isGenuine ? "genuine" : "forged"]++
          }
          yield* World.pass(10 * minute)
          return world
        })
      )
      for (const { at, confirmed, id, to, transactionId } of calls) {
        const isTrue = statusesUntil(transactionId, at).includes(to)
        if (rank(to) >= finalRank && (!isTrue || !confirmed))
          miss(`${id} is terminal and was forged`)
        if (confirmed && !isTrue) miss(`${id} is confirmed and was forged`)
        if (policy === "always" && !confirmed) miss(`${id} is not confirmed`)
        if (!confirmed) figures.toldUnconfirmed++
      }
      for (const { id, moves } of transactions) {
        const ownCalls = calls.filter((call) => call.transactionId === id)
        for (const { at, status } of moves) {
          if (policy !== "always" && rank(status) < finalRank) continue
          const toldAt = ownCalls.find(({ to }) => rank(to) >= rank(status))?.at ?? Infinity
          if (Number.isFinite(toldAt)) figures.latestMs = Math.max(figures.latestMs, toldAt - at)
          if (toldAt > at + oneRead)
            miss(`${status} of ${id} came at ${at} and was told at ${toldAt}`)
        }
        const [end, last] = [moves.at(-1)?.status, ownCalls.at(-1)?.to]
        const mustMatch = policy === "always" || (end !== undefined && rank(end) >= finalRank)
        if (mustMatch && end !== last)
          miss(`${id} ended ${String(end)}, and was told ${String(last)}`)
      }
      figures.told += calls.length
      figures.reads += reads.length
    }
    if (policy === "final" && figures.toldUnconfirmed === 0) miss("no forged status was ever told")
    return figures
  })

export const forge: Run = {
  summary: "callbacks forged without the secret, or with a known checksum: none has an effect",
  unit: "mutations",
  count: { memory: 1_000_000 },
  make: (options) => {
    const { count } = options
    const fewer = { ...options, count: Math.ceil(count / 500) }
    return inSequence([
      ["altered", Effect.provide(altered(options), FakeService.layerVerifier)],
      ["posted", posted({ ...options, count: Math.ceil(count / 50) })],
      ["final", claims("final", fewer)],
      ["always", claims("always", fewer)]
    ])
  }
}
