/**
 * Reliability runs: `pnpm rel NAME [--seed N] [--count N] [--store memory|sqlite|postgres …]`.
 *
 * **Details**
 *
 * Progress goes to stderr. On stdout comes exactly one line of JSON: what was counted, the seed, and the
 * verdict; the exit code is 1 unless all of it held. `--count` is in the unit of the run (`--cycles`, `--years`
 * and `--n` say the same), and the full count unless it is given.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { isPostgresThere } from "./rel/Places.ts"
import { dup } from "./rel/dup.ts"
import { forge } from "./rel/forge.ts"
import { kill } from "./rel/kill.ts"
import { poll } from "./rel/poll.ts"
import { race } from "./rel/race.ts"
import { reducer } from "./rel/reducer.ts"
import type { Report, Run, StoreName } from "./rel/Run.ts"
import { sim } from "./rel/sim.ts"
import { storeDown } from "./rel/storeDown.ts"

const runs: ReadonlyMap<string, Run> = new Map(
  Object.entries({ kill, "store-down": storeDown, forge, race, dup, poll, sim, reducer })
)

/** No run may take longer, whatever happens in it. */
const longest = Duration.hours(2)

const say = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

const list = (): string =>
  [...runs].map(([name, { what }]) => `${name.padEnd(12)}${what}`).join("\n")

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
    say(`Name one run:\n${list()}`)
    return false
  }
  const seed = numberOf(values.seed) ?? Math.floor(Math.random() * 1e9)
  const stores = values.store?.filter(isStore) ?? run.stores
  const given = values.count ?? values.cycles ?? values.years ?? values.n
  const [first] = stores
  const count = numberOf(given) ?? (first && run.count[first])
  if (count === undefined || (given !== undefined && numberOf(given) === undefined)) {
    say(`${name} runs on ${Object.keys(run.count).join(", ")}, and counts ${run.unit}`)
    return false
  }
  say(`${name}: ${count} ${run.unit} on ${stores.join(", ")}, seed ${seed}`)
  const isMissing = stores.includes("postgres") && !(yield* Effect.promise(() => isPostgresThere()))
  const began = performance.now()
  const report: Report = isMissing
    ? { figures: {}, misses: ["PostgreSQL does not answer on 127.0.0.1:5432"] }
    : yield* run.make({ seed, count, stores, say }).pipe(
        Effect.scoped,
        Effect.timeout(longest),
        Effect.catchCause((cause) => {
          const misses = [`the run itself failed: ${Cause.pretty(cause)}`]
          return Effect.succeed<Report>({ figures: {}, misses })
        })
      )
  const { figures, misses } = report
  const held = misses.length === 0
  const seconds = Math.round((performance.now() - began) / 1000)
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
