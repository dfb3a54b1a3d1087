import { type Run, storesOf } from "./Run.ts"

const usage = `rel NAME [options]: runs one reliability run, and prints one line of JSON with its counts and its verdict

  --count N      how much is run, in the unit of the run; the table has the count of a full run
                 (--cycles, --years, --minutes and --n mean the same)
  --seed N       repeats the draws of another run; a new one by default
  --loss P       the probability that a request or response is lost (create: 0.3)
  --store NAME   runs on this store only: memory, sqlite or postgres; may be given again
  --help         prints this table`

const countOf = (run: Run): string => {
  const { count, unit } = run
  const [first] = storesOf(run).usual
  const full = first && count[first]
  const others = Object.entries(count)
    .filter(([, other]) => other !== full)
    .map(([store, other]) => ` (${store}: ${other})`)
  return `${full} ${unit}${others.join("")}`
}

const listOf = (run: Run): string => {
  const { possible, usual } = storesOf(run)
  return possible.map((store) => (usual.includes(store) ? store : `(${store})`)).join(" ")
}

export const help = (runs: ReadonlyMap<string, Run>): string => {
  const lines = [
    ["run", "full count", "stores", "what it checks"],
    ...[...runs].map(([name, run]) => [name, countOf(run), listOf(run), run.summary])
  ]
  const widths = [0, 1, 2].map((column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0))
  )
  const table = lines.map((cells) =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")
  )
  return `${usage}\n\n${table.join("\n")}`
}
