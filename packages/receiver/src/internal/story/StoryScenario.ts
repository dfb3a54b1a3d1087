/**
 * Turns a story into a scenario of the sandbox that repeats it.
 *
 * The scenario has the statuses of the service in order, and the suffixes of the callbacks:
 * `silent` if none came, `lost` if that of the last status did not, `duplicate` if one was
 * repeated, and `forged` if one claimed a final status that the service did not confirm. A handler
 * receives the same final status.
 */
import { isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import * as Evidence from "@pawl/core/Evidence"
import { isKnown } from "@pawl/core/Kind"
import type { Story } from "@pawl/webhook/internal/rule/StoredRow"

/** Returns the scenario of a story, such as `steps:NEW,PENDING,SUCCEED+duplicate`. */
export const make = ({ facts, row }: Story): string => {
  const confirmed = Evidence.confirmedStatuses(row.evidence)
  const claimed = Evidence.claimedStatuses(row.evidence)
  const isForged = (status: Status) =>
    isTerminal(status) && row.read !== undefined && !confirmed.includes(status)
  const firstAt = (status: Status): number =>
    Math.min(
      ...facts.flatMap((each) =>
        (each.fact === "accepted" && each.status === status) ||
        (each.fact === "asked" && each.result === status) ||
        (each.fact === "registered" && each.status === status)
          ? [each.at]
          : []
      )
    )
  const seen = statuses
    .filter((status) => status !== "NEW")
    .filter((status) => confirmed.includes(status) || claimed.includes(status))
    .filter((status) => !isForged(status))
    .toSorted((one, two) => rank(one) - rank(two) || firstAt(one) - firstAt(two))
  const steps: ReadonlyArray<Status> = ["NEW", ...seen]
  // The service went back, as after a chargeback that was won.
  const last = row.read?.status ?? steps.at(-1) ?? "NEW"
  const all = last === steps.at(-1) ? steps : [...steps, last]
  // A status that came again after a later one has two callbacks, neither a repeat.
  const isRepeated = facts.some(
    (each) =>
      each.fact === "accepted" &&
      !isForged(each.status) &&
      each.count > all.filter((step) => step === each.status).length
  )
  const suffixes = [
    ...(claimed.length === 0 ? ["silent"] : claimed.includes(last) ? [] : ["lost"]),
    ...(isRepeated ? ["duplicate"] : []),
    ...(claimed.some(isForged) ? ["forged"] : [])
  ]
  return [`steps:${all.join(",")}`, ...suffixes].join("+")
}

/**
 * Returns the command that makes the transaction on a running sandbox; undefined while its kind is
 * not known. The amount and the currency are those of the order, else of a callback.
 */
export const command = (story: Story): string | undefined => {
  const { kind, newestCallbacks, ordered } = story.row
  if (!isKnown(kind)) return undefined
  const [signed] = Object.values(newestCallbacks).flatMap((each) => each.signed ?? [])
  const amount = ordered?.amount ?? signed?.amount ?? ""
  const currency = ordered?.currency ?? signed?.currency ?? ""
  return [
    `pawl trigger ${make(story)} --kind ${kind}`,
    ...(/^[0-9]+(?:\.[0-9]+)?$/u.test(amount) ? [`--amount ${amount}`] : []),
    ...(/^[A-Z]{3}$/u.test(currency) ? [`--currency ${currency}`] : []),
    "--callback-url http://127.0.0.1:4020/callback"
  ].join(" ")
}
