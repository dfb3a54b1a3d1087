/**
 * The size check: bundles each part of pawl with esbuild, minified and gzipped. Node's modules are left out,
 * and so is undici, which only the client for Node needs.
 *
 * `limit` is a ratchet: the size that was reached, rounded up. A change may only lower it, until it is `goal`.
 * The check also holds that the state model imports nothing.
 *
 * Run by itself it prints one line per part, and exits 1 if a part is too large.
 */
import { build } from "esbuild"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

/** A part of pawl, as an application bundles it. */
export interface Part {
  readonly name: string
  /** The imports of such an application. */
  readonly imports: string
  /** The imports of which it is made: the bytes of their bundle do not count. */
  readonly over?: string
  /** The limit and the goal are in bytes. */
  readonly limit: number
  readonly goal: number
  /** The only modules that the bundle may contain, if that is promised. */
  readonly alone?: ReadonlyArray<string>
}

const root = join(import.meta.dirname, "..")

/** The parts whose size is limited. */
export const parts: ReadonlyArray<Part> = [
  {
    name: "Status + Evidence",
    imports: `export * from "@pawl/core/Status"
      export * from "@pawl/core/Evidence"`,
    // 41 bytes over the goal: the bits of each status, which stores hold.
    limit: 1045,
    goal: 1000,
    alone: ["packages/core/src/Status.ts", "packages/core/src/Evidence.ts"]
  },
  {
    name: "Reducer",
    imports: `export * from "@pawl/core/Reducer"`,
    // The reducer with the state model beneath it.
    // 31 more: a status that is none of the nine is ignored.
    limit: 905,
    goal: 870,
    alone: [
      "packages/core/src/Status.ts",
      "packages/core/src/Evidence.ts",
      "packages/core/src/Reducer.ts"
    ]
  },
  {
    name: "verifier",
    imports: `import { verifyWith } from "@pawl/webhook/VerifyCallback"
      import { createHmac } from "node:crypto"
      export const make = (secret) =>
        verifyWith({ current: (text) => createHmac("sha256", secret).update(text).digest() })`,
    // 40 more: a token may name a merchant, and a request is read before its merchant is known.
    // 10 more: an id is any text but `.` and `..`, which name another path.
    // 80 more: a status is known by the one table, which has its bits too. The receiver's whole bundle has become smaller.
    // 30 more: elements and containers of a body are counted as members are.
    // 40 more: a switch says whether a callback must say that it is JSON.
    // 20 more: a request that was read for its merchant is not read again.
    // 20 more: too many commas end the scan of a body.
    // 10 more: the path of a callback is passed on.
    limit: 3950,
    goal: 2500
  },
  {
    name: "verifier's layer",
    imports: `export { layer, Verifier } from "@pawl/webhook/Verifier"
      export { layer as hmac } from "@pawl/core/NodeHmac"`,
    // 10 more: the path of a callback is passed on.
    limit: 17_530,
    goal: 17_500
  },
  {
    name: "receiver",
    imports: `export { toListener } from "@pawl/webhook/NodeReceiver"
      export { layer } from "@pawl/webhook/Receiver"
      export { layer as verifier } from "@pawl/webhook/Verifier"
      export { layerMemory } from "@pawl/webhook/Ledger"
      export { layer as hmac } from "@pawl/core/NodeHmac"
      export { layer as handler } from "@pawl/core/Handler"`,
    // 600 more than before: the rule of a row is pure functions, and each receiver is built for its own settings.
    // 300 more: dead letters come in pages and are redriven at a rate.
    // 200 more: an outage is noticed, and a callback settles the request that it names.
    // 200 more: observers of the journal, and the alarm after refused credentials.
    // 30 more: the door of Node takes the bytes that a body parser kept. 370 more: stored requests are cleaned and settled.
    // 3,400 more: facts are kept, rows come in pages, reads wait for a budget that all receivers share, and each shard has a worker.
    // 500 more: the use of the read budget is told, and merchants share a receiver.
    // 700 more: the ledger in memory finds its rows by indexes. 300 more: merchants take turns on the thread.
    // 100 more: a callback is stored with few effects, which saves a tenth of its CPU time.
    // 600 more: a failed build is made again, defects are logged, and an error in an observer ends nothing that others share.
    // 60 more: a store that is gone is logged once in 10 minutes, and refused credentials are told from an absent service.
    // 9,000 more: one engine runs the rule for every store, over documents with versions, leases and codecs of their own.
    // 600 more: a handler that failed is called again by a Schedule, and every store shows documents that it cannot read.
    // 400 more: a store belongs to one account, and an outcome is replaced by one that proves more.
    // 2,100 more: errors of a store are told apart, and a worker says that it makes no progress or that its backlog grows.
    // 200 more: callbacks that could not be stored make a receiver unready.
    // 200 more: an erased transaction remembers it, and a handler gets no member that a copy would take for a prototype.
    // 700 more: the bytes of a transaction and of a store have limits, so that no merchant fills the disk of others.
    // 50 more: the switch of the verifier.
    // 30 more: callbacks of nobody have an alarm of their own.
    // 20 more: the scan of a body, as in the verifier.
    // 300 more: the type and the path of a callback choose the status endpoint that is read first.
    // 50 more: the waits of a retry schedule are computed once.
    limit: 65_300,
    goal: 30_000
  },
  {
    name: "client",
    imports: `export { layer } from "@pawl/http/Pawl"`,
    // 500 more: every layer of the client has the sender of durable requests, and retries run by a Schedule of Effect.
    // 100 more: what a status proves of a create is one table of core.
    // 100 more: the client names its account, and signs a stored request when it sends it.
    // 600 more: a number is found in every form in which a service may quote it.
    limit: 61_300,
    goal: 60_000
  },
  {
    name: "portable client",
    imports: `export { layerPerRequest } from "@pawl/http/PawlPortable"
      export { layer as config } from "@pawl/http/PawlConfig"
      export { layerFetch } from "@pawl/http/Transport"
      export { layer as hmac } from "@pawl/core/Hmac"`,
    // 100 more: the client names its account, and elements of a body are counted.
    // 600 more: a number is found in every form in which a service may quote it.
    limit: 61_300,
    goal: 55_000
  },
  {
    name: "pawl",
    imports: `export * from "pawl"`,
    over: `export { layer } from "pawl/internal/Functions"
      export { layerConfig } from "@pawl/http/Pawl"
      export { of } from "@pawl/core/NextAction"
      export { changes } from "@pawl/http/StatusPoller"
      export { CannotListen, listen, listener } from "@pawl/webhook/NodeReceiver"
      export { make as report } from "@pawl/webhook/internal/rule/TransactionReport"
      export { toHandler } from "@pawl/webhook/WebReceiver"
      export * from "@pawl/core/PaymentsError"
      export * from "@pawl/webhook/internal/requests/RequestsError"
      export { formatStructured, layer as loggers, LogToStderr, map } from "effect/Logger"
      export { make } from "effect/ManagedRuntime"
      export { interruptWhen, toAsyncIterableWith } from "effect/Stream"`,
    // 500 more: hooks, a logger, the switches of the profile; a store is migrated by a command, and may be several databases.
    // 250 more: the arguments of each call are checked, because a misspelt field or option was ignored, and a payment made twice.
    // 100 more: this is the difference of two compressed bundles, which any change of the packages beneath moves by as much.
    // 200 more: a server answers what was sent to it before it ends, and says when it has too many connections.
    // 100 more: a profile may be the path of a file.
    // 40 more: the difference of two compressed bundles, as above.
    limit: 4190,
    goal: 3000
  }
]

