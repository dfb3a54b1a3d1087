/** Writes the results of a benchmark into `docs/performance.md`, as a row that links to a plot. */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { digits, type Goal, type Spread } from "./harness.ts"

export interface Report {
  readonly name: string
  readonly what: string
  readonly unit: string
  readonly floor: string | undefined
  readonly rows: ReadonlyArray<Spread & { readonly variant: string }>
  readonly goals: ReadonlyArray<Goal & Spread & { readonly met: boolean }>
  /** Whether the run holds the figures that were reached. */
  readonly held: Report["goals"]
}

export const bound = ({ against, atMost, variant }: Goal, unit: string): string =>
  `${variant} ≤ ${digits(atMost)} ${against === undefined ? unit : `× ${against}`}`

export const heading = ({ floor, unit }: Report): string =>
  floor === undefined ? unit : `${unit} ÷ ${floor}`

const startOf = (name: string): string => `| [${name}](images/bench-${name}.svg)`

const mostVariants = 12

const row = (report: Report): string => {
  const { floor, goals, name, rows, what } = report
  const goalsOf = (variant: string): ReadonlyArray<string> =>
    goals
      .filter((goal) => goal.variant === variant)
      .map(({ against, atMost, median, met }) => {
        const goal =
          against === floor || against === undefined
            ? `≤ ${digits(atMost)}`
            : `≤ ${digits(atMost)} × ${against}: ${digits(median)}`
        return met ? goal : `**${goal}**`
      })
  const isFloor = ({ high, low }: Spread): boolean => low === 1 && high === 1
  const figures = rows.flatMap((each) => {
    const bounds = goalsOf(each.variant)
    const figure = `${each.variant}: ${digits(each.median)}`
    if (bounds.length > 0) return [`${figure} (${bounds.join(", ")})`]
    return isFloor(each) || rows.length > mostVariants ? [] : [figure]
  })
  return `${startOf(name)}: ${what}; ${heading(report)} | ${figures.join("; ")} |`
}

const [left, width, line, top] = [250, 760, 24, 34]

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** The ticks are 1, 2 and 5 times the powers of ten. */
const ticks = (low: number, high: number): ReadonlyArray<number> =>
  Array.from({ length: 20 }, (_, power) => 10 ** (power - 6))
    .flatMap((ten) => [ten, 2 * ten, 5 * ten])
    .filter((tick) => tick >= low && tick <= high)

/** The plot is on a logarithmic scale: medians as dots, quartiles as bars, goals as strokes. */
const plot = (report: Report): string => {
  const { floor, goals, rows } = report
  const goalOf = (name: string): number | undefined =>
    goals.find(({ against, variant }) => variant === name && against === floor)?.atMost
  const all = rows.flatMap(({ high, low, variant }) => [low, high, goalOf(variant) ?? low])
  const [low, high] = [Math.min(...all) / 1.25, Math.max(...all) * 1.25]
  const x = (value: number): number =>
    Math.round(left + ((width - left - 20) * Math.log(value / low)) / Math.log(high / low))
  const bottom = top + rows.length * line
  const scale = ticks(low, high).map(
    (tick) =>
      `<path class="grid" d="M${x(tick)} ${top - 6}V${bottom}"/>` +
      `<text class="tick" x="${x(tick)}" y="${top - 12}">${tick >= 1 ? tick : digits(tick)}</text>`
  )
  const drawn = rows.map(({ high, low, median, variant }, at) => {
    const y = top + at * line + line / 2
    const goal = goalOf(variant)
    return (
      `<text class="name" x="${left - 12}" y="${y + 4}">${escaped(variant)}</text>` +
      `<path class="range" d="M${x(low)} ${y}H${x(high)}"/>` +
      `<circle class="${goals.some((bounded) => bounded.variant === variant) ? "ours" : "other"}" cx="${x(median)}" cy="${y}" r="5"/>` +
      (goal === undefined ? "" : `<path class="goal" d="M${x(goal)} ${y - 9}v18"/>`)
    )
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 34}" role="img" font-family="system-ui, sans-serif" font-size="13">
<style>
.tick, .name, .unit { fill: #57606a } .tick { text-anchor: middle; font-size: 11px } .name { text-anchor: end }
.grid { stroke: #8c959f; stroke-opacity: 0.25 } .range { stroke: #8c959f; stroke-width: 4; stroke-linecap: round }
.ours { fill: #1a7f64 } .other { fill: #8c959f } .goal { stroke: #cf222e; stroke-width: 2 }
@media (prefers-color-scheme: dark) { .tick, .name, .unit { fill: #9198a1 } .ours { fill: #3fb68f } }
</style>
<title>${escaped(report.what)}</title>
${[...scale, ...drawn].join("\n")}
<text class="unit" x="${left}" y="${bottom + 22}">${escaped(heading(report))}${goals.some(({ against }) => against === floor) ? "; red: the goal" : ""}</text>
</svg>
`
}

const root = join(import.meta.dirname, "../..")
const docs = join(root, "docs")
const path = join(docs, "performance.md")

const placeOf = (page: string, name: string) => {
  const start = page.indexOf(startOf(name))
  if (start === -1)
    throw new Error(`docs/performance.md lacks a row that begins with ${startOf(name)}`)
  return { start, end: page.indexOf("\n", start) }
}

export const checkPlaces = (names: ReadonlyArray<string>): void => {
  const page = readFileSync(path, "utf8")
  for (const name of names) placeOf(page, name)
}

export const write = (report: Report): void => {
  const page = readFileSync(path, "utf8")
  const { end, start } = placeOf(page, report.name)
  writeFileSync(path, page.slice(0, start) + row(report) + page.slice(end))
  execFileSync(join(root, "node_modules/.bin/oxfmt"), [path])
  writeFileSync(join(docs, "images", `bench-${report.name}.svg`), plot(report))
}
