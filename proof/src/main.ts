/**
 * Command of the reliability runs: `pnpm rel NAME [--seed N] [--count N] [--store memory|sqlite|postgres …]`.
 *
 * **Details**
 *
 * Progress goes to stderr. Stdout gets exactly one line of JSON with the counts, the seed and the verdict. The exit code is
 * 1 unless every expectation held. `--count` is in the unit of the run; `--cycles`, `--years` and `--n` mean the same. The
 * default is the full count.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { isAvailable } from "@pawl/test-support/Postgres"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { deploy } from "./rel/deploy.ts"
import { dup } from "./rel/dup.ts"
import { flood } from "./rel/flood.ts"
import { forge } from "./rel/forge.ts"
import { kill } from "./rel/kill.ts"
import { poll } from "./rel/poll.ts"
import { race } from "./rel/race.ts"
import { reducer } from "./rel/reducer.ts"
import type { Report, Run, StoreName } from "./rel/Run.ts"
import { sim } from "./rel/sim.ts"
import { slow } from "./rel/slow.ts"
import { storeDown } from "./rel/storeDown.ts"

const runs: ReadonlyMap<string, Run> = new Map(
  Object.entries({
    kill,
    deploy,
    "store-down": storeDown,
    slow,
    forge,
    flood,
    race,
    dup,
    poll,
    sim,
    reducer
  })
)

/** The longest time of a run, so that no run hangs. */
const runTimeout = Duration.hours(2)

const log = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

const runList = (): string =>
  [...runs].map(([name, { summary }]) => `${name.padEnd(12)}${summary}`).join("\n")

const isStore = (name: string): name is StoreName =>
  name === "memory" || name === "sqlite" || name === "postgres"

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^(?:\d{1,9}|\de[1-8])$/u.test(text) ? Number(text) : undefined

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string" },
    count: { type: "string" },
    cycles: { type: "string" },
    years: { type: "string" },
    n: { type: "string" },
    store: { type: "string", multiple: true }
  }
})

const main = Effect.gen(function* () {
  const [name = ""] = positionals
  const run = runs.get(name)
  if (run === undefined || positionals.length !== 1) {
    log(`Name one run:\n${runList()}`)
    return false
  }
  const seed = numberOf(values.seed) ?? Math.floor(Math.random() * 1e9)
  const stores = values.store?.filter(isStore) ?? run.stores
  const requested = values.count ?? values.cycles ?? values.years ?? values.n
  const [first] = stores
  const count = numberOf(requested) ?? (first && run.count[first])
  if (count === undefined || (requested !== undefined && numberOf(requested) === undefined)) {
    log(`${name} runs on ${Object.keys(run.count).join(", ")}; its count is in ${run.unit}`)
    return false
  }
  log(`${name}: ${count} ${run.unit} on ${stores.join(", ")}, seed ${seed}`)
  const lacksPostgres = stores.includes("postgres") && !(yield* Effect.promise(isAvailable))
  const startedAt = performance.now()
  const report: Report = lacksPostgres
    ? { figures: {}, misses: ["PostgreSQL does not respond on 127.0.0.1:5432"] }
    : yield* run.make({ seed, count, stores, log }).pipe(
        Effect.scoped,
        Effect.timeout(runTimeout),
        Effect.catchCause((cause) => {
          const misses = [`the run itself failed: ${Cause.pretty(cause)}`]
          return Effect.succeed<Report>({ figures: {}, misses })
        })
      )
  const { figures, misses } = report
  const held = misses.length === 0
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const verdict = held ? "held" : "missed"
  const line = { name, seed, [run.unit]: count, seconds, ...figures, verdict, misses }
  process.stdout.write(`${JSON.stringify(line)}\n`)
  return held
})

NodeRuntime.runMain(
  Effect.tap(main, (held) =>
    Effect.sync(() => {
      process.exitCode = held ? 0 : 1
    })
  )
)
