import { layerMemory } from "../src/Ledger.ts"
import { hold } from "./ledgers.ts"

hold("in memory", layerMemory)
