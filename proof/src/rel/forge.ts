/**
 * What somebody can do who has seen callbacks, and has no secret.
 *
 * **Details**
 *
 * Three parts. *Altered*: signed fields and headers changed in every way known, through the verifier, and
 * a share of them over HTTP to a receiver; none is taken. *Claims*: the status is not signed, so forged
 * ones are posted under valid checksums, beside the genuine, in virtual time; what is final is told only
 * when the service said so, what is earlier only unconfirmed, under `always` nothing the service did not
 * say, and what is genuine is told no later than one read after it came.
 */
import type { Policy } from "@pawl/core/Evidence"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { finalRank, rank, type Status, statuses } from "@pawl/core/Status"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Chance from "./Chance.ts"
import * as Mutations from "./Mutations.ts"
import * as Receivers from "./Receivers.ts"
import { type Report, type Run, tally, inTurn, type Wanted } from "./Run.ts"
import * as Service from "./Service.ts"
import { each, poster } from "./Sockets.ts"
import * as World from "./World.ts"

type Asked = Omit<Wanted, "stores">

/** One in so many is asked whether the genuine one still passes. */
const sample = 500
const slice = 20_000

/** Changes callbacks in every way known; none may pass the verifier there is. */
export const altered = ({ count, say, seed }: Asked) =>
  Effect.gen(function* () {
    const { miss, misses } = tally()
    const { verify } = yield* Verifier.Verifier
    const chance = Chance.make(seed, "altered")
    const answers: Record<string, number> = {}
    let genuine = 0
    for (let from = 0; from < count; from += slice) {
      for (let index = from; index < Math.min(from + slice, count); index++) {
        const original = Mutations.genuine(chance)
        const { checksum, ...mutated } = Mutations.mutate(original, chance)
        const incoming = { ...Service.incoming({ ...mutated, checksum: "" }), checksum }
        const verified = verify(incoming)
        if (Result.isFailure(verified)) {
          const { status } = verified.failure
          answers[`answered${status}`] = (answers[`answered${status}`] ?? 0) + 1
        } else miss(`mutation ${index} was taken: ${mutated.body}, ${String(checksum)}`)
        if (index % sample !== 0) continue
        if (Result.isSuccess(verify(Service.incoming(Mutations.unchanged(original))))) genuine++
        else miss(`the genuine callback of mutation ${index} was refused`)
      }
      if (from % (10 * slice) === 0 && from > 0) say(`${from} mutations`)
      yield* Effect.yieldNow
    }
    const figures: Report["figures"] = { ...answers, genuine }
    return { figures, misses: misses() }
  })

/** The verifier of the receiver. */
export const layerVerifier = Verifier.layer({ current: Redacted.make(Service.secret) }).pipe(
  Layer.provide(NodeHmac.layer)
)

/** Posts such callbacks to a receiver; none may be taken, or be in its ledger. */
export const posted = ({ count, say, seed }: Asked) =>
  Effect.gen(function* () {
    const { miss, misses } = tally()
    const { baseUrl } = yield* Service.start
    const start = yield* Receivers.make
    const post = yield* poster(32)
    const port = yield* Receivers.serving(start(baseUrl, ["--store", "memory"]))
    const chance = Chance.make(seed, "posted")
    let sent = 0
    yield* Effect.promise(() =>
      each(count, 32, async (index) => {
        const { checksum, isPostable, ...mutated } = Mutations.mutate(
          Mutations.genuine(chance),
          chance
        )
        if (!isPostable) return
        sent++
        const answer = await post(port, {
          ...mutated,
          ...(checksum !== undefined && { checksum })
        })
        if (answer !== 400 && answer !== 401)
          miss(`it was answered ${String(answer)}: ${mutated.body}`)
        if (index % 10_000 === 9999) say(`${index + 1} mutations over HTTP`)
      })
    )
    // One that is genuine, so that what counts is known to count.
    const answer = yield* Effect.promise(() =>
      post(port, Mutations.unchanged(Mutations.genuine(chance)))
    )
    if (answer !== 200) miss(`a genuine callback was answered ${String(answer)}`)
    const metrics = yield* Effect.promise(() =>
      fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text())
    )
    const taken = /^pawl_webhook_accepted_total (\d+)/mu.exec(metrics)?.[1]
    if (taken !== "1") miss(`${String(taken)} were accepted, and one was genuine`)
    return { figures: { sent }, misses: misses() }
  }).pipe(Effect.scoped)

const second = 1000
const minute = 60 * second
/** No row is read twice in a second; a read takes up to this long. */
const latency = 800
const oneRead = second + latency

