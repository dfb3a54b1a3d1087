/**
 * Settings of what a receiver keeps, and for how long.
 */
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Archivist from "../Archivist.ts"
import * as Cleaner from "../Cleaner.ts"

const text = (name: string) => Config.String(name).pipe(Config.withDefault(""))

/** The variables of the environment. An empty one counts as absent. */
export const environment = {
  bodyDays: text("PAWL_BODY_DAYS"),
  archiveAfterDays: text("PAWL_ARCHIVE_AFTER_DAYS"),
  archiveMonths: text("PAWL_ARCHIVE_MONTHS")
}

type Texts = Readonly<Record<keyof typeof environment, string>>

/** A chargeback may come for 180 days, and finds its transaction in the months before. */
const fewestMonths = 7

/** Reads the settings. Each problem is a sentence. */
export const make = (texts: Texts) => {
  const sentences: Array<string> = []
  const number = (name: string, given: string, least: number) => {
    if (given === "") return undefined
    if (given === "never") return Infinity
    const value = /^\d{1,5}$/u.test(given) ? Number(given) : 0
    if (value >= least) return value
    sentences.push(`${name} cannot be used: give a number from ${least} to 99999, or never.`)
    return undefined
  }
  const days = number("PAWL_BODY_DAYS", texts.bodyDays, 1)
  const after = number("PAWL_ARCHIVE_AFTER_DAYS", texts.archiveAfterDays, 1)
  const months = number("PAWL_ARCHIVE_MONTHS", texts.archiveMonths, fewestMonths)
  const layer = Layer.mergeAll(
    days === undefined
      ? Layer.empty
      : // A time that is subtracted from that of the ledger is finite.
        Layer.succeed(Cleaner.Retention, Duration.days(Math.min(days, 36_500))),
    Layer.succeed(Archivist.Settings, {
      after: Duration.days(after ?? 7),
      months: months === Infinity ? undefined : months
    })
  )
  return { layer, sentences }
}
