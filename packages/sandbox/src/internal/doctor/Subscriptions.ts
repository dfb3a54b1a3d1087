/** The readings of times and subscriptions. */
import { find, isSuccess, member, type Recording } from "./Recording.ts"
import { answered, of, type Reader, seen } from "./Responses.ts"

const acceptance = (name: string): Reader =>
  of(name, (exchange) => seen(isSuccess(exchange) ? "accepted" : "refused", answered(exchange)))

const timeFields = [
  ["payment", "createdTime"],
  ["payout.info", "createdAt"],
  ["refund.info", "createdAt"],
  ["subscription.read", "createdAt"],
  ["subscription", "nextChargeDate"]
] as const

const formats: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ["ISO 8601 in UTC", /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00(?::?00)?)$/u],
  ["ISO 8601 with an offset", /^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d(?::?\d\d)?$/u],
  ["ISO 8601 without an offset", /^\d{4}-\d\d-\d\dT[\d:.]+$/u],
  ["date and time with a space", /^\d{4}-\d\d-\d\d [\d:.]+$/u],
  ["a date alone", /^\d{4}-\d\d-\d\d$/u],
  ["milliseconds since 1970", /^\d{12,}$/u],
  ["seconds since 1970", /^\d{9,11}(?:\.\d+)?$/u]
]

export const dates: Reader = (recording) => {
  const found = timeFields.flatMap(([exchange, name]) => {
    const value = member(recording, exchange, name)
    return value === undefined ? [] : [{ name, value }]
  })
  const kinds = new Set(
    found.map(
      ({ value }) => formats.find(([, pattern]) => pattern.test(value))?.[0] ?? "another format"
    )
  )
  return kinds.size === 0
    ? undefined
    : seen([...kinds].join(", "), `${found[0]?.name} ${found[0]?.value}`)
}

const daysToCharge = (recording: Recording, name: string): number | undefined => {
  const value = member(recording, name, "nextChargeDate")
  const sent = find(recording, name)?.sent
  const [, start] = /"startDate":"([^"]+)"/u.exec(sent ?? "") ?? []
  if (value === undefined || start === undefined) return undefined
  const text = value.replace(" ", "T").replace(/T.*[+-]\d\d$/u, "$&:00")
  const next = /^\d+$/u.test(value)
    ? Number(value) * (value.length > 11 ? 1 : 1000)
    : Date.parse(`${text}${/Z|[+-]\d\d:?\d\d$|^[^T]+$/u.test(text) ? "" : "Z"}`)
  return Math.round((next - Date.parse(start)) / 86_400_000)
}

export const interval: Reader = (recording) => {
  const days = daysToCharge(recording, "subscription")
  if (days === undefined) return undefined
  const reading =
    days === 21 ? "every interval units" : days === 7 ? "ignored" : `charged after ${days} days`
  return seen(reading, `WEEKLY with interval 3: the next charge is after ${days} days`)
}

export const custom: Reader = (recording) => {
  const refused = recording.exchanges.find(({ name }) => name === "trial")
  if (refused?.status === 400) return seen("refused", answered(refused))
  if (find(recording, "trial")?.sent?.includes('"CUSTOM"') !== true) {
    return refused === undefined ? undefined : seen("refused", "a DAILY plan was accepted instead")
  }
  const days = daysToCharge(recording, "trial")
  if (days === undefined) return undefined
  const unit = days / (interval(recording)?.reading === "ignored" ? 1 : 10)
  const reading = unit === 1 ? "days" : unit === 7 ? "weeks" : `charged after ${days} days`
  return seen(reading, `CUSTOM with interval 10: the next charge is after ${days} days`)
}

const subscriptionStatus = (name: string): Reader =>
  of(name, (exchange, recording) => {
    const status = member(recording, name, "status")
    return status === undefined ? undefined : seen(status, answered(exchange))
  })

export const afterFirstCharge: Reader = subscriptionStatus("subscription.read")
export const afterSkippedCharge: Reader = subscriptionStatus("trial.read")
export const putPending: Reader = acceptance("subscription.pending")
export const putCanceled: Reader = acceptance("subscription.reactivate")
export const deleteCanceled: Reader = acceptance("subscription.delete-again")

export const cardToken: Reader = of("card-token", (exchange) => {
  if (!isSuccess(exchange)) return undefined
  const [, name] = /"(\w+)"\s*:\s*"<redacted>"/u.exec(exchange.body) ?? []
  return name === undefined ? undefined : seen(name, `the token is in ${name}`)
})
