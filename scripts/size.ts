/**
 * The size check: bundles each part of pawl with esbuild, minified and gzipped, without Node's
 * modules and undici.
 *
 * `limit` is a ratchet: the size that was reached, rounded up. A change only lowers it, until it is
 * `goal`; the commit of an exception gives the reason. The state model imports nothing.
 */
import { build } from "esbuild"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { report, root } from "./repository.ts"

/** A part of pawl, as an application bundles it. */
export interface Part {
  readonly name: string
  readonly imports: string
  /** The modules whose bytes do not count. */
  readonly over?: string
  /** The limit and the goal, in bytes. */
  readonly limit: number
  readonly goal: number
  /** The only modules of the bundle, if that is promised. */
  readonly alone?: ReadonlyArray<string>
}

export const parts: ReadonlyArray<Part> = [
  {
    name: "Status + Evidence",
    imports: `export * from "@pawl/core/Status"
      export * from "@pawl/core/Evidence"`,
    // Over the goal: the bits of each status, which stores hold.
    limit: 1045,
    goal: 1000,
    alone: ["packages/core/src/Status.ts", "packages/core/src/Evidence.ts"]
  },
  {
    name: "Reducer",
    imports: `export * from "@pawl/core/Reducer"`,
    // Includes the state model. Over the goal: a status that is none of the nine is ignored.
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
    // Over the goal: tokens that name a merchant, the bits of each status, the limits of the scan
    // of a body, the switches of the verifier, whether a refused callback is genuine, and that an
    // intent names no accountId.
    limit: 4160,
    goal: 2500
  },
  {
    name: "verifier's layer",
    imports: `export { layer, Verifier } from "@pawl/webhook/Verifier"
      export { layer as hmac } from "@pawl/core/NodeHmac"`,
    // Over the goal: the path of a callback, and whether a refused one is genuine.
    limit: 17_735,
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
    // Over the goal: one engine runs the rule of a row for every store, over
    // documents with versions, leases and codecs; facts, pages of rows, shared read budgets and
    // shards; store errors and alarms of workers without progress; byte limits; stored requests;
    // retry schedules; several merchants; an answer to a callback after the end; functions
    // of the merchant that cannot be interrupted, clocks that were behind, and rows that a database
    // refuses to write.
    limit: 67_900,
    goal: 30_000
  },
  {
    name: "client",
    imports: `export { layer } from "@pawl/http/Pawl"`,
    // Over the goal: durable requests, their signatures, retry schedules and waits in a queue, and
    // numbers in every form in which a service may quote them, and fields of refusals by name, and
    // the status of a changed subscription.
    limit: 63_040,
    goal: 60_000
  },
  {
    name: "portable client",
    imports: `export { layerPerRequest } from "@pawl/http/PawlPortable"
      export { layer as config } from "@pawl/http/PawlConfig"
      export { layerFetch } from "@pawl/http/Transport"
      export { layer as hmac } from "@pawl/core/Hmac"`,
    // As in the client for Node.
    limit: 62_935,
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
    // Over the goal: hooks, a logger, the profile, two warnings and the advice for missing settings;
    // stores of several databases; checks of the arguments of each call, because a misspelt field
    // would make a payment twice, or change no subscription, and JSON would drop a Map or a field in the
    // wrong place; a port that is missing; `follow` ends with `close`; the log of another path in Fastify;
    // the registration of a transaction that pawl did not create.
    limit: 4580,
    goal: 3000
  }
]

export const weigh = async (
  contents: string,
  resolveDir = join(root, "examples")
): Promise<{ readonly bytes: number; readonly modules: ReadonlyArray<string> }> => {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir, sourcefile: "<entry>" },
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

/** Returns the weight of a part, without what lies beneath it. */
export const weightOf = async ({ imports, over }: Part): ReturnType<typeof weigh> => {
  const whole = await weigh(imports)
  return over === undefined ? whole : { ...whole, bytes: whole.bytes - (await weigh(over)).bytes }
}

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
    const weight = await weightOf(part)
    wrong.push(...objections(part, weight))
    const { goal, limit, name } = part
    console.log(
      `${name.padEnd(18)}${String(weight.bytes).padStart(7)} bytes, of at most ${limit}${goal < limit ? `; the goal is ${goal}` : ""}`
    )
  }
  report(wrong)
}
