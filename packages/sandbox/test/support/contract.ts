/**
 * The contract of the service, as cases that any test runner can run.
 *
 * Each case gets a new `ServiceUnderTest`. It sends requests, reads responses and callbacks, and lets time
 * pass.
 */
import { ambiguous } from "./contractAmbiguous.ts"
import { bodies } from "./contractBodies.ts"
import { callbacks } from "./contractCallbacks.ts"
import type { Case } from "./contractService.ts"
import { refunds } from "./contractRefunds.ts"
import { strictness } from "./contractStrictness.ts"
import { identifiers } from "./contractIdentifiers.ts"
import { rehearsal } from "./contractRehearsal.ts"
import { requests } from "./contractRequests.ts"
import { subscriptions } from "./contractSubscriptions.ts"
import { transactions } from "./contractTransactions.ts"

/** Every case by subject. */
export const contract: Readonly<Record<string, ReadonlyArray<Case>>> = {
  requests,
  bodies,
  strictness,
  identifiers,
  rehearsal,
  ambiguous,
  transactions,
  callbacks,
  refunds,
  subscriptions
}
