/**
 * The import-direction check: imports point down and never sideways.
 *
 * A package imports the packages that its package.json lists, where `rules` allows them. `layers`
 * is the order of its rooms. A relative import stays inside its package and names the file, no
 * module imports a barrel or a bin, and a portable module none that needs Node.
 */
import { posix } from "node:path"
import { parseSync, Visitor } from "oxc-parser"
import { find, read, report } from "./repository.ts"

interface Rule {
  /** The files of a rule, by path from the root of the repository. The first match applies. */
  readonly files: RegExp
  /** The modules of other packages that these files may import, of those that their package lists. */
  readonly may: ReadonlyArray<RegExp>
  /** The files of their own package that they may import, if not all. */
  readonly relative?: ReadonlyArray<string>
  readonly why: string
}

const outer = /^(effect|node:|@pawl\/(core|http|webhook)\/)/
const production = "a program in production installs neither the testkit nor the processes"
const forPostgres = "PostgreSQL is for who brings @effect/sql-pg, an optional peer"
const notPostgres = [/^(?!@effect\/sql-pg\/)/]

/** The imports that a package lists, but that not all of its files may have. */
const rules: ReadonlyArray<Rule> = [
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
    files: /^packages\/core\/src\/Reducer\.ts$/,
    may: [],
    relative: ["./Status.ts", "./Evidence.ts"],
    why: "Reducer imports only ./Status.ts and ./Evidence.ts, so that it runs anywhere"
  },
  {
    files: /^packages\/core\/src\/(?!Node)/,
    may: [/^effect\/([A-Z]|crypto\/|encoding\/|schema\/)/, /^dinero\.js\/currencies$/],
    why: "core is data: effect's own modules, effect/crypto, effect/encoding, effect/schema, and a table of ISO 4217"
  },
  { files: /^packages\/webhook\/src\/(?!NodePostgres\.ts$)/, may: notPostgres, why: forPostgres },
  { files: /^packages\/receiver\/src\/(?!bin\/)/, may: notPostgres, why: forPostgres },
  {
    files: /^packages\/pawl\/src\/(testing|internal\/(Controls|Fakes))/,
    may: [/^((effect|@pawl\/(core|http|webhook|testkit))\/|node:timers$)/],
    why: "pawl/testing stands on the testkit, and on the timers of Node that no test replaces"
  },
  { files: /^packages\/pawl\/src\/(?!bin\/|internal\/Sandboxes)/, may: [outer], why: production },
  {
    files: /^proof\/(src|test)\/mutants\//,
    may: [/^(oxc-parser|typescript\/unstable\/sync|vitest|fast-check$|node:)/],
    why: "the mutants stand on the sources as text, on TypeScript, Vitest and fast-check"
  }
]

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const manifests = new Map(
  find("{.,packages/*,examples,proof,test-support}/package.json").map((path) => [
    posix.join(posix.dirname(path), "/"),
    JSON.parse(read(path)) as Manifest
  ])
)

/** The packages that a file may import by the package.json of its home. */
const listed = (home: string, inSource: boolean): ReadonlyArray<string> | undefined => {
  const own = manifests.get(home)
  if (own === undefined) return undefined
  const { dependencies, devDependencies, name, peerDependencies } = own
  const shared = manifests.get("./")?.devDependencies
  const tools = inSource ? {} : { ...shared, ...devDependencies, [name]: "" }
  return Object.keys({ ...dependencies, ...peerDependencies, ...tools })
}

/**
 * The rooms of each package, from the lowest up. A file imports files of its own and of lower
 * rooms. The first match is the room of a file.
 */
