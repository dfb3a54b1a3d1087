/** `Metrics` has the table of these. */
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { Event } from "../../Journal.ts"
import { alarmsFor, counter, counters } from "../rule/Counters.ts"
import { type ReadLane, readLanes } from "../rule/Row.ts"

const accepted = counter("callbacks.accepted", "Callbacks that were stored")
const repeats = counter("callbacks.repeated", "Accepted callbacks that repeat a known status")
const quarantined = counter("callbacks.quarantined", "Accepted callbacks that cannot be acted on")
export const refusedWith = counters(
  "callbacks.refused",
  "http.response.status_code",
  "Callbacks that were not stored, by status code"
)
const toldOf = counters("transitions.told", "to", "Transitions that the handler accepted")
const handlerFailures = counter("handler.failures", "Calls of the handler that failed")
const readsWith = counters("reads", "answer", "Reads from the service, by its answer")
export const putOffIn = counters(
  "reads.put_off",
  "lane",
  "Reads without room in the budget, by lane"
)
export const readLags = Object.fromEntries(
  readLanes.map((lane) => [
    lane,
    Metric.gauge("pawl.webhook.read.lag", {
      description: "Time by which the last read of a lane was late",
      attributes: { lane, unit: "s" }
    })
  ])
) as Readonly<Record<ReadLane, Metric.Gauge<number>>>
const deadLetteredFor = counters(
  "transactions.dead_lettered",
  "reason",
  "Transactions that became dead letters"
)
export const acceptSeconds = Metric.histogram("pawl.webhook.accept.duration", {
  description: "Time to store a callback",
  attributes: { unit: "s" },
  boundaries: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
})

/**
 * Creates the counters of the alerts at zero: Prometheus sees no change in the first value of a
 * series.
 */
export const begin = (context: Context.Context<never>): void => {
  const refused = [refusedWith("401"), refusedWith("503")]
  const counters = [accepted, quarantined, handlerFailures, readsWith("silent"), ...refused]
  for (const metric of counters) metric.updateUnsafe(0, context)
}

/** It has no effects, because it runs for every callback. */
export const count = (event: Event, context: Context.Context<never>): void => {
  for (const metric of metricsOf(event)) metric.updateUnsafe(1, context)
}

const readLabels: Readonly<Record<string, string>> = { "404": "unknown", "no answer": "silent" }

const metricsOf = (event: Event): ReadonlyArray<Metric.Counter<number>> => {
  switch (event._tag) {
    case "Accepted":
      return event.isNew ? [accepted] : [accepted, repeats]
    case "Quarantined":
      return [accepted, quarantined]
    case "Read":
      return [readsWith(readLabels[event.result] ?? "answered")]
    case "Told":
      return [toldOf(event.to)]
    case "HandlerFailed":
      return [handlerFailures]
    case "DeadLettered":
      return [deadLetteredFor(event.reason)]
    case "Alarm":
      return [alarmsFor(event.reason)]
  }
}
