/**
 * Runs benchmarks of pawl, its peers and a hand-written floor:
 * `pnpm bench [client …] [--json] [--assert] [--write]`. Without names it runs all benchmarks.
 *
 * `--json` prints one JSON document. `--assert` sets the exit code to 1 when a figure falls behind what
 * was reached (`src/reached.ts`), and lists the goals that are not reached yet. `--write` writes tables
 * and plots into `docs/performance.md`. For `pnpm bench store` see `src/store/store.ts`.
 */
import * as ProgressLine from "@pawl/webhook/internal/ProgressLine"
import { parseArgs } from "node:util"
import { bodies } from "./src/bodies.ts"
import { client } from "./src/client.ts"
import { door, doorCallback } from "./src/door.ts"
import { fake, ready, sandbox } from "./src/fake.ts"
import { connections, processes, rows, rowsMemory, transactions } from "./src/scaling.ts"
import {
  type Bench,
  compare,
  type Costs,
  digits,
  type Goal,
  place,
  type Spread
} from "./src/harness.ts"
import { bound, checkPlaces, heading, type Report, write } from "./src/performancePage.ts"
import { disk, receiver, slowDisk } from "./src/receiver.ts"
import { properties } from "./src/property.ts"
import { margin, reached } from "./src/reached.ts"
import { reducer } from "./src/reducer.ts"
import { requests, requestsAtOnce, requestsQuick } from "./src/requests.ts"
import { size } from "./src/size.ts"
import { start } from "./src/start.ts"
import { judgeStore } from "./src/store/store.ts"
import { refusal, verify, verifyNumbers } from "./src/verify.ts"

const benches: ReadonlyMap<string, Bench> = new Map(
  Object.entries({
    reducer,
    property: properties,
    verify,
    verifyNumbers,
    refusal,
    bodies,
    client,
    requests,
    requestsQuick,
    requestsAtOnce,
    receiver,
    disk,
    slowDisk,
    door,
    doorCallback,
    fake,
    sandbox,
    ready,
    start,
    connections,
    processes,
    rows,
    rowsMemory,
    transactions,
    size
  })
)

type Judged = Report["goals"][number]

const judge = (
  costs: Costs,
  goals: ReadonlyArray<Goal>,
  isMet: (found: Spread, goal: Goal) => boolean
): ReadonlyArray<Judged> =>
  // A benchmark that cannot run here measures nothing. A figure without its variant is behind.
  (costs.of.size === 0 ? [] : goals).map((goal) => {
    const found = compare(costs, goal.variant, goal.against)
    return { ...goal, ...found, met: isMet(found, goal) }
  })

const line = (figure: Judged, unit: string): string =>
  `${bound(figure, unit)}: ${digits(figure.median)}`

if (process.argv[2] === "store") {
  await judgeStore(process.argv.slice(3))
  process.exit()
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

const selected = [...benches].filter(
  ([name]) => positionals.length === 0 || positionals.includes(name)
)
if (values.write) checkPlaces(selected.map(([name]) => name))

const reports: Array<Report> = []
const printEnd = (): void => {
  ProgressLine.clear()
  const open = reports.flatMap(({ goals, name, unit }) =>
    goals.filter(({ met }) => !met).map((goal) => `${name}: ${line(goal, unit)}`)
  )
  if (values.json) console.log(JSON.stringify({ node: process.version, benches: reports }, null, 2))
  else if (open.length > 0) console.log(`\nGoals not reached yet:\n${open.join("\n")}`)
}
process.once("SIGINT", () => {
  printEnd()
  console.error(`Interrupted: ${reports.length} of ${selected.length} benchmarks are done`)
  process.exit(130)
})
for (const [name, bench] of selected) {
  place.text = `${name}, ${reports.length} of ${selected.length} benchmarks done`
  ProgressLine.show(place.text)
  const costs = await bench.run()
  ProgressLine.clear()
  const rows = [...costs.of.keys()].map((variant) => ({
    variant,
    ...compare(costs, variant, bench.floor)
  }))
  const goals = judge(costs, bench.goals, ({ median }, { atMost }) => median <= atMost)
  const held = judge(costs, reached[name] ?? [], ({ low }, { atMost }) => low <= atMost * margin)
  const report = { name, what: bench.what, unit: costs.unit, floor: bench.floor, rows, goals, held }
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
  for (const figure of held) {
    const { atMost, median } = figure
    const word = median <= atMost ? "held  " : figure.met ? "margin" : "BEHIND"
    console.log(`${word}  ${line(figure, costs.unit)}`)
  }
}
printEnd()
if (values.assert && reports.some(({ held }) => held.some(({ met }) => !met))) process.exitCode = 1
