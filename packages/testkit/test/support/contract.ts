/**
 * The contract: what holds of the service behind every door, as a value any runner can run.
 *
 * Each case is given a `Door` of its own, and knows nothing of it but that requests go in, answers come
 * out, callbacks arrive and time can pass.
 */
import { bodies } from "./contractBodies.ts"
import { callbacks } from "./contractCallbacks.ts"
import type { Case } from "./contractDoor.ts"
import { refunds } from "./contractRefunds.ts"
import { requests } from "./contractRequests.ts"
import { subscriptions } from "./contractSubscriptions.ts"
import { transactions } from "./contractTransactions.ts"

/** Every case, by what it is about. */
export const contract: Readonly<Record<string, ReadonlyArray<Case>>> = {
  requests,
  bodies,
  transactions,
  callbacks,
  refunds,
  subscriptions
}
