/**
 * Command of the reliability runs: `pnpm rel NAME [--seed N] [--count N] [--store memory|sqlite|postgres …]`.
 *
 * **Details**
 *
 * Progress goes to stderr. Stdout gets exactly one line of JSON with the counts, the seed and the verdict. The exit code is
 * 1 unless every expectation held. `--count` is in the unit of the run; `--cycles`, `--years`, `--minutes` and `--n`
 * mean the same. The default is the full count. `--help` prints the runs instead.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { isAvailable } from "@pawl/test-support/Postgres"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { clock } from "./rel/clock.ts"
import { create } from "./rel/create.ts"
import { deploy } from "./rel/deploy.ts"
import { dup } from "./rel/dup.ts"
import { flood } from "./rel/flood.ts"
import { forge } from "./rel/forge.ts"
import { fuzzing } from "./rel/fuzz.ts"
import { help } from "./rel/Help.ts"
import { kill } from "./rel/kill.ts"
import { merchantsRun } from "./rel/merchants.ts"
import { model } from "./rel/model.ts"
import { night } from "./rel/night.ts"
import { pause } from "./rel/pause.ts"
import { poll } from "./rel/poll.ts"
import { race } from "./rel/race.ts"
import { reconcile } from "./rel/reconcile.ts"
import { reducer } from "./rel/reducer.ts"
import type { Report, Run, StoreName } from "./rel/Run.ts"
import { scale } from "./rel/scale.ts"
import { sim } from "./rel/sim.ts"
import { snapshot } from "./rel/snapshot.ts"
import { slow } from "./rel/slow.ts"
import { storeDown } from "./rel/storeDown.ts"
import { storeLost } from "./rel/storeLost.ts"

const runs: ReadonlyMap<string, Run> = new Map(
  Object.entries({
    kill,
    create,
    pause,
    deploy,
    clock,
    "store-down": storeDown,
    stores: storeLost,
    slow,
    night,
    forge,
    flood,
    race,
    dup,
    poll,
    scale,
    snapshot,
    merchants: merchantsRun,
    sim,
    reducer,
    model,
    reconcile,
    fuzz: fuzzing
  })
)

/** The longest time of a run, so that no run hangs. */
const runTimeout = Duration.hours(2)

const log = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** Shows on stderr that a run goes on, also while it has nothing else to say. */
const showTime = (name: string): Effect.Effect<never> =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    return Effect.sync(() => {
      log(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`)
    }).pipe(Effect.delay("30 seconds"), Effect.forever)
  })

const isStore = (name: string): name is StoreName =>
  name === "memory" || name === "sqlite" || name === "postgres"

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^(?:\d{1,9}|\de[1-8])$/u.test(text) ? Number(text) : undefined

const parse = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: "string" },
      count: { type: "string" },
      cycles: { type: "string" },
      years: { type: "string" },
      minutes: { type: "string" },
      n: { type: "string" },
      loss: { type: "string" },
      store: { type: "string", multiple: true },
      help: { type: "boolean" }
    }
  })

/** Returns the arguments; undefined after it has said in one sentence which one is wrong. */
const parsed = Effect.try({
  try: parse,
  catch: (error) => (error as Error).message
}).pipe(
  Effect.catch((message) =>
    Effect.sync(() => {
      // Node goes on with how an argument that begins with a dash is given.
      const [sentence] = message.split(". ")
      log(`${sentence}\n\n${help(runs)}`)
      return undefined
    })
  )
)

const main = Effect.gen(function* () {
  const args = yield* parsed
  if (args === undefined) return false
  const { positionals, values } = args
  if (values.help === true) {
    process.stdout.write(`${help(runs)}\n`)
    return true
  }
  const [name = ""] = positionals
  const run = runs.get(name)
  if (run === undefined || positionals.length !== 1) {
    log(`Name one run.\n\n${help(runs)}`)
    return false
  }
  const seed = numberOf(values.seed) ?? Math.floor(Math.random() * 1e9)
  const stores = values.store?.filter(isStore) ?? run.stores
  const requested = values.count ?? values.cycles ?? values.years ?? values.minutes ?? values.n
  const loss = values.loss === undefined ? undefined : Number(values.loss)
  if (loss !== undefined && !(loss >= 0 && loss < 1)) {
    log("--loss is a probability: 0 or more, and less than 1")
    return false
  }
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
    : yield* run.make({ seed, count, stores, log, loss }).pipe(
        Effect.raceFirst(showTime(name)),
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
