/**
 * Arguments of `rel`.
 */
import * as Result from "effect/Result"
import { parseArgs } from "node:util"
import * as Numbers from "../Numbers.ts"
import { type Run, type RunOptions, type StoreName, storesOf } from "./Run.ts"

export type Arguments =
  | { readonly help: true }
  | ({ readonly help: false; readonly name: string; readonly run: Run } & Omit<
      RunOptions,
      "log" | "progress"
    >)

export interface Mistake {
  readonly sentence: string
  readonly hasTable: boolean
}

const counts = ["count", "cycles", "years", "minutes", "n"] as const

const text = { type: "string" } as const
const options = {
  seed: text,
  count: text,
  cycles: text,
  years: text,
  minutes: text,
  n: text,
  loss: text,
  store: { type: "string", multiple: true },
  help: { type: "boolean" }
} as const

const isStore = (name: string): name is StoreName =>
  name === "memory" || name === "sqlite" || name === "postgres"

const given = (args: ReadonlyArray<string>) =>
  Result.try({
    try: () => parseArgs({ args: [...args], allowPositionals: true, options }),
    catch: (error): Mistake => {
      // Node adds how an argument that begins with a dash is given.
      const [sentence = ""] = (error as Error).message.split(". ")
      return { sentence, hasTable: true }
    }
  })

const fail = (sentence: string) => Result.fail<Mistake>({ sentence, hasTable: false })
const valid = <A>(read: Result.Result<A, string>) =>
  Result.isFailure(read) ? fail(read.failure) : Result.succeed(read.success)

const storeOf = (name: string, run: Run, store: string): Result.Result<StoreName, Mistake> => {
  if (!isStore(store)) return fail(`--store must be memory, sqlite or postgres, and not "${store}"`)
  return run.count[store] === undefined
    ? fail(`${name} runs on ${Object.keys(run.count).join(", ")}, and not on ${store}`)
    : Result.succeed(store)
}

export const parse = (
  args: ReadonlyArray<string>,
  runs: ReadonlyMap<string, Run>
): Result.Result<Arguments, Mistake> =>
  Result.gen(function* () {
    const { positionals, values } = yield* given(args)
    if (values.help === true) return { help: true }
    const [name = ""] = positionals
    const run = runs.get(name)
    if (run === undefined || positionals.length !== 1)
      return yield* Result.fail<Mistake>({ sentence: "Name one run.", hasTable: true })
    const seed =
      values.seed === undefined
        ? Numbers.newSeed()
        : yield* valid(Numbers.seedOf("--seed", values.seed))
    const loss =
      values.loss === undefined
        ? undefined
        : yield* valid(Numbers.probabilityOf("--loss", values.loss))
    const stores = yield* Result.all(
      (values.store ?? storesOf(run).usual).map((store) => storeOf(name, run, store))
    )
    const [asked, other] = counts.filter((each) => values[each] !== undefined)
    if (asked !== undefined && other !== undefined)
      return yield* fail(`Give one of --${asked} and --${other}`)
    const count =
      asked === undefined
        ? fullCount(run, stores)
        : yield* valid(Numbers.countOf(`--${asked}`, values[asked] ?? ""))
    return { help: false, name, run, seed, count, stores, loss }
  })

const fullCount = ({ count }: Run, [first]: ReadonlyArray<StoreName>): number =>
  (first && count[first]) ?? 0
