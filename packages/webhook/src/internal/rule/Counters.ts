/**
 * The counters of the receiver. The ledger raises alarms too, so they are apart from the other metrics.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

/** Makes a counter. Its name follows OpenTelemetry; the response of `/metrics` has `_total` after it. */
export const counter = (
  name: string,
  description: string,
  attributes?: Metric.Metric.AttributeSet
) =>
  Metric.counter(`pawl.webhook.${name}`, {
    description,
    incremental: true,
    ...(attributes && { attributes })
  })

/** Makes a function that returns the counter of a label's value, and caches it. */
export const counters = (name: string, label: string, description: string) => {
  const byValue = new Map<string, Metric.Counter<number>>()
  return (value: string): Metric.Counter<number> => {
    const existing = byValue.get(value)
    if (existing !== undefined) return existing
    const made = counter(name, description, { [label]: value })
    byValue.set(value, made)
    return made
  }
}

/** Returns the counter of the alarms with a reason. */
export const alarmsFor = counters("alarms", "reason", "Alarms raised")

/** Raises an alarm about a transaction or a request: counts it, and logs it with what it is about. */
export const raiseAlarm = (
  reason: string,
  about: Readonly<Record<string, string>>
): Effect.Effect<void> =>
  Effect.contextWith((context: Context.Context<never>) => {
    alarmsFor(reason).updateUnsafe(1, context)
    return Effect.annotateLogs(Effect.logWarning({ _tag: "Alarm", reason }), about)
  })
