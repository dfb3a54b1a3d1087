/**
 * Durations as they are typed: `200ms`, `1.5s`, `2m` and `1h`, and any duration of Effect, such as `200 millis`.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

const units: Readonly<Record<string, (amount: number) => Duration.Duration>> = {
  ms: Duration.millis,
  s: Duration.seconds,
  m: Duration.minutes,
  h: Duration.hours
}

/** Refuses infinite and negative durations. */
export const parse = (text: string): Option.Option<Duration.Duration> => {
  const [, amount, unit = ""] = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)$/u.exec(text) ?? []
  const make = units[unit]
  const duration =
    make === undefined
      ? Duration.fromInput(text as Duration.Input)
      : Option.some(make(Number(amount)))
  return Option.filter(
    duration,
    (duration) => Duration.isFinite(duration) && !Duration.isNegative(duration)
  )
}
