/**
 * The reducer: folds the observations of a transaction into its state, in any order and with any
 * repetition.
 *
 * **When to use**
 *
 * For a program that keeps its own state, in any JavaScript runtime. The receiver keeps the same
 * state in its ledger.
 *
 * **Example** (Callbacks out of order, and a read that confirms)
 *
 * ```ts
 * import { news } from "@pawl/core/Evidence"
 * import { initial, reduce } from "@pawl/core/Reducer"
 *
 * const early = reduce(initial(), { source: "callback", status: "SUCCEED" })
 * const claimed = reduce(early, { source: "callback", status: "PENDING" })
 * claimed.standing.status // => "PENDING"
 *
 * const read = reduce(claimed, { source: "read", status: "SUCCEED", askedAt: 1_764_000_000_000 })
 * read.standing // => { status: "SUCCEED", rank: 10, confirmed: true, conflict: null }
 * news(read.standing, "PENDING") // => "SUCCEED"
 * ```
 *
 * @since 0.1.0
 */
import * as Evidence from "./Evidence.ts"
import { isStatus, type Status } from "./Status.ts"

/**
 * A status of a transaction, and its source.
 *
 * - `callback`: claimed by a callback.
 * - `response`: confirmed by the response to a create or change.
 * - `read`: confirmed by a read. `askedAt` is the time of the request in milliseconds since the epoch.
 *
 * @category models
 * @since 0.1.0
 */
export type Observation =
  | { readonly source: "callback" | "response"; readonly status: Status }
  | { readonly source: "read"; readonly status: Status; readonly askedAt: number }

/**
 * The state of a transaction, as JSON. The rank of its standing never falls.
 *
 * @category models
 * @since 0.1.0
 */
export interface State {
  /** Claims that count before the service confirms them. */
  readonly policy: Evidence.Policy
  /** Claimed and confirmed statuses. */
  readonly evidence: Evidence.Evidence
  /** Last read, if there was one. */
  readonly read: Evidence.Read | undefined
  /** Status that holds. */
  readonly standing: Evidence.Standing
}

/**
 * Makes the state without any observation.
 *
 * @category constructors
 * @since 0.1.0
 */
export const initial = (policy: Evidence.Policy = "final"): State =>
  make(policy, Evidence.none, undefined)

/**
 * Adds an observation. A status that is none of the nine changes nothing.
 *
 * @category reducers
 * @since 0.1.0
 */
export const reduce = (state: State, observation: Observation): State => {
  const { evidence, policy, read } = state
  const { source, status } = observation
  if (!isStatus(status)) return state
  const observed = source === "callback" ? Evidence.claimed(status) : Evidence.confirmed(status)
  const latest =
    source === "read" ? Evidence.joinRead(read, { status, askedAt: observation.askedAt }) : read
  return make(policy, Evidence.join(evidence, observed), latest)
}

const make = (
  policy: Evidence.Policy,
  evidence: Evidence.Evidence,
  read: Evidence.Read | undefined
): State => ({
  policy,
  evidence,
  read,
  standing: Evidence.standing(evidence, read?.status, policy)
})
