/**
 * Ledgers with a bug each, as people write them.
 */
import { accepting } from "./ledgersAccepting.ts"
import { keeping } from "./ledgersKeeping.ts"
import { leasing } from "./ledgersLeasing.ts"
import type { PlantedBug } from "./ledgerBugs.ts"

/** Every planted bug of a ledger. */
export const ledgers: ReadonlyArray<PlantedBug> = [...accepting, ...leasing, ...keeping]
