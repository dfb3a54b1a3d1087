/**
 * Senders that post callbacks of many transactions to the receivers, until each is answered 200.
 */
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as FakeService from "./FakeService.ts"
import { sendAll, traffic } from "./KillTraffic.ts"
import { makePost } from "./LocalHttp.ts"
import type { SeededRandom } from "./SeededRandom.ts"

const senders = 4

/**
 * Options: `gap`, the longest wait after a response in milliseconds; `onAnswered` gets the port of
 * each 200.
 */
interface Options {
  readonly random: SeededRandom
  readonly statuses: Map<string, Status>
  readonly miss: (sentence: string) => void
  readonly ports: () => Iterable<number>
  readonly gap: number
  readonly onAnswered?: (port: number) => void
}

export const start = Effect.fnUntraced(function* ({
  gap,
  miss,
  onAnswered,
  ports,
  random,
  statuses
}: Options) {
  const post = yield* makePost(senders * 2)
  const { accepted, add, close, histories, next, resend } = traffic(random, statuses)
  const figures = { answered200: 0, resent: 0 }

  yield* sendAll(
    senders,
    () => random.pick([...ports(), undefined]),
    next,
    async (to, delivery) => {
      const status = await post(to, FakeService.callback(delivery.id, delivery.status))
      if (status === 200) {
        figures.answered200++
        onAnswered?.(to)
        add(delivery)
      } else {
        if (status !== undefined && status !== 503) miss(`a callback was answered ${status}`)
        figures.resent++
        resend(delivery)
      }
      await sleep(random.below(gap))
    }
  )

  /** Returns false after a minute. */
  const waitForAnswers = async (count: number): Promise<boolean> => {
    const end = figures.answered200 + count
    for (let waits = 0; waits < 12_000 && figures.answered200 < end; waits++) await sleep(5)
    return figures.answered200 >= end
  }
  return { accepted, close, figures, histories, waitForAnswers }
})
