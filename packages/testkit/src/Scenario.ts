/**
 * What is to happen to a transaction, said by the request itself in `metadata["sandbox.scenario"]`.
 *
 * **Details**
 *
 * A scenario is a story and any number of delivery suffixes, joined with `+`: `succeed`,
 * `decline:51`, `succeed+shuffle+duplicate`.
 *
 * | story | the statuses, in order | the create answers |
 * |---|---|---|
 * | `succeed` | NEW PENDING PROCESSING SUCCEED | NEW |
 * | `decline:<code>` | NEW FAILED | FAILED, with that declineCode |
 * | `challenge` | NEW CUSTOMER_VERIFICATION SUCCEED | CUSTOMER_VERIFICATION |
 * | `cancel` | NEW PENDING CANCELLED | NEW |
 * | `refund` | NEW PENDING PROCESSING SUCCEED REFUNDED | NEW |
 * | `chargeback` | NEW PENDING PROCESSING SUCCEED CHARGEBACK | NEW |
 * | `conflict` | NEW PENDING PROCESSING FAILED SUCCEED | NEW |
 * | `stuck` | NEW PENDING PROCESSING | NEW |
 *
 * On the hosted page the customer decides whether it is paid, declined, challenged or cancelled; only
 * what follows a success counts there, and the suffixes.
 *
 * In `conflict` both final statuses were true, one after the other: the service itself confirms
 * FAILED first and SUCCEED from the next move on.
 *
 * The suffixes say how the callbacks travel; see `Manner`.
 *
 * A test card has a story, too, which takes the place of `succeed` and leaves the suffixes: whatever
 * else the metadata asks for prevails.
 *
 * | card | its story |
 * |---|---|
 * | 4242424242424242, 5555555555554444 | `succeed` |
 * | 4000000000000002 | `decline:5` |
 * | 4000000000003220 | `challenge` |
 *
 * @since 0.1.0
 */
import type { Status } from "@pawl/core/Status"

/**
 * The metadata key that carries a scenario.
 *
 * @category constants
 * @since 0.1.0
 */
export const key = "sandbox.scenario"

/**
 * How the callbacks of a transaction travel; a pace is at least 100 milliseconds here.
 *
 * - `duplicate`: each is delivered twice.
 * - `shuffle`: they are held back for five paces and then delivered out of order.
 * - `silent`: none sets out.
 * - `late`: each sets out ten paces after the move it tells of.
 * - `forged`: after each genuine one, whoever saw it posts it again with a final status the
 *   transaction never has. The checksum does not cover the status, so it verifies.
 * - `lost`: the one of the last status never sets out.
 *
 * @category models
 * @since 0.1.0
 */
export type Manner = Readonly<Record<(typeof manners)[number], boolean>>

/**
 * The delivery suffixes.
 *
 * @category constants
 * @since 0.1.0
 */
export const manners = ["duplicate", "shuffle", "silent", "late", "forged", "lost"] as const

const histories: Readonly<Record<string, Scenario["statuses"]>> = {
  succeed: ["NEW", "PENDING", "PROCESSING", "SUCCEED"],
  challenge: ["NEW", "CUSTOMER_VERIFICATION", "SUCCEED"],
  cancel: ["NEW", "PENDING", "CANCELLED"],
  refund: ["NEW", "PENDING", "PROCESSING", "SUCCEED", "REFUNDED"],
  chargeback: ["NEW", "PENDING", "PROCESSING", "SUCCEED", "CHARGEBACK"],
  conflict: ["NEW", "PENDING", "PROCESSING", "FAILED", "SUCCEED"],
  stuck: ["NEW", "PENDING", "PROCESSING"]
}

/**
 * The stories, as they are asked for.
 *
 * @category constants
 * @since 0.1.0
 */
export const stories: ReadonlyArray<string> = [...Object.keys(histories), "decline:<code>"]

/**
 * A scenario, read.
 *
 * `answered` is how many of `statuses` are behind the transaction when its create is answered.
 *
 * @category models
 * @since 0.1.0
 */
export interface Scenario {
  readonly statuses: readonly [Status, ...Array<Status>]
  readonly answered: number
  readonly declineCode: number | undefined
  readonly manner: Manner
}

/**
 * Reads a scenario, or returns `undefined` when it is none.
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
  const [name = "", ...suffixes] = text.split("+")
  const decline = /^decline:([0-9]{1,9})$/u.exec(name)
  const statuses: Scenario["statuses"] | undefined = decline
    ? ["NEW", "FAILED"]
    : Object.hasOwn(histories, name)
      ? histories[name]
      : undefined
  if (statuses === undefined || !suffixes.every(isManner)) return undefined
  return {
    statuses,
    answered: decline || name === "challenge" ? 2 : 1,
    declineCode: decline ? Number(decline[1]) : undefined,
    manner: {
      duplicate: suffixes.includes("duplicate"),
      shuffle: suffixes.includes("shuffle"),
      silent: suffixes.includes("silent"),
      late: suffixes.includes("late"),
      forged: suffixes.includes("forged"),
      lost: suffixes.includes("lost")
    }
  }
}

const isManner = (suffix: string): boolean => manners.some((manner) => manner === suffix)
