/**
 * The laws of a rule: a function that folds the statuses of one transaction into the stored status.
 *
 * **Details**
 *
 * They split the documented rule (`spec.md`, "States and transitions") into the cases that go
 * wrong. Together they cover it: the stored rank never falls, and is the highest that arrived.
 *
 * All short sequences are checked, enough for a rule that remembers only the stored status; random
 * longer ones check others.
 *
 * **Gotchas**
 *
 * By the documented rule the first of several statuses of one rank is stored. `Laws/Reducer` tells
 * SUCCEED and FAILED apart.
 *
 * @since 0.1.0
 */
import { isStatus, isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Generators from "../Generators.ts"
import { shortSequences } from "../internal/laws/ShortSequences.ts"
import * as Laws from "../Laws.ts"

/**
 * Function of all statuses of one transaction, in order of arrival, that returns the stored status.
 *
 * @category models
 * @since 0.1.0
 */
export type Rule = (incoming: ReadonlyArray<OpenStatus>) => string | null | undefined

/**
 * Makes a rule of a step: a function of the stored status, undefined at first, and the incoming
 * one.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fold =
  <Stored extends string | null | undefined>(
    step: (stored: Stored | undefined, incoming: OpenStatus) => Stored
  ): Rule =>
  (statuses) =>
    statuses.reduce<Stored | undefined>(step, undefined)

const section = 'spec.md, "States and transitions"'

const show = (statuses: ReadonlyArray<OpenStatus>): string =>
  statuses.length === 0
    ? "nothing arrived"
    : statuses.map((status, at) => `${at + 1}. ${JSON.stringify(status)} arrived`).join("\n")

const name = (status: string | undefined): string =>
  status === undefined ? "nothing" : JSON.stringify(status)

type Expected = "stored" | "incoming"

const law = (
  text: Omit<Laws.LawText, "section"> & { readonly section?: string },
  expect: (stored: Status | undefined, incoming: Status) => Expected | undefined
): Laws.Law<Rule, ReadonlyArray<OpenStatus>> =>
  Laws.property<Rule, ReadonlyArray<OpenStatus>>(
    { section, ...text },
    {
      arbitrary: Generators.sequence<OpenStatus>(statuses),
      short: () => shortSequences(statuses, 3),
      show,
      wrong: (rule, arrived) => {
        const incoming = arrived.at(-1)
        const stored = rule(arrived.slice(0, -1)) ?? undefined
        if (incoming === undefined) {
          return stored === undefined
            ? undefined
            : `${name(stored)} is stored before anything arrived`
        }
        if (!isStatus(incoming) || (stored !== undefined && !isStatus(stored))) return undefined
        const selected = expect(stored, incoming)
        if (selected === undefined) return undefined
        const expected = selected === "stored" ? stored : incoming
        const next = rule(arrived) ?? undefined
        return next === expected
          ? undefined
          : `${name(stored)} was stored. Expected ${name(expected)} to be stored next, not ${name(next)}.`
      }
    }
  )

const ranksLater = (stored: Status, incoming: Status) => rank(incoming) > rank(stored)
const ranksEarlier = (stored: Status, incoming: Status) => rank(incoming) < rank(stored)

const where =
  (isCase: (stored: Status, incoming: Status) => boolean, expected: Expected) =>
  (stored: Status | undefined, incoming: Status): Expected | undefined =>
    stored !== undefined && isCase(stored, incoming) ? expected : undefined

/**
 * The laws of a rule.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<Laws.Law<Rule, ReadonlyArray<OpenStatus>>> = [
  law(
    {
      name: "the first status is stored, whichever it is",
      explanation:
        "Callbacks are lost and arrive out of order, so the first one may be any status, even a terminal one."
    },
    (stored) => (stored === undefined ? "incoming" : undefined)
  ),
  law(
    {
      name: "a status that ranks later is stored",
      explanation: `The ranks are ${statuses.map((each) => `${each} ${rank(each)}`).join(", ")}. REFUNDED and CHARGEBACK come after SUCCEED.`
    },
    where(ranksLater, "incoming")
  ),
  law(
    {
      name: "a late status changes nothing",
      explanation: "Callbacks can arrive out of order: a status that ranks earlier is out of date."
    },
    where((stored, incoming) => !isTerminal(stored) && ranksEarlier(stored, incoming), "stored")
  ),
  law(
    {
      name: "a late status does not replace a terminal one",
      explanation:
        "SUCCEED, FAILED, CANCELLED, REFUNDED and CHARGEBACK are terminal: money has moved, or will not. A late PROCESSING does not reopen the transaction, and a late SUCCEED does not undo its refund."
    },
    where((stored, incoming) => isTerminal(stored) && ranksEarlier(stored, incoming), "stored")
  ),
  law(
    {
      name: "another status of the same rank changes nothing",
      explanation:
        "Apply only a status that ranks later: FAILED after SUCCEED is a conflict that the service has to settle. CANCELLED has no documented rank; pawl uses 10 (docs/decisions/0001)."
    },
    where((stored, incoming) => stored !== incoming && rank(stored) === rank(incoming), "stored")
  ),
  law(
    {
      name: "a repeat changes nothing",
      section: 'spec.md, "Events"',
      explanation: "Delivery is at least once: the same callback can arrive more than once."
    },
    where((stored, incoming) => stored === incoming, "stored")
  ),
  Laws.property<Rule, ReadonlyArray<OpenStatus>>(
    {
      name: "an unknown status changes nothing and does not throw",
      section: "docs/decisions/0008",
      explanation:
        "The checksum does not cover the status, and the service may add some: an unknown status is stored elsewhere and never acted on, even if every object has a member of that name."
    },
    {
      arbitrary: Generators.sequence(Generators.openStatuses),
      short: () => shortSequences(Generators.openStatuses, 2),
      show,
      wrong: (rule, arrived) => {
        const [expected, stored] = [arrived.filter(isStatus), arrived].map(
          (each) => rule(each) ?? undefined
        )
        return stored === expected
          ? undefined
          : `Expected ${name(expected)} to be stored, as without the unknown statuses, not ${name(stored)}.`
      }
    }
  )
]