const layers: Readonly<Record<string, ReadonlyArray<readonly [room: string, files: RegExp]>>> = {
  "packages/http/src/": [
    ["config", /^(CallOptions|Hooks|PawlConfig|internal\/config\/.+)\.ts$/],
    ["wire", /^(Transport|NodeTransport|internal\/wire\/.+)\.ts$/],
    ["token", /^internal\/token\/.+\.ts$/],
    [
      "services",
      /^(ApmPayments|ApmPayouts|CardPayments|CardPayouts|PaymentIntents|Refunds|Subscriptions)\.ts$/
    ],
    ["call", /^internal\/call\/.+\.ts$/],
    ["client", /^/]
  ],
  "packages/webhook/src/": [
    [
      "verification",
      /^(VerifyCallback|Verifier|CallbackUrl|Seal|internal\/(CommandOutput|rule\/(Row|Fact)|(seal|verify)\/.+))\.ts$/
    ],
    ["rule", /^internal\/rule\/.+\.ts$/],
    ["documents", /^internal\/documents\/.+\.ts$/],
    ["engine", /^internal\/(NodeFlush|(records|sql)\/.+)\.ts$/],
    [
      "ledger",
      /^(DurableObject|Ledger|LedgerSql|NodeSqlite|NodePostgres|internal\/ledger\/.+)\.ts$/
    ],
    ["journal", /^(Journal|Metrics|internal\/journal\/.+)\.ts$/],
    ["work", /^internal\/work\/.+\.ts$/],
    ["requests", /^(Requests|NodeRequests|internal\/requests\/.+)\.ts$/],
    ["doors", /^(Receiver|NodeReceiver|WebReceiver|internal\/doors\/.+)\.ts$/],
    ["index", /^index\.ts$/]
  ],
  "packages/receiver/src/": [
    ["reports", /^internal\/(story|books)\/.+\.ts$/],
    ["operator", /^(Admin|internal\/(admin|mcp|page)\/.+)\.(ts|js)$/],
    ["merchants", /^(Merchants|internal\/merchants\/.+)\.ts$/],
    ["forwarding", /^(CloudEvent|Forwarder|internal\/LogLine)\.ts$/],
    ["commands", /^(bin\/.+|index\.ts)$/]
  ],
  "packages/testkit/src/": [
    ["base", /^(Scenario|VirtualClock|internal\/[A-Z]\w+|internal\/state\/.+)\.ts$/],
    ["courier", /^(Courier|internal\/courier\/.+)\.ts$/],
    ["gateway", /^(Gateway|internal\/gateway\/.+)\.ts$/],
    ["faults", /^(Faults|internal\/faults\/.+)\.ts$/],
    ["fake", /^(Fake|Merchant)\.ts$/],
    ["generators", /^(Generators|internal\/generators\/.+)\.ts$/],
    ["laws", /^(Laws|Laws\/.+|internal\/laws\/.+)\.ts$/],
    ["index", /^index\.ts$/]
  ],
  "packages/sandbox/src/": [
    [
      "base",
      /^(Readings|internal\/NodeOutbound|internal\/(http|console|contract|readings)\/.+)\.(ts|js)$/
    ],
    ["pages", /^internal\/pages\/.+\.ts$/],
    ["sandbox", /^(Sandbox|internal\/sandbox\/.+)\.ts$/],
    ["conform", /^(Conformance|internal\/conform\/.+)\.ts$/],
    ["trigger", /^internal\/trigger\/.+$/],
    ["doctor", /^(Doctor|internal\/doctor\/.+)\.ts$/],
    ["commands", /^(bin\/.+|index\.ts)$/]
  ]
}

const upward = (path: string, target: string): string | undefined => {
  const source = /^packages\/[a-z]+\/src\//.exec(path)?.[0] ?? ""
  const rooms = layers[source]
  if (rooms === undefined) return undefined
  const roomOf = (file: string): number =>
    rooms.findIndex(([, files]) => files.test(file.slice(source.length)))
  const [from, to] = [roomOf(path), roomOf(target)]
  if (from < 0) return `no room of ${source} in scripts/imports.ts has this file`
  return to > from
    ? `the room ${rooms[from]?.[0]} lies below the room ${rooms[to]?.[0]}`
    : undefined
}

