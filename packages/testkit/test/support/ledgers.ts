/**
 * The planted bugs of a ledger.
 */
import { accepting } from "./ledgersAccepting.ts"
import { keeping } from "./ledgersKeeping.ts"
import { leasing } from "./ledgersLeasing.ts"
import type { PlantedBug } from "./ledgerBugs.ts"

/** Every planted bug of a ledger. */
export const ledgers: ReadonlyArray<PlantedBug> = [...accepting, ...leasing, ...keeping]
