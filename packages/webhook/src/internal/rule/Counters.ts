/** Counters of the receiver. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

/** Takes an OpenTelemetry name; `/metrics` appends `_total`. */
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

export const alarmsFor = counters("alarms", "reason", "Alarms raised")

export const raiseAlarm = (
  reason: string,
  about: Readonly<Record<string, string>>
): Effect.Effect<void> =>
  Effect.contextWith((context: Context.Context<never>) => {
    alarmsFor(reason).updateUnsafe(1, context)
    return Effect.annotateLogs(Effect.logWarning({ _tag: "Alarm", reason }), about)
  })
