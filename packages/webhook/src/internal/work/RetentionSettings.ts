import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Cleaner from "./Cleaner.ts"

const text = (name: string) => Config.String(name).pipe(Config.withDefault(""))

/** The environment variables; an empty one counts as absent. */
export const environment = {
  bodyDays: text("PAWL_BODY_DAYS"),
  keepMonths: text("PAWL_KEEP_MONTHS"),
  storeMegabytes: text("PAWL_STORE_MEGABYTES")
}

type Texts = Readonly<Record<keyof typeof environment, string>>

/** The fewest months that a transaction is kept, because a chargeback may come for 180 days. */
const fewestMonths = 7

const adviceOf = (least: number): string => `give a whole number from ${least} to 99999, or never`

/** Reads a whole number, or `never` as infinite. */
const numberIn = (given: string, least: number): number | undefined => {
  if (given === "never") return Infinity
  const value = /^\d{1,5}$/u.test(given) ? Number(given) : 0
  return value >= least ? value : undefined
}

export const adviceOfMonths = adviceOf(fewestMonths)

export const monthsIn = (given: string): number | undefined => numberIn(given, fewestMonths)

export const adviceOfSize = "give megabytes, or never"

export const bytesIn = (given: string): number | undefined => {
  const megabytes = given === "never" ? Infinity : /^[1-9]\d{0,8}$/u.test(given) ? Number(given) : 0
  return megabytes === 0 ? undefined : megabytes * 1024 * 1024
}

/** `layer` takes the months of a merchant that has its own. */
export const make = (texts: Texts) => {
  const problems = (name: string, given: string, advice: string, value: number | undefined) =>
    given === "" || value !== undefined ? [] : [`${name} cannot be used: ${advice}.`]
  const days = numberIn(texts.bodyDays, 1)
  const months = monthsIn(texts.keepMonths)
  const storeBytes = bytesIn(texts.storeMegabytes)
  const layer = (own?: number) => {
    const kept = own ?? months
    return Layer.merge(
      days === undefined
        ? Layer.empty
        : // A time that is subtracted from that of the ledger is finite.
          Layer.succeed(Cleaner.Retention, Duration.days(Math.min(days, 36_500))),
      Layer.succeed(Cleaner.KeptMonths, kept === Infinity ? undefined : kept)
    )
  }
  return {
    layer,
    storeBytes,
    sentences: [
      ...problems("PAWL_BODY_DAYS", texts.bodyDays, adviceOf(1), days),
      ...problems("PAWL_KEEP_MONTHS", texts.keepMonths, adviceOfMonths, months),
      ...problems("PAWL_STORE_MEGABYTES", texts.storeMegabytes, adviceOfSize, storeBytes)
    ]
  }
}
