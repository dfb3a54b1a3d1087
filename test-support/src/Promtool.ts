/** Alert rules evaluated by `promtool` of Debian's package `prometheus`. */
import { spawnSync } from "node:child_process"
import { mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = join(import.meta.dirname, "../../deploy/prometheus")

export const rules = join(folder, "rules.yml")
export const rulesTest = join(folder, "rules.test.yml")

/** Whether there is a `promtool`. Tests that need it are skipped without it, and say so. */
export const isThere = spawnSync("promtool", ["--version"]).status === 0
if (!isThere)
  console.warn("SKIPPED: alert rules, because there is no promtool (package prometheus)")

/** Runs `promtool`. Throws its output if it fails. */
export const run = (...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync("promtool", args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
  return stdout
}

/** The labels that Prometheus gives to a series of the receiver. */
const target = 'job="pawl",instance="a"'

/** Returns the samples of a response of `/metrics`, by series. */
const samplesOf = (scrape: string): ReadonlyMap<string, string> =>
  new Map(
    scrape.split("\n").flatMap((line) => {
      const [, name, , labels = "", value] = /^(\w+)(\{(.*)\})? (\S+)$/u.exec(line) ?? []
      return name === undefined || value === undefined
        ? []
        : [[`${name}{${target}${labels && ","}${labels}}`, value] as const]
    })
  )

/**
 * Throws unless exactly the given alerts fired during a recording: responses of `/metrics`, one
 * every 30 seconds.
 */
export const expectAlerts = (scrapes: ReadonlyArray<string>, alerts: ReadonlyArray<string>) => {
  const all = scrapes.map(samplesOf)
  const names = new Set(all.flatMap((samples) => [...samples.keys()]))
  const valuesOf = (series: string): string =>
    all
      .map((samples, at) => samples.get(series) ?? (all[at - 1]?.has(series) ? "stale" : "_"))
      .join(" ")
  const test = {
    rule_files: [rules],
    evaluation_interval: "30s",
    tests: [
      {
        interval: "30s",
        input_series: [
          { series: `up{${target}}`, values: `1x${scrapes.length}` },
          ...Array.from(names, (series) => ({ series, values: valuesOf(series) }))
        ],
        promql_expr_test: [
          {
            expr: 'group by (alertname) (last_over_time(ALERTS{alertstate="firing"}[2d]))',
            eval_time: `${(scrapes.length - 1) * 30}s`,
            exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 }))
          }
        ]
      }
    ]
  }
  using temporary = mkdtempDisposableSync(join(tmpdir(), "pawl-rules-"))
  const file = join(temporary.path, "test.yml")
  writeFileSync(file, JSON.stringify(test))
  run("test", "rules", file)
}
