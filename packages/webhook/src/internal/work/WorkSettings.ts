import { type Switches } from "@pawl/core/Profile"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as WorkLimits from "../rule/WorkLimits.ts"

const text = (name: string) => Config.String(name).pipe(Config.withDefault(""))

/** The environment variables; an empty one counts as absent. */
export const environment = {
  handlerCalls: text("PAWL_HANDLER_CALLS"),
  reads: text("PAWL_READS"),
  readsPerSecond: text("PAWL_READS_PER_SECOND"),
  leaseSeconds: text("PAWL_LEASE_SECONDS"),
  pollIntervalMinutes: text("PAWL_POLL_INTERVAL_MINUTES")
}

type Texts = Readonly<Record<keyof typeof environment, string>>

interface Settings {
  readonly limits: WorkLimits.WorkLimits
  readonly switches: Partial<Switches>
  readonly sentences: ReadonlyArray<string>
}

/** Reads the settings for a number of shards; each problem is a sentence. */
export const make = (texts: Texts, shards: number): Settings => {
  const { defaults } = WorkLimits
  const sentences: Array<string> = []
  const number = (name: string, given: string, least: number, most: number, fallback: number) => {
    const value = given === "" ? fallback : /^\d{1,7}$/u.test(given) ? Number(given) : 0
    if (given === "" || (value >= least && value <= most)) return value
    const other = name === "PAWL_READS_PER_SECOND" ? ", or none" : ""
    sentences.push(`${name} cannot be used: give a whole number from ${least} to ${most}${other}.`)
    return fallback
  }
  const gaps = texts.pollIntervalMinutes.split(",").map((gap) => gap.trim())
  const [first, ...others] = gaps.map((gap) => Duration.minutes(Number(gap)))
  const hasGaps = texts.pollIntervalMinutes !== "" && first !== undefined
  if (hasGaps && !gaps.every((gap) => /^[1-9]\d{0,3}$/u.test(gap))) {
    sentences.push("PAWL_POLL_INTERVAL_MINUTES cannot be used: give minutes, such as 5,5,10,30,60.")
  }
  const limits = {
    ...defaults,
    calls: number("PAWL_HANDLER_CALLS", texts.handlerCalls, 2 * shards, 10_000, defaults.calls),
    reads: number("PAWL_READS", texts.reads, 4 * shards, 10_000, defaults.reads),
    readsPerSecond:
      texts.readsPerSecond === "none"
        ? Infinity
        : number(
            "PAWL_READS_PER_SECOND",
            texts.readsPerSecond,
            shards,
            1_000_000,
            Math.max(defaults.readsPerSecond, shards)
          ),
    lease: number("PAWL_LEASE_SECONDS", texts.leaseSeconds, 10, 600, defaults.lease / 1000) * 1000
  }
  return { limits, switches: hasGaps ? { pollIntervals: [first, ...others] } : {}, sentences }
}