const onNode =
  /^(packages\/(pawl\/src\/|[a-z]+\/src\/(bin\/|(internal\/([a-z]+\/)?)?Node)|webhook\/src\/internal\/seal\/Native|sandbox\/src\/Sandbox|http\/src\/(Pawl|index)\.ts|[a-z]+\/test\/)|examples|proof|test-support)/
const nodeOnly = /^(node:|undici(\/index\.js)?$|@effect\/(platform-node|sql-pg)\/)/
const nodeModule = /^(@pawl\/[a-z]+\/|packages\/[a-z]+\/src\/)(internal\/([a-z]+\/)?)?Node[A-Z]/
/** Effect's modules are in PascalCase, and a path in lower case is a barrel. */
const barrel = /^(effect(\/[a-z-]+)?|@pawl\/[a-z]+(\/index)?|@effect\/(platform|sql)-[a-z]+)$/
const bin = /^(@pawl\/[a-z]+|packages\/[a-z]+\/src)\/bin\//

export const findings = (path: string, source: string): ReadonlyArray<string> =>
  imports(source).flatMap(({ line, specifier }) => {
    const why = objection(path, specifier)
    return why === undefined ? [] : [`${path}:${line} imports ${specifier ?? "?"}: ${why}`]
  })

const objection = (path: string, specifier: string | undefined): string | undefined => {
  if (specifier === undefined) return "a computed import hides the module it needs"
  if (barrel.test(specifier)) return "a barrel; import the module"
  const relative = /^\.{1,2}(\/|$)/.test(specifier)
  const target = relative ? posix.join(posix.dirname(path), specifier) : specifier
  if (bin.test(target) && !bin.test(path)) return "nothing imports a bin; it is run"

  const home = /^(packages\/[a-z]+|examples|proof|test-support)\//.exec(path)?.[0] ?? ""
  const inSource = home.startsWith("packages/") && path.startsWith(`${home}src/`)
  const packages = listed(home, inSource)
  if (packages === undefined) return "no package.json lists the imports of this file"
  const rule = rules.find(({ files }) => files.test(path))
  if (nodeModule.test(target) && !onNode.test(path))
    return "a portable module may not import a module that needs Node"
  if (relative) {
    // The browser runs the console's modules without a build.
    if (!/(\.(ts|json)|\/console\/[a-z]+\.js)$/.test(specifier))
      return "a relative import names the file, with its .ts"
    if (!target.startsWith(home)) return `it leaves ${home}; import it by package and module`
    if (target === `${home}src/index.ts`) return "a barrel; import the module"
    if (inSource && !target.startsWith(`${home}src/`))
      return "published code does not import its tests"
    if (rule?.relative?.includes(specifier) === false) return rule.why
    return inSource ? upward(path, target) : undefined
  }
  if (inSource && specifier.startsWith(home.replace("packages", "@pawl"))) {
    return "its own package; use a relative path"
  }
  if (nodeOnly.test(specifier) && !onNode.test(path))
    return "only modules named Node…, bins and the Sandbox may need Node"
  if (rule?.may.some((each) => each.test(specifier)) === false) return rule.why
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ""
  return name.startsWith("node:") || packages.includes(name)
    ? undefined
    : `the package.json of ${home} does not list ${name}`
}

/** A specifier is undefined if a dynamic import computes it. */
export const imports = (source: string) => {
  const { module, program } = parseSync("source.ts", source)
  const types: Array<{ readonly start: number; readonly specifier: string }> = []
  new Visitor({
    TSImportType: ({ source, start }) => types.push({ start, specifier: source.value })
  }).visit(program)
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
  return [...specifiers, ...types, ...computed]
    .toSorted((one, two) => one.start - two.start)
    .map(({ specifier, start }) => ({ line: source.slice(0, start).split("\n").length, specifier }))
}

if (import.meta.main) {
  const files = find("{packages/*,examples,proof,test-support}/{src,test}/**/*.ts")
  const found = files.flatMap((path) => findings(path, read(path)))
  report(files.length === 0 ? ["there are no files"] : found)
  console.log(`${found.length} findings in ${files.length} files`)
}
