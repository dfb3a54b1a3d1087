/** The contract as cases for any test runner. Each gets a new `ServiceUnderTest`. */
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
