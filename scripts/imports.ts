/**
 * The import-direction check: imports point down and never sideways.
 *
 * `rooms` says who may import what. Everything else follows: relative imports stay inside their
 * package and name the file, nobody imports a barrel or a bin, and what runs anywhere does not need
 * a module that needs Node.
 *
 * Run by itself it prints one line a finding and exits 1 if there are any.
 */
import { globSync, readFileSync } from "node:fs"
import { posix, sep } from "node:path"
import { parseSync } from "oxc-parser"

interface Room {
  /** Which files are in it, by path from the root of the repository; the first match wins. */
  readonly files: RegExp
  /** What they may import besides files of their own package. */
  readonly may: ReadonlyArray<RegExp>
  /** Which files of their own package, where not all. */
  readonly relative?: ReadonlyArray<string>
  /** Why nothing else, in words that end a finding. */
  readonly why: string
}

const effect = /^effect\//
const node = /^node:/
const fastCheck = /^fast-check$/
const undici = /^undici(\/index\.js)?$/
const platformNode = /^@effect\/platform-node\//
const sqlPg = /^@effect\/sql-pg\//
const core = /^@pawl\/core\//
const http = /^@pawl\/http\//
const webhook = /^@pawl\/webhook\//
const testkit = /^@pawl\/testkit\//
const testing = [
  /^vitest$/,
  /^@effect\/vitest$/,
  effect,
  node,
  fastCheck,
  undici,
  platformNode,
  sqlPg
]

/** A new dependency is a decision page first, and then a word in this table. */
const rooms: ReadonlyArray<Room> = [
  {
    files: /^packages\/core\/src\/Status\.ts$/,
    may: [],
    relative: [],
    why: "Status imports nothing, so that it runs anywhere"
  },
  {
    files: /^packages\/core\/src\/Evidence\.ts$/,
    may: [],
    relative: ["./Status.ts"],
    why: "Evidence imports only ./Status.ts, so that it runs anywhere"
  },
  {
    files: /^packages\/core\/src\/Node/,
    may: [effect, node],
    why: "core knows no other package"
  },
  {
    files: /^packages\/core\/src\//,
    may: [/^effect\/([A-Z]|crypto\/|encoding\/|schema\/)/, /^dinero\.js\/currencies$/],
    why: "core is data: effect's own modules, effect/crypto, effect/encoding, effect/schema, and a table of ISO 4217"
  },
  {
    files: /^packages\/http\/src\/Node/,
    may: [effect, core, node, undici],
    why: "http knows core alone; it meets webhook in core's ports"
  },
  {
    files: /^packages\/http\/src\//,
    may: [effect, core],
    why: "http knows core alone; it meets webhook in core's ports"
  },
  {
    files: /^packages\/webhook\/src\/bin\//,
    may: [effect, core, http, node, platformNode, sqlPg],
    why: "the receiver's bin puts together core, http and webhook"
  },
  {
    files: /^packages\/webhook\/src\/NodePostgres\.ts$/,
    may: [effect, core, node, sqlPg],
    why: "PostgreSQL is for who brings @effect/sql-pg, an optional peer"
  },
  {
    files: /^packages\/webhook\/src\/Node/,
    may: [effect, core, node],
    why: "webhook knows core alone; it meets http in core's ports"
  },
  {
    files: /^packages\/webhook\/src\//,
    may: [effect, core],
    why: "webhook knows core alone; it meets http in core's ports"
  },
  {
    // The testkit's modules that need Node, though they are not named for it.
    files: /^packages\/testkit\/src\/(bin\/|(internal\/sandbox\/)?Node|Sandbox)/,
    may: [effect, core, http, webhook, fastCheck, node, platformNode, undici],
    why: "the testkit needs the three packages, fast-check and Node"
  },
  {
    files: /^packages\/testkit\/src\//,
    may: [effect, core, http, webhook, fastCheck],
    why: "the testkit needs the three packages and fast-check"
  },
  {
    files: /^packages\/core\/test\//,
    may: [...testing, core],
    why: "core's tests know core alone; laws and journeys live in testkit/test"
  },
  {
    files: /^packages\/http\/test\//,
    may: [...testing, core, http],
    why: "http's tests know core and http; laws and journeys live in testkit/test"
  },
  {
    files: /^packages\/webhook\/test\//,
    may: [...testing, core, webhook, /^express$/, /^hono$/],
    why: "webhook's tests know core and webhook; laws and journeys live in testkit/test"
  },
  {
    files: /^packages\/testkit\/test\//,
    may: [...testing, core, http, webhook, testkit, /^playwright-core$/, /^openapi-fetch$/],
    why: "not a dependency of the testkit's tests"
  },
  {
    files: /^proof\//,
    may: [...testing, core, http, webhook, testkit],
    why: "proof stands on the public modules of the packages, fast-check and Node"
  },
  {
    files: /^examples\//,
    may: [/./],
    why: ""
  }
]

