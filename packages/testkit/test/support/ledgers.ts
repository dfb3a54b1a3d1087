/**
 * The planted bugs of a ledger.
 */
import { accepting } from "./ledgersAccepting.ts"
import { keeping } from "./ledgersKeeping.ts"
import { leasing } from "./ledgersLeasing.ts"
import type { Planted } from "./plants.ts"

/** Every planted bug of a ledger. */
export const ledgers: ReadonlyArray<Planted> = [...accepting, ...leasing, ...keeping]
