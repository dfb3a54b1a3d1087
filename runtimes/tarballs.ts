/**
 * Packs the packages as npm would get them, installs the tarballs into empty projects and runs the
 * quick start in each: `pnpm tarballs [node esbuild deno]`.
 *
 * `files/` lists the content of each tarball, one line a module. `--write` updates the lists.
 *
 * The project `promises` runs the shop of examples/src/promiseShop.mjs. Other packages have the
 * versions of the workspace's catalog. A runtime that is not installed is a failure.
 */
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pack from "../scripts/pack.ts"
import { nameOf, root } from "../scripts/repository.ts"
import { run } from "./programs.ts"
import { jestTest, program, runShop } from "./promises.ts"

const installed = (path: string): string => join(import.meta.dirname, "node_modules", path)
const names = ["core", "http", "webhook", "testkit", "receiver", "sandbox", "pawl"] as const

const step = async <A>(name: string, what: string, work: () => Promise<A>): Promise<A> => {
  const start = performance.now()
  process.stdout.write(`${name.padEnd(9)}${what.padEnd(58)}`)
  try {
    const result = await work()
    console.log(`ok  ${((performance.now() - start) / 1000).toFixed(1)} s`)
    return result
  } catch (error) {
    console.log("FAILED")
    throw error
  }
}

const catalog = async (name: string): Promise<string> => {
  const text = await readFile(join(root, "pnpm-workspace.yaml"), "utf8")
  const [, version = ""] = new RegExp(`^ +"?${name}"?: (.+)$`, "mu").exec(text) ?? []
  if (version === "") throw new Error(`pnpm-workspace.yaml has no version of ${name}`)
  return version
}

const quickStart = async (): Promise<string> => {
  const page = await readFile(join(root, "docs/guides/quick-start-effect.md"), "utf8")
  const programs = Array.from(page.matchAll(/^```ts\n(.+?)^```$/gmsu), ([, code = ""]) => code)
  const code = programs.find((each) => each.includes("Sandbox.layer")) ?? ""
  if (code === "") throw new Error("docs/guides/quick-start-effect.md has no program")
  return code
}

const args = process.argv.slice(2)
const isWriting = args.includes("--write")
const selected = args.filter((name) => name !== "--write")
const directory = await mkdtemp(join(tmpdir(), "pawl-tarballs-"))

const list = (paths: ReadonlyArray<string>): string => {
  const files = new Set(paths)
  const modules = paths.flatMap((path) => /^dist\/(.+)\.d\.ts$/u.exec(path)?.[1] ?? [])
  for (const name of modules) {
    const made = [`dist/${name}.js`, `dist/${name}.d.ts`]
    if (!made.every((path) => files.has(path))) continue
    for (const path of made) files.delete(path)
    files.add(name)
  }
  return [...files].toSorted().join("\n") + "\n"
}

const compare = async (name: string, listed: string): Promise<void> => {
  const file = join(import.meta.dirname, "files", `${name}.txt`)
  if (isWriting) return writeFile(file, listed)
  const committed = (await readFile(file, "utf8")).split("\n")
  const lines = listed.split("\n")
  const changes = [
    ...committed.filter((line) => !lines.includes(line)).map((line) => `- ${line}`),
    ...lines.filter((line) => !committed.includes(line)).map((line) => `+ ${line}`)
  ]
  if (changes.length > 0)
    throw new Error(`runtimes/files/${name}.txt (--write updates it)\n${changes.join("\n")}`)
}

const pack = (name: string): Promise<string> =>
  step("pack", nameOf(name), async () => {
    const { files, tarball } = await Pack.pack(join(root, "packages", name), directory)
    await compare(name, list(files))
    return tarball
  })

type Tarballs = Readonly<Record<(typeof names)[number], string>>

const project = async (
  name: string,
  tarballs: Tarballs,
  more: Readonly<Record<string, string>>,
  packages: ReadonlyArray<keyof Tarballs> = names
): Promise<string> => {
  const folder = join(directory, name)
  await mkdir(folder)
  const dependencies = Object.fromEntries([
    ...packages.map((each) => [nameOf(each), `file:${tarballs[each]}`]),
    ...Object.entries(more)
  ]) as Record<string, string>
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies })
  )
  await writeFile(join(folder, "first.ts"), await quickStart())
  return folder
}

const effects = async (): Promise<Readonly<Record<string, string>>> => ({
  "@effect/platform-node": await catalog("@effect/platform-node"),
  effect: await catalog("effect")
})

const express = async (): Promise<string> => {
  const { devDependencies = {} } = JSON.parse(
    await readFile(join(root, "packages/pawl/package.json"), "utf8")
  ) as { readonly devDependencies?: Readonly<Record<string, string>> }
  return devDependencies["express"] ?? ""
}

