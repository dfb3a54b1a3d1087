/**
 * Command of the reliability runs:
 * `pnpm rel NAME [--seed N] [--count N] [--store memory|sqlite|postgres …]`. Progress goes to
 * stderr, and one line of JSON to stdout. The exit code is 1 after a miss, and 130 after an
 * interruption, when the line has the finished parts.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as ProgressLine from "@pawl/webhook/internal/ProgressLine"
import { isAvailable } from "@pawl/test-support/Postgres"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Arguments from "./rel/Arguments.ts"
import { clock } from "./rel/clock.ts"
import { create } from "./rel/create.ts"
import { deploy } from "./rel/deploy.ts"
import { descriptors } from "./rel/descriptors.ts"
import { dup } from "./rel/dup.ts"
import { flood } from "./rel/flood.ts"
import { forge } from "./rel/forge.ts"
import { fuzzing } from "./rel/fuzz.ts"
import { help } from "./rel/Help.ts"
import { kill } from "./rel/kill.ts"
import { accountsRun } from "./rel/accounts.ts"
import { merchantsRun } from "./rel/merchants.ts"
import { model } from "./rel/model.ts"
import { owner } from "./rel/owner.ts"
import { night } from "./rel/night.ts"
import { pause } from "./rel/pause.ts"
import { poll } from "./rel/poll.ts"
import { race } from "./rel/race.ts"
import { reconcile } from "./rel/reconcile.ts"
import { reducer } from "./rel/reducer.ts"
import { finished, joined, type Report, type Run } from "./rel/Run.ts"
import { scale } from "./rel/scale.ts"
import { plans, sim } from "./rel/sim.ts"
import { snapshot } from "./rel/snapshot.ts"
import { silent } from "./rel/silent.ts"
import { slow } from "./rel/slow.ts"
import { stop } from "./rel/stop.ts"
import { storeDown } from "./rel/storeDown.ts"
import { storeLost } from "./rel/storeLost.ts"

const runs: ReadonlyMap<string, Run> = new Map(
  Object.entries({
    kill,
    create,
    pause,
    owner,
    deploy,
    clock,
    "store-down": storeDown,
    stores: storeLost,
    silent,
    stop,
    descriptors,
    slow,
    night,
    forge,
    flood,
    race,
    dup,
    poll,
    scale,
    snapshot,
    accounts: accountsRun,
    merchants: merchantsRun,
    sim,
    plans,
    reducer,
    model,
    reconcile,
    fuzz: fuzzing
  })
)

const runTimeout = Duration.hours(2)

const log = (line: string): void => {
  ProgressLine.clear()
  process.stderr.write(`${line}\n`)
}

const main = Effect.gen(function* () {
  const parsed = Arguments.parse(process.argv.slice(2), runs)
  if (Result.isFailure(parsed)) {
    const { hasTable, sentence } = parsed.failure
    log(hasTable ? `${sentence}\n\n${help(runs)}` : sentence)
    return false
  }
  if (parsed.success.help) {
    process.stdout.write(`${help(runs)}\n`)
    return true
  }
  const { count, loss, name, run, seed, stores } = parsed.success
  log(`${name}: ${count} ${run.unit} on ${stores.join(", ")}, seed ${seed}`)
  const lacksPostgres = stores.includes("postgres") && !(yield* Effect.promise(isAvailable))
  const startedAt = performance.now()
  const passed = () => Math.round((performance.now() - startedAt) / 1000)
  let reached = `0 of ${count} ${run.unit}`
  const progress = (line: string) => void (reached = line)
  const print = ({ figures, misses }: Report, verdict: string) => {
    const line = { name, seed, [run.unit]: count, seconds: passed(), ...figures, verdict, misses }
    process.stdout.write(`${JSON.stringify(line)}\n`)
  }
  const report: Report = lacksPostgres
    ? { figures: {}, misses: ["PostgreSQL does not respond on 127.0.0.1:5432"] }
    : yield* run.make({ seed, count, stores, log, progress, loss }).pipe(
        ProgressLine.during(() => `${name}: ${passed()} s; ${reached}`),
        Effect.scoped,
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            log(`Interrupted: ${reached}`)
            print(joined(finished), "interrupted")
          })
        ),
        Effect.timeout(runTimeout),
        Effect.catchCause((cause) => {
          const misses = [`the run itself failed: ${Cause.pretty(cause)}`]
          return Effect.succeed<Report>({ figures: {}, misses })
        })
      )
  const held = report.misses.length === 0
  print(report, held ? "held" : "missed")
  return held
})

NodeRuntime.runMain(Effect.map(main, (held) => void (process.exitCode = held ? 0 : 1)))
