/**
 * The laws of a rule: what folds the statuses of one transaction into the one that holds.
 *
 * **Details**
 *
 * This is the documented rule (`spec.md`, "States and transitions"), cut into the cases that go wrong one by
 * one: apply a status only when it ranks later than the stored one. Together they say it all: the rank of
 * what holds never falls, and is that of the highest status that came.
 *
 * A rule whose only memory is the stored status is settled by the short sequences, which are all tried; the
 * longer ones, drawn, are for rules that remember more.
 *
 * **Gotchas**
 *
 * By the documented rule the first of several statuses of one rank holds, so SUCCEED and FAILED end
 * differently by arrival order. What keeps them apart is a reducer of observations: see `Laws/Reducer`.
 *
 * @since 0.1.0
 */
import { isStatus, isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Generators from "../Generators.ts"
import { sequences } from "../internal/laws/Short.ts"
import * as Laws from "../Laws.ts"

/**
 * What is put to the test: a function of all statuses that came of one transaction, in order of arrival,
 * that returns the one that holds; undefined (or null) when none does.
 *
 * @category models
 * @since 0.1.0
 */
export type Rule = (seen: ReadonlyArray<OpenStatus>) => string | null | undefined

/**
 * Makes a rule of a step: a function of the stored status, undefined at first, and the one that arrived,
 * that returns what is stored next.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fold =
  <Stored extends string | null | undefined>(
    step: (stored: Stored | undefined, incoming: OpenStatus) => Stored
  ): Rule =>
  (seen) =>
    seen.reduce<Stored | undefined>(step, undefined)

const section = 'spec.md, "States and transitions"'

const showAll = (seen: ReadonlyArray<OpenStatus>): string =>
  seen.length === 0
    ? "nothing came"
    : seen.map((status, at) => `${at + 1}. ${JSON.stringify(status)} came`).join("\n")

const name = (status: string | null | undefined): string =>
  status === undefined || status === null ? "nothing" : JSON.stringify(status)

type Kept = "held" | "incoming"

/**
 * A law about the last status that came. `keeps` says which of the two then holds, or nothing where it is
 * another law's case.
 */
const law = (
  about: Omit<Laws.About, "section"> & { readonly section?: string },
  keeps: (held: Status | undefined, incoming: OpenStatus) => Kept | undefined,
  table: ReadonlyArray<OpenStatus> = statuses
): Laws.Law<Rule, ReadonlyArray<OpenStatus>> =>
  Laws.property<Rule, ReadonlyArray<OpenStatus>>(
    { section, ...about },
    {
      arbitrary: Generators.sequence(table),
      short: () => sequences(table, table.length > statuses.length ? 2 : 3),
      show: showAll,
      wrong: (rule, seen) => {
        const incoming = seen.at(-1)
        if (incoming === undefined) {
          const held = rule(seen) ?? undefined
          return held === undefined ? undefined : `${name(held)} holds before anything came`
        }
        const held = rule(seen.slice(0, -1)) ?? undefined
        if (held !== undefined && !isStatus(held)) return undefined
        const keep = keeps(held, incoming)
        if (keep === undefined) return undefined
        const expected = keep === "held" ? held : incoming
        const found = rule(seen) ?? undefined
        return found === expected
          ? undefined
          : `${name(held)} held. Now ${name(expected)} is to hold, and ${name(found)} does.`
      }
    }
  )

const ranksLater = (held: Status, incoming: Status) => rank(incoming) > rank(held)
const ranksEarlier = (held: Status, incoming: Status) => rank(incoming) < rank(held)

/**
 * Of two statuses, of which the first holds already, a case that one law is about.
 */
const between =
  (isCase: (held: Status, incoming: Status) => boolean, keep: Kept) =>
  (held: Status | undefined, incoming: OpenStatus): Kept | undefined =>
    held !== undefined && isStatus(incoming) && isCase(held, incoming) ? keep : undefined

/**
 * The laws of a rule.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<Laws.Law<Rule, ReadonlyArray<OpenStatus>>> = [
  law(
    {
      name: "the first status holds, whatever it is",
      explanation:
        "Callbacks are lost and arrive out of order, so what comes first need not be NEW: it may be the end."
    },
    (held, incoming) => (held === undefined && isStatus(incoming) ? "incoming" : undefined)
  ),
  law(
    {
      name: "a status that ranks later holds",
      explanation:
        "The ranks are NEW 1, PENDING 2, PROCESSING and CUSTOMER_VERIFICATION 3, SUCCEED, FAILED and CANCELLED 10, REFUNDED 11, CHARGEBACK 12. REFUNDED and CHARGEBACK come after SUCCEED."
    },
    between(ranksLater, "incoming")
  ),
  law(
    {
      name: "a status that comes late changes nothing",
      explanation: "Callbacks can arrive out of order: one that ranks earlier tells of the past."
    },
    between((held, incoming) => !isTerminal(held) && ranksEarlier(held, incoming), "held")
  ),
  law(
    {
      name: "an end stays, whatever comes late",
      explanation:
        "SUCCEED, FAILED, CANCELLED, REFUNDED and CHARGEBACK are ends: money has moved, or will not. A late PROCESSING does not open the transaction again, nor a late SUCCEED undo its refund."
    },
    between((held, incoming) => isTerminal(held) && ranksEarlier(held, incoming), "held")
  ),
  law(
    {
      name: "another status of the same rank changes nothing",
      explanation:
        "Apply only what ranks later: FAILED after SUCCEED is a conflict for the service to settle, not news. CANCELLED has no documented rank; ours is 10 (docs/decisions/0002)."
    },
    between((held, incoming) => held !== incoming && rank(held) === rank(incoming), "held")
  ),
  law(
    {
      name: "a repeat changes nothing",
      section: 'spec.md, "Events"',
      explanation: "Delivery is at least once: the same callback can arrive more than once."
    },
    between((held, incoming) => held === incoming, "held")
  ),
  law(
    {
      name: "a status nobody knows changes nothing, and throws nothing",
      section: "docs/decisions/0017",
      explanation:
        "The checksum does not cover the status, and the service may add some: what is not one of the nine is kept elsewhere and never acted on, not even when every object has a member of that name."
    },
    (_, incoming) => (isStatus(incoming) ? undefined : "held"),
    Generators.openStatuses
  )
]