/** Bundles the imports of a text. Returns the size in bytes and the modules of the bundle. */
export const weigh = async (
  contents: string
): Promise<{ readonly bytes: number; readonly modules: ReadonlyArray<string> }> => {
  const { metafile, outputFiles } = await build({
    // The examples can import every package.
    stdin: { contents, resolveDir: join(root, "examples"), sourcefile: "<entry>" },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    external: ["undici", "@effect/sql-pg/PgClient"],
    metafile: true,
    write: false
  })
  return {
    bytes: gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length,
    modules: Object.keys(metafile.inputs).filter((path) => !path.endsWith("<entry>"))
  }
}

/** Lists what is wrong with a part of that size. */
export const objections = (
  { alone, limit, name }: Pick<Part, "alone" | "limit" | "name">,
  { bytes, modules }: Awaited<ReturnType<typeof weigh>>
): ReadonlyArray<string> => [
  ...(bytes > limit ? [`${name} is ${bytes - limit} bytes over its ${limit}`] : []),
  ...(alone === undefined ? [] : modules.filter((path) => !alone.includes(path))).map(
    (path) => `${name} must import nothing, but its bundle contains ${path}`
  )
]

if (import.meta.main) {
  const wrong: Array<string> = []
  for (const part of parts) {
    const whole = await weigh(part.imports)
    const beneath = part.over === undefined ? 0 : (await weigh(part.over)).bytes
    const weight = { ...whole, bytes: whole.bytes - beneath }
    wrong.push(...objections(part, weight))
    const { goal, limit, name } = part
    console.log(
      `${name.padEnd(18)}${String(weight.bytes).padStart(7)} bytes, of at most ${limit}${goal < limit ? `; the goal is ${goal}` : ""}`
    )
  }
  for (const each of wrong) console.log(each)
  process.exitCode = wrong.length === 0 ? 0 : 1
}
