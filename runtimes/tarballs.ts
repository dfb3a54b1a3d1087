/**
 * Packs the packages as npm would get them, installs the tarballs into empty projects and runs the quick
 * start in each: `pnpm tarballs [node esbuild deno]`.
 *
 * `files/` lists the content of each tarball, one line a module. `--write` updates the lists.
 *
 * The quick start is the program in docs/guides/quick-start-effect.md; the project `promises` runs the shop of
 * examples/src/promiseShop.mjs. The five tarballs are local; all other
 * packages come from the registry, at the versions of the workspace's catalog. No project is skipped: a
 * runtime that is not installed is a failure.
 */
import { execFile } from "node:child_process"
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { program, runShop } from "./promises.ts"

const root = join(import.meta.dirname, "..")
const installed = (path: string): string => join(import.meta.dirname, "node_modules", path)
const names = ["core", "http", "webhook", "testkit", "pawl"] as const
const packageOf = (name: string): string => (name === "pawl" ? name : `@pawl/${name}`)

/** Runs a command and returns its output. The error of a failed command has the output. */
const run = async (program: string, args: ReadonlyArray<string>, cwd: string): Promise<string> => {
  try {
    const { stdout } = await promisify(execFile)(program, args, {
      cwd,
      timeout: 180_000,
      maxBuffer: 64 * 1024 * 1024,
      // Removes the variables that pnpm sets for its scripts, which an empty project does not have. Keeps
      // npm_config_*, the settings of the user, such as the certificate of a registry.
      env: Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !/^p?npm_(?!config_)/iu.test(name))
      )
    })
    return stdout
  } catch (error) {
    const { stderr = "", stdout = "" } = error as { stdout?: string; stderr?: string }
    const output = `${stdout}${stderr}`.trim() || String(error)
    throw new Error(`${basename(program)} ${args.join(" ")}\n${output}`, { cause: error })
  }
}

/** Runs a step and prints its line, with its time in seconds. */
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

/** Returns the list of a tarball: one line a file, and one line a module for its source and its outputs. */
const list = (paths: ReadonlyArray<string>): string => {
  const files = new Set(paths)
  const modules = paths.flatMap((path) => /^src\/(.+)\.ts$/u.exec(path)?.[1] ?? [])
  for (const name of modules) {
    const made = ["js", "js.map", "d.ts", "d.ts.map"].map((each) => `dist/${name}.${each}`)
    if (!made.every((path) => files.has(path))) continue
    for (const path of [`src/${name}.ts`, ...made]) files.delete(path)
    files.add(name)
  }
  return [...files].toSorted().join("\n") + "\n"
}

/** Compares the list of a tarball with the committed list, or writes it. */
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
  step("pack", packageOf(name), async () => {
    const packed = JSON.parse(
      await run(
        "pnpm",
        ["pack", "--json", "--pack-destination", directory],
        join(root, "packages", name)
      )
    ) as { readonly filename: string; readonly files: ReadonlyArray<{ readonly path: string }> }
    await compare(name, list(packed.files.map(({ path }) => path)))
    const tarball = join(directory, basename(packed.filename))
    await run(installed(".bin/publint"), ["run", tarball, "--strict"], root)
    await run(installed(".bin/attw"), [tarball, "--profile", "esm-only", "--quiet"], root)
    return tarball
  })

/** Makes a project with the tarballs, the quick start and further dependencies. */
const project = async (
  name: string,
  tarballs: ReadonlyArray<string>,
  more: Readonly<Record<string, string>>
): Promise<string> => {
  const folder = join(directory, name)
  await mkdir(folder)
  const dependencies = Object.fromEntries([
    ...names.map((each, at) => [packageOf(each), `file:${tarballs[at]}`]),
    ...Object.entries(more)
  ]) as Record<string, string>
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies })
  )
  await writeFile(join(folder, "first.ts"), await quickStart())
  return folder
}

/** The packages of Effect that a program with effects installs itself. */
const effects = async (): Promise<Readonly<Record<string, string>>> => ({
  "@effect/platform-node": await catalog("@effect/platform-node"),
  effect: await catalog("effect")
})

/** The version of Express that the tests of `pawl` use. */
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

const install = (name: string, folder: string): Promise<string> =>
  step(name, "npm install", () =>
    run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
  )

const compilerOptions = {
  module: "nodenext",
  target: "es2023",
  lib: ["es2024", "dom"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true
}

/** Each installs the tarballs in a project and runs the quick start there. */
const consumers: Readonly<Record<string, (tarballs: ReadonlyArray<string>) => Promise<void>>> = {
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
    const folder = await project("promises", tarballs, {
      "@types/node": await catalog("@types/node"),
      express: await express(),
      typescript: "7.0.2"
    })
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: { ...compilerOptions, skipLibCheck: false },
        files: ["promises.ts"]
      })
    )
    await writeFile(join(folder, "promises.ts"), program)
    await copyFile(join(root, "examples/src/promiseShop.mjs"), join(folder, "shop.mjs"))
    await install("promises", folder)
    await step("promises", "TypeScript finds no error in any declaration", () =>
      run(process.execPath, [join("node_modules/typescript/bin/tsc"), "-p", "."], folder)
    )
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
          `--outfile=${join(alone, "first.mjs")}`,
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
  const tarballs: Array<string> = []
  for (const name of names) tarballs.push(await pack(name))
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
