/**
 * Shares the thread among the merchants of a receiver.
 *
 * **Details**
 *
 * Each merchant has a queue of tasks: the steps of his fibers, and the callbacks of his that were verified. The next task is
 * that of the merchant whose tasks have taken the least time. So a merchant who has much to do, because his handler fails and is called again,
 * takes the time that the others leave, and a merchant with one callback has his turn at once. Time in which a merchant
 * had nothing to do is not credited to him.
 *
 * After 5 milliseconds the thread goes to the connections and timers. A task is not interrupted: a handler that computes for a second
 * without a pause takes this second from all.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

/**
 * The turns of a merchant. `scheduler` runs the fibers of his worker, and `wait` completes when it is his turn.
 */
export interface Turns {
  readonly scheduler: Scheduler.Scheduler
  readonly wait: Effect.Effect<void>
}

/** The time after which the connections and timers have theirs. */
const sliceNanos = 5_000_000n
/** The most tasks in that time, so that it ends if the clock stands still. */
const maxTasks = 1000

interface Queue {
  readonly tasks: Array<() => void>
  /** The nanoseconds that the tasks have taken. */
  taken: bigint
}

/** Makes the function that makes the turns of each merchant. */
export const make = (
  clock: Pick<Clock.Clock, "monotonicTimeNanosUnsafe">,
  base: Pick<
    Scheduler.MixedScheduler,
    "executionMode" | "setImmediate" | "shouldYield"
  > = new Scheduler.MixedScheduler()
): (() => Turns) => {
  /** The queues with tasks. The one that was served last is the last. */
  const ready = new Set<Queue>()
  let isPlanned = false
  /** The time that the queue had taken which was served last. */
  let level = 0n

  const plan = () => {
    if (isPlanned || ready.size === 0) return
    isPlanned = true
    base.setImmediate(runSlice)
  }

  const add = (queue: Queue, task: () => void) => {
    queue.tasks.push(task)
    if (!ready.has(queue)) {
      if (queue.taken < level) queue.taken = level
      ready.add(queue)
    }
    plan()
  }

  const next = (): Queue | undefined => {
    let least: Queue | undefined
    for (const queue of ready) {
      if (least === undefined || queue.taken < least.taken) least = queue
    }
    return least
  }

  /** Takes the oldest task of a queue. */
  const shift = (queue: Queue): (() => void) | undefined => {
    const task = queue.tasks.shift()
    ready.delete(queue)
    if (queue.tasks.length > 0) ready.add(queue)
    return task
  }

  const runSlice = () => {
    isPlanned = false
    const end = clock.monotonicTimeNanosUnsafe() + sliceNanos
    let at = end - sliceNanos
    try {
      for (let count = 0; at < end && count < maxTasks; count++) {
        const queue = next()
        if (queue === undefined) return
        level = queue.taken
        shift(queue)?.()
        const now = clock.monotonicTimeNanosUnsafe()
        queue.taken += now - at
        at = now
      }
    } finally {
      plan()
    }
  }

  return () => {
    const queue: Queue = { tasks: [], taken: 0n }
    const dispatcher: Scheduler.SchedulerDispatcher = {
      scheduleTask: (task) => add(queue, task),
      flush: () => {
        while (queue.tasks.length > 0) shift(queue)?.()
      }
    }
    return {
      scheduler: {
        executionMode: base.executionMode,
        shouldYield: (fiber) => base.shouldYield(fiber),
        makeDispatcher: () => dispatcher
      },
      wait: Effect.callback((resume) => add(queue, () => resume(Effect.void)))
    }
  }
}
