/**
 * The callbacks of `rel kill`: histories of transactions, shuffled, some more than once.
 */
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import type { SeededRandom } from "./SeededRandom.ts"

const queueLength = 60

const possibleHistories: ReadonlyArray<ReadonlyArray<Status>> = [
  ["NEW", "PENDING", "PROCESSING", "SUCCEED"],
  ["PENDING", "SUCCEED"],
  ["NEW", "PENDING", "FAILED"],
  ["PENDING", "PROCESSING", "CANCELLED"],
  ["PENDING", "SUCCEED", "REFUNDED"],
  ["NEW", "PENDING", "PROCESSING", "SUCCEED", "CHARGEBACK"]
]

export interface Delivery {
  readonly id: string
  readonly status: Status
  readonly step: number
}

/** Makes the traffic; `add` notes an accepted callback, and `resend` puts it back. */
export const traffic = (
  random: SeededRandom,
  statuses: { readonly set: (id: string, status: Status) => unknown }
) => {
  const histories = new Map<string, ReadonlyArray<Status>>()
  const steps = new Map<string, number>()
  const accepted = new Map<string, Array<Status>>()
  const queue: Array<Delivery> = []
  const source = { isOpen: true }
  const addTransaction = () => {
    const id = String(100_001 + histories.size)
    const history = random.pick(possibleHistories)
    histories.set(id, history)
    for (const [step, status] of history.entries()) {
      const times = random.pick([1, 1, 2, 3])
      for (let time = 0; time < times; time++) queue.push({ id, status, step })
    }
  }
  return {
    histories,
    accepted,
    next: (): Delivery | undefined => {
      while (source.isOpen && queue.length < queueLength) addTransaction()
      const [delivery] = queue.splice(random.below(queue.length), 1)
      // The service reaches a status before it posts the callback.
      if (delivery !== undefined && (steps.get(delivery.id) ?? -1) < delivery.step) {
        steps.set(delivery.id, delivery.step)
        statuses.set(delivery.id, delivery.status)
      }
      return delivery
    },
    resend: (delivery: Delivery) => queue.push(delivery),
    add: ({ id, status }: Delivery) => accepted.set(id, [...(accepted.get(id) ?? []), status]),
    close: () => {
      source.isOpen = false
    }
  }
}

/** Sends deliveries while there is a port, some at once, until its scope ends. */
export const sendAll = (
  senders: number,
  portNow: () => number | undefined,
  next: () => Delivery | undefined,
  send: (port: number, delivery: Delivery) => Promise<unknown>
) => {
  const sendWhile = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const port = portNow()
      const delivery = port === undefined ? undefined : next()
      if (port === undefined || delivery === undefined) await sleep(5)
      else await send(port, delivery)
    }
  }
  return Effect.forkScoped(
    Effect.promise((signal) =>
      Promise.all(Array.from({ length: senders }, () => sendWhile(signal)))
    )
  )
}