const check = (output: string): void => {
  if (!/ → SUCCEED\b/u.test(output) || !output.includes("is paid: ship it"))
    throw new Error(`the payment was not confirmed:\n${output}`)
}

const install = (name: string, folder: string, more: ReadonlyArray<string> = []): Promise<string> =>
  step(name, more.length === 0 ? "npm install" : "npm install of the optional packages", () =>
    run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...more], folder)
  )

const alone = ["core", "http", "webhook", "pawl"] as const
/** The most packages and bytes beside those of Effect and its dependencies. */
const maxPackages = 6
const maxBytes = 3_200_000

const installedIn = async (folder: string) => {
  const { packages } = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<
      Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>
    >
  }
  return new Map(
    Object.entries(packages).flatMap(([path, { dependencies = {} }]) => {
      const name = path.split("node_modules/").at(-1) ?? ""
      return name === "" ? [] : [[name, Object.keys(dependencies)] as const]
    })
  )
}

const weighInstalled = async (folder: string): Promise<void> => {
  const packages = await installedIn(folder)
  const below = (names: ReadonlyArray<string>, stop: RegExp, seen = new Set<string>()) => {
    for (const name of names) {
      if (seen.has(name) || stop.test(name) || !packages.has(name)) continue
      seen.add(name)
      below(packages.get(name) ?? [], stop, seen)
    }
    return seen
  }
  const ofEffect = [...packages.keys()].filter((name) => /^(effect$|@effect\/)/u.test(name))
  const itself = below(ofEffect, /^$/u)
  const brought = [...below(["pawl"], /^(effect$|@effect\/)/u)]
  const own = brought.filter((name) => !itself.has(name))
  let bytes = 0
  for (const name of own) {
    const path = join(folder, "node_modules", name)
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
    }
  }
  const told = `${brought.length} packages, ${own.length} of them not Effect's: ${(bytes / 1e6).toFixed(2)} MB`
  process.stdout.write(`${told}  `)
  if (brought.length > maxPackages || bytes > maxBytes)
    throw new Error(
      `${told}; ${maxPackages} packages and ${maxBytes / 1e6} MB are allowed: ${brought.join(", ")}`
    )
}

const namesMissing = async (folder: string): Promise<void> => {
  const pawl = (...args: ReadonlyArray<string>) =>
    run(process.execPath, ["node_modules/.bin/pawl", ...args], folder)
  const help = await pawl("--help")
  for (const command of ["sandbox", "receiver", "conform", "doctor", "reconcile", "mcp"])
    if (!new RegExp(`^ +${command} `, "mu").test(help)) throw new Error(`--help lacks ${command}`)
  const opened = `import("pawl/testing").then((testing) => testing.open())`
  for (const [attempt, sentence] of [
    [() => pawl("sandbox"), "pawl sandbox needs the package @pawl/sandbox: npm install --save-dev"],
    [() => pawl("receiver"), "pawl receiver needs the package @pawl/receiver: npm install @pawl"],
    [
      () => run(process.execPath, ["--eval", opened], folder),
      "pawl/testing needs the package @pawl/testkit: npm install --save-dev @pawl/testkit"
    ]
  ] as const) {
    const output = await attempt().then(
      () => "",
      (error: unknown) => String(error)
    )
    if (!output.includes(sentence)) throw new Error(`the output lacks “${sentence}”:\n${output}`)
  }
}