/** A transaction's true history, and what is posted of it: genuine and forged, at their instants. */
const story = (id: string, chance: Chance.Chance) => {
  const ends: ReadonlyArray<ReadonlyArray<Status>> = [
    ["SUCCEED"],
    ["FAILED"],
    ["CANCELLED"],
    ["SUCCEED", "REFUNDED"],
    ["SUCCEED", "CHARGEBACK"],
    ["SUCCEED", "REFUNDED", "CHARGEBACK"],
    []
  ]
  const history: ReadonlyArray<Status> = ["NEW", "PENDING", "PROCESSING", ...chance.pick(ends)]
  let at = 0
  const moves = history.map((status) => {
    at += 1 + chance.below(chance.pick([50, 2 * second, 40 * second]))
    return { id, at, status }
  })
  const forged = Array.from({ length: chance.below(40) }, () => ({
    id,
    at: (moves[0]?.at ?? 0) + chance.below(at + 10 * second),
    status: chance.pick(statuses)
  }))
  // The moment before a genuine one is the worst, and so is its own.
  const beside = moves.flatMap((move) =>
    chance.is(0.5)
      ? [{ ...move, at: move.at - chance.below(3), status: chance.pick(statuses) }]
      : []
  )
  return { id, moves, forged: [...forged, ...beside].filter(({ at }) => at >= 0) }
}

/** Few, so that no question waits for another's. */
const crowd = 8

/** Posts forged statuses beside genuine ones; `actual` is the policy of the receiver, for who tests this. */
export const claims = (policy: Policy, { count, seed }: Asked, actual: Policy = policy) =>
  Effect.gen(function* () {
    const { miss, misses } = tally()
    const figures = { forged: 0, genuine: 0, told: 0, toldUnconfirmed: 0, reads: 0, latestMs: 0 }
    for (let from = 0; from < count; from += crowd) {
      const chance = Chance.make(seed, `claims ${policy} ${from}`)
      const stories = Array.from({ length: crowd }, (_, index) =>
        story(String(100_001 + from + index), chance)
      )
      const byId = new Map(stories.map((each) => [each.id, each.moves]))
      const reached = (id: string, at: number) =>
        (byId.get(id) ?? []).filter((move) => move.at <= at).map(({ status }) => status)
      const posts = stories
        .flatMap(({ forged, moves }) => [
          ...forged.map((each) => ({ ...each, isGenuine: false })),
          ...moves.map((each) => ({ ...each, isGenuine: true }))
        ])
        .toSorted((one, two) => one.at - two.at)
      const { calls, reads } = yield* World.inVirtualTime(
        Effect.gen(function* () {
          const world = yield* World.make({
            policy: actual,
            latency: () => chance.below(latency),
            truth: (id, at) => reached(id, at).at(-1)
          })
          for (const { at, id, isGenuine, status } of posts) {
            if (at > world.now()) yield* World.pass(at - world.now())
            const answer = yield* world.receive(Service.callback(id, status))
            if (answer !== 200) miss(`${status} of ${id} was answered ${answer}`)
            figures[isGenuine ? "genuine" : "forged"]++
          }
          yield* World.pass(10 * minute)
          return world
        })
      )
      for (const { at, confirmed, id, to, transactionId } of calls) {
        const isTrue = reached(transactionId, at).includes(to)
        if (rank(to) >= finalRank && (!isTrue || !confirmed)) miss(`${id} is final and was forged`)
        if (confirmed && !isTrue) miss(`${id} is confirmed and was forged`)
        if (policy === "always" && !confirmed) miss(`${id} is not confirmed`)
        if (!confirmed) figures.toldUnconfirmed++
      }
      for (const { id, moves } of stories) {
        const heard = calls.filter((call) => call.transactionId === id)
        for (const { at, status } of moves) {
          if (policy !== "always" && rank(status) < finalRank) continue
          const when = heard.find(({ to }) => rank(to) >= rank(status))?.at ?? Infinity
          if (Number.isFinite(when)) figures.latestMs = Math.max(figures.latestMs, when - at)
          if (when > at + oneRead) miss(`${status} of ${id} came at ${at} and was told at ${when}`)
        }
        const [end, last] = [moves.at(-1)?.status, heard.at(-1)?.to]
        const isRight = policy === "always" || (end !== undefined && rank(end) >= finalRank)
        if (isRight && end !== last)
          miss(`${id} ended ${String(end)}, and was told ${String(last)}`)
      }
      figures.told += calls.length
      figures.reads += reads()
    }
    if (policy === "final" && figures.toldUnconfirmed === 0) miss("nothing forged was ever told")
    return { figures, misses: misses() }
  })

export const forge: Run = {
  what: "callbacks forged without the secret, or with a checksum that was seen: none counts",
  unit: "mutations",
  count: { memory: 1_000_000 },
  stores: ["memory"],
  make: (wanted) => {
    const { count } = wanted
    const some = { ...wanted, count: Math.ceil(count / 500) }
    return inTurn([
      ["altered", Effect.provide(altered(wanted), layerVerifier)],
      ["posted", posted({ ...wanted, count: Math.ceil(count / 50) })],
      ["final", claims("final", some)],
      ["always", claims("always", some)]
    ])
  }
}
