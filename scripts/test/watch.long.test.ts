import * as Promtool from "../../test-support/src/Promtool.ts"
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as Metrics from "../metrics.ts"
import { read } from "../repository.ts"

const { metrics, namesIn, series } = Metrics
const rules = readFileSync(Promtool.rules, "utf8")
const alerts = Array.from(rules.matchAll(/- alert: (\w+)/gu), ([, name = ""]) => name)

interface Panel {
  readonly title: string
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}
const dashboard = JSON.parse(read("deploy/grafana/pawl.json")) as {
  readonly panels: ReadonlyArray<Panel>
  readonly templating: { readonly list: ReadonlyArray<{ readonly query: unknown }> }
}
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

it("the tables of the modules have a metric, its labels and its kind in a row", () => {
  expect(
    Metrics.read(
      [
        " * | `pawl_webhook_reads_total{answer}` | reads |",
        " * | `pawl_webhook_accept_duration_seconds` | histogram: time |",
        " * | `pawl.http.retries` | `pawl_http_retries_total` | retries | operation, outcome |"
      ].join("\n")
    )
  ).toEqual([
    { name: "pawl_webhook_reads_total", labels: ["answer"], isHistogram: false },
    { name: "pawl_webhook_accept_duration_seconds", labels: [], isHistogram: true },
    { name: "pawl_http_retries_total", labels: ["operation", "outcome"], isHistogram: false }
  ])
  expect(metrics.length).toBeGreaterThan(20)
})

it("the names follow Prometheus: a base unit, and `_total` on counters alone", () => {
  for (const { isHistogram, name } of metrics) {
    expect(name).toMatch(/^(?:pawl_(?:http|webhook)|http_client)(?:_[a-z]+)+$/u)
    expect(name).not.toMatch(/_(?:ms|millis|milliseconds|minutes|hours|count|sum|bucket)$/u)
    if (isHistogram) expect(name).toMatch(/_(?:seconds|bytes)$/u)
  }
})

it("the rules and the dashboard name series that exist", () => {
  const named = namesIn([rules, ...expressions].join("\n"))
  expect(named.filter((name) => !series.has(name))).toEqual([])
})

it("the dashboard shows every metric", () => {
  const shown = expressions.join("\n")
  const missing = metrics.filter(
    ({ name }) => !new RegExp(`${name}(?:_bucket)?\\{`, "u").test(shown)
  )
  expect(missing).toEqual([])
})

it("the rules and the dashboard select and group by labels that exist", () => {
  const known = new Set([
    ...metrics.flatMap(({ labels }) => labels),
    "job",
    "instance",
    "merchant",
    "le"
  ])
  for (const text of [rules, ...expressions]) {
    const selected = text.matchAll(/(?<=[{,] *)([a-z_]+)(?=(?:=|!=|=~|!~)")/gu)
    const grouped = text.matchAll(/by \(([a-z_, ]+)\)/gu)
    for (const [, names = ""] of Array.from(selected).concat(Array.from(grouped))) {
      for (const name of names.split(", ")) expect(known).toContain(name)
    }
  }
})

it("the guide for production has a row for every alert, and for no other", () => {
  const page = read("docs/guides/production.md")
  const section = page.slice(page.indexOf("## 5."), page.indexOf("## 6."))
  const rows = Array.from(section.matchAll(/^\| `(Pawl\w+)`/gmu), ([, name]) => name)
  expect(rows).toEqual(alerts)
  expect(namesIn(page).filter((name) => !metrics.some((metric) => metric.name === name))).toEqual(
    []
  )
})

it("every alert fires in a test", () => {
  const tests = ["packages/webhook", "packages/testkit"]
    .map((home) => read(`${home}/test/AlertRules.long.test.ts`))
    .concat(readFileSync(Promtool.rulesTest, "utf8"))
    .join("\n")
  for (const alert of alerts)
    expect(tests).toMatch(new RegExp(`(?:alerts: \\["|alertname=")${alert}"`, "u"))
})

describe.runIf(Promtool.isThere)("promtool", () => {
  it("accepts the rules, and their tests pass", () => {
    const count = rules.match(/- (?:alert|record):/gu)?.length
    expect(Promtool.run("check", "rules", Promtool.rules)).toContain(`${count} rules found`)
    expect(Promtool.run("test", "rules", Promtool.rulesTest)).toContain("SUCCESS")
  })

  it("accepts every expression of the dashboard", () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "pawl-dashboard-"))
    const file = join(folder.path, "rules.yml")
    const record = expressions.map((expr, index) => ({
      record: `dashboard:${index}`.replaceAll(/\d/gu, (digit) => "abcdefghij"[Number(digit)] ?? ""),
      expr: expr.replaceAll("$__rate_interval", "5m")
    }))
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules: record }] }))
    expect(Promtool.run("check", "rules", file)).toContain(`${expressions.length} rules found`)
  })
})