const compilerOptions = {
  module: "nodenext",
  target: "es2023",
  lib: ["es2024", "dom"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true
}

const consumers: Readonly<Record<string, (tarballs: Tarballs) => Promise<void>>> = {
  node: async (tarballs) => {
    const folder = await project("node", tarballs, {
      ...(await effects()),
      "@types/node": await catalog("@types/node"),
      typescript: "7.0.2",
      typescript5: "npm:typescript@5.9.3"
    })
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["first.ts"] })
    )
    await install("node", folder)
    for (const each of ["typescript5", "typescript"]) {
      const { version } = JSON.parse(
        await readFile(join(folder, "node_modules", each, "package.json"), "utf8")
      ) as { readonly version: string }
      await step("node", `TypeScript ${version} finds no error`, () =>
        run(process.execPath, [join("node_modules", each, "bin/tsc"), "-p", "."], folder)
      )
    }
    for (const each of ["node22", "node24"]) {
      const program = installed(`${each}/bin/node`)
      const version = (await run(program, ["--version"], folder)).trim()
      await step("node", `Node ${version} runs the quick start`, async () =>
        check(await run(program, ["first.ts"], folder))
      )
    }
    await step("node", "the commands of the packages start", async () => {
      for (const bin of ["pawl-sandbox", "pawl-receiver"])
        await run(process.execPath, [join("node_modules/.bin", bin), "--version"], folder)
    })
  },
  promises: async (tarballs) => {
    const folder = await project(
      "promises",
      tarballs,
      { "@types/node": await catalog("@types/node"), typescript: "7.0.2" },
      alone
    )
    await rm(join(folder, "first.ts"))
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: { ...compilerOptions, skipLibCheck: false },
        files: ["promises.ts"]
      })
    )
    await writeFile(join(folder, "promises.ts"), program)
    await install("promises", folder)
    await step("promises", "pawl brings few packages", () => weighInstalled(folder))
    await step("promises", "TypeScript finds no error in any declaration", () =>
      run(process.execPath, [join("node_modules/typescript/bin/tsc"), "-p", "."], folder)
    )
    await step("promises", "pawl names each command, and the packages that are missing", () =>
      namesMissing(folder)
    )
    await install("promises", folder, [
      ...["testkit", "receiver", "sandbox"].map((name) => tarballs[name as keyof Tarballs]),
      `express@${await express()}`,
      "jest@30.5.2"
    ])
    await writeFile(join(folder, "shop.test.js"), jestTest)
    await step("promises", "a test of jest pays over pawl/testing", () =>
      run(
        process.execPath,
        ["--experimental-vm-modules", "node_modules/jest/bin/jest.js", "--forceExit=false"],
        folder
      )
    )
    await copyFile(join(root, "examples/src/promiseShop.mjs"), join(folder, "shop.mjs"))
    for (const each of ["node22", "node24"]) {
      await step("promises", `${each} runs the shop in plain JavaScript`, () =>
        runShop(installed(`${each}/bin/node`), folder)
      )
    }
  },
  esbuild: async (tarballs) => {
    const folder = await project("esbuild", tarballs, await effects())
    await install("esbuild", folder)
    await step("esbuild", "one bundle runs the quick start", async () => {
      const alone = join(directory, "bundle")
      await mkdir(alone)
      await run(
        installed(".bin/esbuild"),
        [
          "first.ts",
          "--bundle",
          "--platform=node",
          "--format=esm",
          `--outdir=${alone}`,
          "--out-extension:.js=.mjs",
          // The driver of PostgreSQL is optional, and its part of the bundle is loaded only for a
          // store there.
          "--splitting",
          "--external:@effect/sql-pg",
          // Some bundled packages call `require`.
          "--banner:js=import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);"
        ],
        folder
      )
      check(await run(process.execPath, ["first.mjs"], alone))
    })
  },
  bun: async (tarballs) => {
    const folder = await project("bun", tarballs, {
      ...(await effects()),
      express: await express()
    })
    await copyFile(join(root, "examples/src/promiseShop.mjs"), join(folder, "shop.mjs"))
    await install("bun", folder)
    await step("bun", "Bun runs the shop in plain JavaScript", () =>
      runShop(installed(".bin/bun"), folder)
    )
    await step("bun", "Bun runs the quick start", async () =>
      check(await run(installed(".bin/bun"), ["first.ts"], folder))
    )
  },
  deno: async (tarballs) => {
    const folder = await project("deno", tarballs, await effects())
    await install("deno", folder)
    await step("deno", "Deno runs the command", () =>
      run(
        installed(".bin/deno"),
        ["run", "--allow-all", "--node-modules-dir=manual", "npm:pawl", "--version"],
        folder
      )
    )
    await step("deno", "Deno runs the quick start", async () =>
      check(
        await run(
          installed(".bin/deno"),
          ["run", "--allow-all", "--node-modules-dir=manual", "first.ts"],
          folder
        )
      )
    )
  }
}

const unknown = selected.filter((name) => !(name in consumers))
if (unknown.length > 0) {
  console.error(
    `Unknown project ${unknown.join(", ")}. Known: ${Object.keys(consumers).join(", ")}`
  )
  process.exit(1)
}

const start = performance.now()
try {
  const packed: Array<readonly [string, string]> = []
  for (const name of names) packed.push([name, await pack(name)])
  const tarballs = Object.fromEntries(packed) as Tarballs
  for (const [name, consume] of Object.entries(consumers))
    if (!isWriting && (selected.length === 0 || selected.includes(name))) await consume(tarballs)
  console.log(`tarballs passed in ${((performance.now() - start) / 1000).toFixed(1)} s`)
} catch (error) {
  console.log(error instanceof Error ? error.message : String(error))
  console.log("tarballs FAILED")
  process.exitCode = 1
} finally {
  await rm(directory, { recursive: true, force: true })
}
