/**
 * Judges the durable ledger of this checkout against that of an older one:
 * `pnpm bench store --old DIR [--only cpu|latency|hot|wal|scale|statements] [--documents N] [--new
 * DIR]`.
 *
 * `DIR` is a checkout with its dependencies installed. The same programs run on either in turns, and
 * a ratio is that of a round. Without `--only` all parts run but `scale`, which fills databases with
 * `--documents` (10,000,000) documents.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { cpu } from "./cpu.ts"
import { hot } from "./hot.ts"
import { latency } from "./latency.ts"
import { scale } from "./scale.ts"
import { statements } from "./statements.ts"
import { type Both, type Figure, tableOf } from "./turns.ts"
import { wal } from "./wal.ts"

type Part = (
  trees: Both<string>,
  documents: number
) => Effect.Effect<ReadonlyArray<Figure>, unknown, Scope.Scope>

const parts: Readonly<Record<string, Part>> = { statements, cpu, latency, hot, wal, scale }

export const judgeStore = async (args: ReadonlyArray<string>): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      old: { type: "string" },
      new: { type: "string", default: resolve(import.meta.dirname, "../../..") },
      only: { type: "string" },
      documents: { type: "string", default: "10000000" }
    }
  })
  if (values.old === undefined) throw new Error("--old must name a checkout of the older commit")
  const trees = { old: resolve(values.old), new: resolve(values.new) }
  for (const tree of Object.values(trees)) {
    if (!existsSync(join(tree, "packages/webhook/node_modules"))) {
      throw new Error(`${tree} is not a checkout with its dependencies installed`)
    }
  }
  const names = values.only?.split(",") ?? Object.keys(parts).filter((name) => name !== "scale")
  // A stopped run drops its databases too.
  const stop = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
  const figures: Array<Figure> = []
  for (const [done, name] of names.entries()) {
    const part = parts[name]
    if (part === undefined) {
      throw new Error(`--only names ${Object.keys(parts).join(", ")}, not ${name}`)
    }
    const documents = Number(values.documents)
    const run = Effect.scoped(part(trees, documents))
    const exit = await Effect.runPromiseExit(run, { signal: stop.signal })
    if (stop.signal.aborted) {
      console.error(`Interrupted: ${done} of ${names.length} parts are done`)
      process.exitCode = 130
      break
    }
    if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
    figures.push(...exit.value)
  }
  if (figures.length > 0) console.log(`\n${tableOf(figures)}`)
}