/**
 * Whose imports need Node: what is named for it, the bins, the testkit's sandbox, and the client put
 * together for Node with the barrel that shows it.
 */
const onNode =
  /^(packages\/([a-z]+\/src\/(bin\/|(internal\/([a-z]+\/)?)?Node)|testkit\/src\/Sandbox|http\/src\/(Pawl|index)\.ts|[a-z]+\/test\/)|examples|proof)/
const nodeOnly = /^(node:|undici(\/index\.js)?$|@effect\/(platform-node|sql-pg)\/)/
const nodeModule = /^(@pawl\/[a-z]+\/|packages\/[a-z]+\/src\/)(internal\/([a-z]+\/)?)?Node[A-Z]/
/** Effect's modules are PascalCase; a lower-case path is the barrel of a folder. */
const barrel = /^(effect(\/[a-z-]+)?|@pawl\/[a-z]+(\/index)?|@effect\/(platform|sql)-[a-z]+)$/
const bin = /^(@pawl\/[a-z]+|packages\/[a-z]+\/src)\/bin\//

/** Says what is wrong with the imports of one file, one line each. */
export const findings = (path: string, source: string): ReadonlyArray<string> =>
  imports(source).flatMap(({ line, specifier }) => {
    const why = objection(path, specifier)
    return why === undefined ? [] : [`${path}:${line} imports ${specifier ?? "?"}: ${why}`]
  })

const objection = (path: string, specifier: string | undefined): string | undefined => {
  if (specifier === undefined) return "a computed import hides what it needs"
  if (barrel.test(specifier)) return "a barrel; import the module"
  const relative = /^\.{1,2}(\/|$)/.test(specifier)
  const target = relative ? posix.join(posix.dirname(path), specifier) : specifier
  if (bin.test(target) && !bin.test(path)) return "nothing imports a bin; it is run"

  const home = /^(packages\/[a-z]+|examples|proof)\//.exec(path)?.[0]
  const room = rooms.find(({ files }) => files.test(path))
  if (home === undefined || room === undefined) return "no room in scripts/imports.ts has this file"
  const inSource = home.startsWith("packages/") && path.startsWith(`${home}src/`)
  if (nodeModule.test(target) && !onNode.test(path)) return "what runs anywhere may not need Node"
  if (relative) {
    // The console's modules are JavaScript, because a browser runs them as they are.
    if (!/(\.(ts|json)|\/console\/[a-z]+\.js)$/.test(specifier))
      return "a relative import names the file, with its .ts"
    if (!target.startsWith(home)) return `it leaves ${home}; import it by package and module`
    if (target === `${home}src/index.ts`) return "a barrel; import the module"
    if (inSource && !target.startsWith(`${home}src/`)) return "what is published stands without it"
    return room.relative?.includes(specifier) === false ? room.why : undefined
  }
  if (inSource && specifier.startsWith(home.replace("packages", "@pawl"))) {
    return "its own package; use a relative path"
  }
  if (room.may.some((each) => each.test(specifier))) return undefined
  return nodeOnly.test(specifier) && !onNode.test(path)
    ? "only modules named Node…, bins and the testkit's Sandbox may need Node"
    : room.why
}

interface Import {
  readonly line: number
  /** Undefined where a dynamic import computes it. */
  readonly specifier: string | undefined
}

/** Finds every import, export-from and dynamic import of a source, in order. */
export const imports = (source: string): ReadonlyArray<Import> => {
  const { module } = parseSync("source.ts", source)
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest, start }) => ({ start, moduleRequest })),
    ...module.staticExports.map(({ entries, start }) => ({
      start,
      moduleRequest: entries[0]?.moduleRequest
    }))
  ].flatMap(({ moduleRequest, start }) =>
    moduleRequest ? [{ start, specifier: moduleRequest.value }] : []
  )
  const computed = module.dynamicImports.map(({ moduleRequest: { end, start } }) => ({
    start,
    specifier: /^(["'])(.*)\1$/.exec(source.slice(start, end))?.[2]
  }))
  return [...specifiers, ...computed]
    .toSorted((one, two) => one.start - two.start)
    .map(({ specifier, start }) => ({ line: source.slice(0, start).split("\n").length, specifier }))
}

if (import.meta.main) {
  const files = globSync("{packages/*,examples,proof}/{src,test}/**/*.ts").toSorted()
  const found = files.flatMap((path) =>
    findings(path.replaceAll(sep, "/"), readFileSync(path, "utf8"))
  )
  for (const finding of found) console.log(finding)
  console.log(`${found.length} findings in ${files.length} files`)
  process.exitCode = found.length === 0 && files.length > 0 ? 0 : 1
}
