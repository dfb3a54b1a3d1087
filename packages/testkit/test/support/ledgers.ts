import { accepting } from "./ledgersAccepting.ts"
import { keeping } from "./ledgersKeeping.ts"
import { leasing } from "./ledgersLeasing.ts"
import type { PlantedBug } from "./ledgerBugs.ts"

export const ledgers: ReadonlyArray<PlantedBug> = [...accepting, ...leasing, ...keeping]
