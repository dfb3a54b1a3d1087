/** Laws as tests of Node's own runner; the argument selects the rule. */
import { test } from "node:test"
import * as Laws from "../src/Laws.ts"
import { laws, type Rule } from "../src/Laws/Rule.ts"
import { documented } from "./support/reducers.ts"

const lastWins: Rule = (statuses) => statuses.at(-1)
const rule = process.argv[2] === "documented" ? documented : lastWins

for (const law of laws) await test(law.name, () => Laws.run(law, rule, { numRuns: 100 }))
