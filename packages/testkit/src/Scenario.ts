/**
 * Scenarios: the course of a transaction, selected by the request in
 * `metadata["sandbox.scenario"]`.
 *
 * **Details**
 *
 * A scenario is a story and any number of delivery suffixes, joined with `+`: `succeed`,
 * `decline:51`, `succeed+shuffle+duplicate`.
 *
 * | story | statuses, in order | status in the response to the create |
 * |---|---|---|
 * | `succeed` | NEW PENDING PROCESSING SUCCEED | NEW |
 * | `decline:<code>` | NEW FAILED | FAILED, with that declineCode |
 * | `decline-once:<code>` | NEW FAILED | the same; later charges of the subscription succeed |
 * | `challenge` | NEW CUSTOMER_VERIFICATION SUCCEED | CUSTOMER_VERIFICATION |
 * | `cancel` | NEW PENDING CANCELLED | NEW |
 * | `refund` | NEW PENDING PROCESSING SUCCEED REFUNDED | NEW |
 * | `chargeback` | NEW PENDING PROCESSING SUCCEED CHARGEBACK | NEW |
 * | `chargeback-won` | NEW PENDING PROCESSING SUCCEED CHARGEBACK SUCCEED | NEW |
 * | `conflict` | NEW PENDING PROCESSING FAILED SUCCEED | NEW |
 * | `stuck` | NEW PENDING PROCESSING | NEW |
 * | `steps:NEW,<status>,…` | those in the list, which begins with NEW | NEW |
 * | `customer` | NEW PENDING; then the customer decides on the page of the payment method | NEW |
 *
 * On the hosted page the customer decides; of the scenario only the statuses after a success apply
 * there, and the suffixes. An intent with `reject:<errorCode>` has that errorCode, and no page.
 *
 * A declined APM payment or payout has a `declineSubReason`: DECLINED, or the one of
 * `decline:<code>:<subReason>`.
 *
 * In `conflict` the service confirms FAILED first, and SUCCEED from the next move on.
 *
 * The story of a test card replaces `succeed` and keeps the suffixes; any other story in the
 * metadata has priority.
 *
 * | card | story |
 * |---|---|
 * | 4242424242424242, 5555555555554444 | `succeed` |
 * | 4000000000000002 | `decline:5` |
 * | 4000000000003220 | `challenge` |
 *
 * @since 0.1.0
 */
import { isStatus, type Status } from "@pawl/core/Status"

/**
 * The metadata key of a scenario.
 *
 * @category constants
 * @since 0.1.0
 */
export const key = "sandbox.scenario"

/**
 * The delivery of a transaction's callbacks. A pace is at least 100 milliseconds here.
 *
 * - `duplicate`: each callback is sent twice.
 * - `shuffle`: callbacks are held for five paces and then sent out of order.
 * - `silent`: no callback is sent.
 * - `late`: each callback is sent ten paces after its move.
 * - `forged`: a forged copy follows each genuine callback, with a final status the transaction
 *   never has. It verifies, because the checksum does not cover the status.
 * - `lost`: the callback of the last status is never sent.
 *
 * @category models
 * @since 0.1.0
 */
export type Suffixes = Readonly<Record<(typeof suffixes)[number], boolean>>

/**
 * The delivery suffixes.
 *
 * @category constants
 * @since 0.1.0
 */
export const suffixes = ["duplicate", "shuffle", "silent", "late", "forged", "lost"] as const

const histories: Readonly<Record<string, Scenario["statuses"]>> = {
  succeed: ["NEW", "PENDING", "PROCESSING", "SUCCEED"],
  challenge: ["NEW", "CUSTOMER_VERIFICATION", "SUCCEED"],
  cancel: ["NEW", "PENDING", "CANCELLED"],
  refund: ["NEW", "PENDING", "PROCESSING", "SUCCEED", "REFUNDED"],
  chargeback: ["NEW", "PENDING", "PROCESSING", "SUCCEED", "CHARGEBACK"],
  "chargeback-won": ["NEW", "PENDING", "PROCESSING", "SUCCEED", "CHARGEBACK", "SUCCEED"],
  conflict: ["NEW", "PENDING", "PROCESSING", "FAILED", "SUCCEED"],
  stuck: ["NEW", "PENDING", "PROCESSING"],
  customer: ["NEW", "PENDING"]
}

/**
 * The stories, as they are written in metadata.
 *
 * @category constants
 * @since 0.1.0
 */
export const stories: ReadonlyArray<string> = [
  ...Object.keys(histories),
  "decline:<code>[:<subReason>]",
  "decline-once:<code>",
  "steps:NEW,<status>,…"
]

/**
 * A scenario.
 *
 * @category models
 * @since 0.1.0
 */
export interface Scenario {
  /** The statuses in order. */
  readonly statuses: readonly [Status, ...Array<Status>]
  /** The number of statuses reached in the response to the create. */
  readonly atCreate: number
  /** The declineCode of FAILED; by default 5. */
  readonly declineCode: number | undefined
  /** The sub-reason of a declined APM transaction. */
  readonly declineSubReason?: string | undefined
  /** Whether later charges of a subscription succeed. */
  readonly isOnce?: boolean | undefined
  /** How the callbacks are delivered. */
  readonly suffixes: Suffixes
}

/**
 * Reads a scenario, or returns `undefined` if the text is none.
 *
 * **Example** (A payment whose callbacks arrive twice)
 *
 * ```ts
 * import * as Scenario from "@pawl/testkit/Scenario"
 *
 * Scenario.parse("succeed+duplicate")?.statuses // => ["NEW", "PENDING", "PROCESSING", "SUCCEED"]
 * Scenario.parse("succeed+twice") // => undefined
 * ```
 *
 * @category parsing
 * @since 0.1.0
 */
export const parse = (text: string): Scenario | undefined => {
  const [name = "", ...names] = text.split("+")
  const decline = /^decline(-once)?:([0-9]{1,9})(?::([A-Za-z0-9_-]{1,64}))?$/u.exec(name)
  const [, once, code, declineSubReason] = decline ?? []
  const statuses: Scenario["statuses"] | undefined = decline
    ? ["NEW", "FAILED"]
    : Object.hasOwn(histories, name)
      ? histories[name]
      : stepsIn(name)
  if (statuses === undefined || !names.every(isSuffix)) return undefined
  return {
    statuses,
    atCreate: decline || name === "challenge" ? 2 : 1,
    declineCode: code === undefined ? undefined : Number(code),
    declineSubReason,
    isOnce: once !== undefined,
    suffixes: {
      duplicate: names.includes("duplicate"),
      shuffle: names.includes("shuffle"),
      silent: names.includes("silent"),
      late: names.includes("late"),
      forged: names.includes("forged"),
      lost: names.includes("lost")
    }
  }
}

const stepsIn = (name: string): Scenario["statuses"] | undefined => {
  const [, list = ""] = /^steps:NEW,(.+)$/u.exec(name) ?? []
  const steps = list.split(",")
  return steps.length < 16 && steps.every(isStatus) ? ["NEW", ...steps] : undefined
}

const isSuffix = (suffix: string): boolean => suffixes.some((known) => known === suffix)
