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

const parsed = (args: ReadonlyArray<string>) =>
  Result.try({
    try: () => parseArgs({ args: [...args], allowPositionals: true, options }),
    catch: (error): Mistake => {
      // Node adds how an argument that begins with a dash is given.
      const [sentence = ""] = (error as Error).message.split(". ")
      return { sentence, hasTable: true }
    }
  })

const fail = (sentence: string) => Result.fail<Mistake>({ sentence, hasTable: false })

const numberOf = (
  name: string,
  text: string | undefined,
  read: (name: string, text: string) => Result.Result<number, string>
): Result.Result<number | undefined, Mistake> =>
  text === undefined
    ? Result.succeed(undefined)
    : Result.mapError(read(`--${name}`, text), (sentence) => ({ sentence, hasTable: false }))

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
    const { positionals, values } = yield* parsed(args)
    if (values.help === true) return { help: true }
    const [name = ""] = positionals
    const run = runs.get(name)
    if (run === undefined || positionals.length !== 1)
      return yield* Result.fail<Mistake>({ sentence: "Name one run.", hasTable: true })
    const seed = yield* numberOf("seed", values.seed, Numbers.seedOf)
    const loss = yield* numberOf("loss", values.loss, Numbers.probabilityOf)
    const stores = yield* Result.all(
      (values.store ?? storesOf(run).usual).map((store) => storeOf(name, run, store))
    )
    const [asked, other] = counts.filter((each) => values[each] !== undefined)
    if (asked !== undefined && other !== undefined)
      return yield* fail(`Give one of --${asked} and --${other}`)
    const [first = "memory"] = stores
    const given = asked && (yield* numberOf(asked, values[asked], Numbers.countOf))
    const count = given ?? run.count[first] ?? 0
    return { help: false, name, run, seed: seed ?? Numbers.newSeed(), count, stores, loss }
  })
