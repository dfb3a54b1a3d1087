/**
 * Senders that post shuffled histories of transactions, some callbacks more than once, until each
 * is answered 200.
 */
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import type { Miss } from "./Run.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import * as Wait from "./Wait.ts"

const queueLength = 60

const possibleHistories: ReadonlyArray<ReadonlyArray<Status>> = [
  ["NEW", "PENDING", "PROCESSING", "SUCCEED"],
  ["PENDING", "SUCCEED"],
  ["NEW", "PENDING", "FAILED"],
  ["PENDING", "PROCESSING", "CANCELLED"],
  ["PENDING", "SUCCEED", "REFUNDED"],
  ["NEW", "PENDING", "PROCESSING", "SUCCEED", "CHARGEBACK"]
]

interface Delivery {
  readonly id: string
  readonly status: Status
  readonly step: number
}

/**
 * Options: `ports` of the receivers now, none while none serves; `gap`, the longest wait after a
 * response in milliseconds; `onAnswered` gets the port of each 200.
 */
interface Options {
  readonly random: SeededRandom
  readonly statuses: { readonly set: (id: string, status: Status) => unknown }
  readonly post: (port: number, id: string, status: Status) => Promise<number | undefined>
  readonly miss: Miss
  readonly ports: () => ReadonlyArray<number>
  readonly gap: number
  readonly senders?: number
  readonly onAnswered?: (port: number) => void
}

export const start = Effect.fnUntraced(function* (options: Options) {
  const { gap, miss, onAnswered, ports, post, random, senders = 4, statuses } = options
  const histories = new Map<string, ReadonlyArray<Status>>()
  const steps = new Map<string, number>()
  const accepted = new Map<string, Array<Status>>()
  const queue: Array<Delivery> = []
  const source = { isOpen: true }
  const figures = { answered200: 0, resent: 0 }

  const addTransaction = () => {
    const id = String(100_001 + histories.size)
    const history = random.pick(possibleHistories)
    histories.set(id, history)
    for (const [step, status] of history.entries()) {
      const times = random.pick([1, 1, 2, 3])
      for (let time = 0; time < times; time++) queue.push({ id, status, step })
    }
  }
  const next = (): Delivery | undefined => {
    while (source.isOpen && queue.length < queueLength) addTransaction()
    const [delivery] = queue.splice(random.below(queue.length), 1)
    // The service reaches a status before it posts the callback.
    if (delivery !== undefined && (steps.get(delivery.id) ?? -1) < delivery.step) {
      steps.set(delivery.id, delivery.step)
      statuses.set(delivery.id, delivery.status)
    }
    return delivery
  }
  const deliver = async (to: number, delivery: Delivery): Promise<void> => {
    const { id, status } = delivery
    const code = await post(to, id, status)
    if (code === 200) {
      figures.answered200++
      onAnswered?.(to)
      accepted.set(id, [...(accepted.get(id) ?? []), status])
    } else {
      if (code !== undefined && code !== 503) miss(`a callback was answered ${code}`)
      figures.resent++
      queue.push(delivery)
    }
    await sleep(random.below(gap))
  }
  const sendWhile = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const open = ports()
      const port = open.length > 1 ? random.pick(open) : open[0]
      const delivery = port === undefined ? undefined : next()
      if (port === undefined || delivery === undefined) await sleep(5)
      else await deliver(port, delivery)
    }
  }
  yield* Effect.forkScoped(
    Effect.promise((signal) =>
      Promise.all(Array.from({ length: senders }, () => sendWhile(signal)))
    )
  )

  return {
    accepted,
    figures,
    histories,
    close: () => {
      source.isOpen = false
    },
    waitForAnswers: async (count: number): Promise<void> => {
      const end = figures.answered200 + count
      if (!(await Wait.until(() => figures.answered200 >= end, Wait.longest, 1)))
        miss(`fewer than ${count} callbacks were answered in ${Wait.longest} ms`)
    }
  }
})
