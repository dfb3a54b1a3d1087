/**
 * Runs benchmarks of pawl, its peers and a hand-written floor:
 * `pnpm bench [client …] [--json] [--assert] [--write]`. Without names it runs all benchmarks.
 *
 * `--json` prints one JSON document and nothing else. `--assert` sets the exit code to 1 when a goal is
 * missed. `--write` writes tables and plots of the results into `docs/performance.md`.
 */
import { parseArgs } from "node:util"
import { client } from "./src/client.ts"
import { fake, ready, sandbox } from "./src/fake.ts"
import { connections, processes, rows, transactions } from "./src/scaling.ts"
import { type Bench, compare, type Costs, type Goal } from "./src/harness.ts"
import { bound, digits, heading, type Report, write } from "./src/performancePage.ts"
import { disk, receiver } from "./src/receiver.ts"
import { properties } from "./src/property.ts"
import { reducer } from "./src/reducer.ts"
import { size } from "./src/size.ts"
import { start } from "./src/start.ts"
import { refusal, verify, verifyNumbers } from "./src/verify.ts"

const benches: ReadonlyMap<string, Bench> = new Map(
  Object.entries({
    reducer,
    property: properties,
    verify,
    verifyNumbers,
    refusal,
    client,
    receiver,
    disk,
    fake,
    sandbox,
    ready,
    start,
    connections,
    processes,
    rows,
    transactions,
    size
  })
)

const judge = (costs: Costs, goal: Goal): Report["goals"][number] => {
  const found = compare(costs, goal.variant, goal.against)
  return { ...goal, ...found, met: found.median <= goal.atMost }
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    assert: { type: "boolean" },
    write: { type: "boolean" }
  }
})
const unknown = positionals.filter((name) => !benches.has(name))
if (unknown.length > 0) {
  console.error(`Unknown benchmark ${unknown.join(", ")}. Known: ${[...benches.keys()].join(", ")}`)
  process.exit(1)
}

const reports: Array<Report> = []
for (const [name, bench] of benches) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const costs = await bench.run()
  const rows = [...costs.of.keys()].map((variant) => ({
    variant,
    ...compare(costs, variant, bench.floor)
  }))
  const goals = bench.goals
    .filter(({ variant }) => costs.of.has(variant))
    .map((goal) => judge(costs, goal))
  const report = { name, what: bench.what, unit: costs.unit, floor: bench.floor, rows, goals }
  reports.push(report)
  if (values.write && rows.length > 0) write(report)
  if (values.json) continue
  console.log(`\n${name}: ${bench.what}\n`)
  console.log(`${heading(report).padEnd(36)}${"median".padStart(10)}${"quartiles".padStart(18)}`)
  for (const { high, low, median, variant } of rows) {
    const quartiles = `${digits(low)} – ${digits(high)}`
    console.log(`${variant.padEnd(36)}${digits(median).padStart(10)}${quartiles.padStart(18)}`)
  }
  console.log("")
  for (const goal of goals) {
    const verdict = goal.met ? "met   " : "MISSED"
    console.log(`${verdict}  ${bound(goal, costs.unit)}: ${digits(goal.median)}`)
  }
}
if (values.json) console.log(JSON.stringify({ node: process.version, benches: reports }, null, 2))
if (values.assert && reports.some(({ goals }) => goals.some(({ met }) => !met))) {
  process.exitCode = 1
}
