import { layerMemory } from "../src/Ledger.ts"
import { laws } from "./LedgerLaws.ts"

laws("in memory", layerMemory)
