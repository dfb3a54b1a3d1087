/**
 * The reducer: folds every observation of a transaction into its state, in any order and with any repetition.
 *
 * **Details**
 *
 * An observation is a status and the source that states it: a callback claims it; a response or a read of the service
 * confirms it. The state holds the `Evidence` of all observations, the last read, and the standing that both give under
 * the policy of the state. Two states of the same observations are equal, whatever the order of their arrival, and the
 * rank of the standing never falls.
 *
 * This module imports only `Status` and `Evidence` and runs in any JavaScript runtime. A receiver of pawl keeps the same
 * state in its ledger; this module is for a program that keeps its own.
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
 * - `callback`: a callback states it.
 * - `response`: the response to a request that created or changed the transaction states it.
 * - `read`: the service states it when asked. `askedAt` is the time of the request in milliseconds since the epoch.
 *
 * @category models
 * @since 0.1.0
 */
export type Observation =
  | { readonly source: "callback" | "response"; readonly status: Status }
  | { readonly source: "read"; readonly status: Status; readonly askedAt: number }

/**
 * The state of a transaction: JSON that a program can store.
 *
 * - `policy`: the claims that count before the service confirms them.
 * - `evidence`: the claimed and the confirmed statuses.
 * - `read`: the last read, if there was one.
 * - `standing`: the status that holds.
 *
 * @category models
 * @since 0.1.0
 */
export interface State {
  readonly policy: Evidence.Policy
  readonly evidence: Evidence.Evidence
  readonly read: Evidence.Read | undefined
  readonly standing: Evidence.Standing
}

/**
 * Makes the state of a transaction of which nothing was observed.
 *
 * @category constructors
 * @since 0.1.0
 */
export const initial = (policy: Evidence.Policy = "final"): State =>
  make(policy, Evidence.none, undefined)

/**
 * Adds an observation to the state of a transaction. A status that is none of the nine changes nothing.
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
