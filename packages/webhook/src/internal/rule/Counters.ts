import * as Clock from "effect/Clock"
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

/** In milliseconds. */
const minLogGap = 600_000

/** Tells whether a log is due: that of each text is due once in 10 minutes. */
export const makeIsDue = () => {
  const nextTimes = new Map<string, number>()
  return (text: string, at: number): boolean => {
    const nextAt = nextTimes.get(text) ?? at
    // A time further away was set before the clock was set back.
    if (at < nextAt && nextAt <= at + minLogGap) return false
    nextTimes.set(text, at + minLogGap)
    return true
  }
}

/** Runs a log once in 10 minutes for each text, whatever number it counts. */
export const makeRareLog = () => {
  const isDue = makeIsDue()
  return (text: string, log: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (at) =>
      isDue(text.replace(/\d+ (attempts?|ms)/gu, ""), at) ? log : Effect.void
    )
}
