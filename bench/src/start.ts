/**
 * Measures a cold start: the CPU time that an import adds to an empty process. pawl's receiver is
 * bundled, as for a serverless function; Stripe is imported from its package.
 */
import { build } from "esbuild"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { parts } from "../../scripts/size.ts"
import { type Bench, type Costs, inRounds } from "./harness.ts"
import { effectAlone } from "./size.ts"
import { scratch } from "./scratch.ts"

const rounds = 25

const bundle = async (contents: string, outfile: string): Promise<string> => {
  await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    outfile
  })
  return pathToFileURL(outfile).href
}

const costOf = (program: string): number =>
  Number(execFileSync(process.execPath, [program], { encoding: "utf8" }))

const run = async (): Promise<Costs> => {
  const directory = scratch()
  const program = (name: string, specifier: string | undefined): string => {
    const file = join(directory, name)
    const imports = specifier === undefined ? "" : `await import(${JSON.stringify(specifier)})\n`
    const report = `const { system, user } = process.cpuUsage()\nconsole.log(system + user)\n`
    writeFileSync(file, imports + report)
    return file
  }
  const bundled = async (name: string, contents: string): Promise<string> =>
    program(`start-${name}.mjs`, await bundle(contents, join(directory, `${name}.mjs`)))
  const programs = [
    { name: "bare", file: program("bare.mjs", undefined) },
    { name: "stripe", file: program("stripe.mjs", import.meta.resolve("stripe")) },
    {
      name: "pawl's receiver, bundled",
      file: await bundled("receiver", parts.find(({ name }) => name === "receiver")!.imports)
    },
    { name: "effect: Layer and Schema, bundled", file: await bundled("effect", effectAlone) }
  ]
  // The first round fills the disk cache.
  const all = await inRounds(programs, { rounds, warmUps: 1 }, ({ file }) => costOf(file))
  const floor = all.get("bare")!
  const of = new Map(
    programs
      .slice(1)
      .map(({ name }) => [name, all.get(name)!.map((cost, round) => cost - floor[round]!)])
  )
  return { unit: "CPU time added to an empty process", of }
}

export const start: Bench = {
  what: "CPU time that an import adds to the start of a process",
  floor: "stripe",
  goals: [{ variant: "pawl's receiver, bundled", against: "stripe", atMost: 0.15 }],
  run
}
