/**
 * Measures pawl beside its peers and the floor:
 * `pnpm bench [client …] [--json] [--assert]`. Without a name, every bench runs.
 *
 * `--json` prints one JSON document and nothing else; with `--assert` the exit code is 1 if a goal was
 * missed.
 */
import { parseArgs } from "node:util"
import { client } from "./src/client.ts"
import { fake, ready, sandbox } from "./src/fake.ts"
import { type Bench, compare, type Costs, type Goal, type Spread } from "./src/harness.ts"
import { disk, receiver } from "./src/receiver.ts"
import { reducer } from "./src/reducer.ts"
import { size } from "./src/size.ts"
import { refusal, verify, verifyNumbers } from "./src/verify.ts"

const benches: ReadonlyMap<string, Bench> = new Map(
  Object.entries({
    reducer,
    verify,
    verifyNumbers,
    refusal,
    client,
    receiver,
    disk,
    fake,
    sandbox,
    ready,
    size
  })
)

interface Verdict extends Goal, Spread {
  readonly met: boolean
}

const judge = (costs: Costs, goal: Goal): Verdict => {
  const found = compare(costs, goal.variant, goal.against)
  return { ...goal, ...found, met: found.median <= goal.atMost }
}

const digits = (number: number): string =>
  number >= 100 ? number.toFixed(0) : number.toPrecision(3)

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, assert: { type: "boolean" } }
})
const unknown = positionals.filter((name) => !benches.has(name))
if (unknown.length > 0) {
  console.error(`there is no bench ${unknown.join(", ")}, only ${[...benches.keys()].join(", ")}`)
  process.exit(1)
}

const reports = []
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
  reports.push({ name, what: bench.what, unit: costs.unit, floor: bench.floor, rows, goals })
  if (values.json) continue
  const unit = bench.floor === undefined ? costs.unit : `${costs.unit} ÷ ${bench.floor}`
  console.log(`\n${name}: ${bench.what}\n`)
  console.log(`${unit.padEnd(36)}${"median".padStart(10)}${"quartiles".padStart(18)}`)
  for (const { high, low, median, variant } of rows) {
    const quartiles = `${digits(low)} – ${digits(high)}`
    console.log(`${variant.padEnd(36)}${digits(median).padStart(10)}${quartiles.padStart(18)}`)
  }
  console.log("")
  for (const { against, atMost, median, met, variant } of goals) {
    const bound = against === undefined ? `${atMost} ${costs.unit}` : `${atMost} × ${against}`
    console.log(`${met ? "met   " : "MISSED"}  ${variant} ≤ ${bound}: ${digits(median)}`)
  }
}
if (values.json) console.log(JSON.stringify({ node: process.version, benches: reports }, null, 2))
if (values.assert && reports.some(({ goals }) => goals.some(({ met }) => !met))) {
  process.exitCode = 1
}
