/**
 * Checks the files in `deploy/`: compose.yaml and kubernetes.yaml by the schemas of their formats,
 * the unit by systemd where it is installed, and every flag by the receiver.
 */
import { execFile } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { promisify } from "node:util"
import { parseAllDocuments } from "yaml"
import { read, report, root } from "./repository.ts"

const cache = join(root, "node_modules/.cache/deploy")
const deployed = (name: string) => read(`deploy/${name}`)

/** Returns the output of a failed program. Only systemd may be missing. */
const objection = async (program: string, args: ReadonlyArray<string>) => {
  try {
    await promisify(execFile)(program, [...args], { cwd: root })
    return undefined
  } catch (error) {
    const { code, stderr = "", stdout = "" } = error as Readonly<Record<string, string>>
    if (code !== "ENOENT") return `${stdout}${stderr}`.trim() || `${program} failed: ${code}`
    const message = `not run, because it is not installed: ${program}`
    if (program !== "systemd-analyze") return message
    console.log(message)
    return undefined
  }
}

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}
type Model = new (manifest: Manifest) => { readonly validate: () => void }

/** The schemas of Kubernetes allow unknown names of fields, so its types are checked too. */
export const ofKubernetes = async (text: string): Promise<ReadonlyArray<string>> => {
  const manifests = parseAllDocuments(text).map((each) => each.toJS() as Manifest)
  const modules = manifests.map(({ apiVersion, kind }) => `kubernetes-models/${apiVersion}/${kind}`)
  const wrong: Array<string> = []
  for (const [at, manifest] of manifests.entries()) {
    const { [manifest.kind]: Model } = (await import(modules[at] ?? "")) as Record<string, Model>
    try {
      if (Model !== undefined) new Model(manifest).validate()
    } catch (error) {
      wrong.push(`kubernetes.yaml: ${manifest.kind} ${(error as Error).message}`)
    }
  }
  // A model adds its kind and version itself.
  const lines = manifests.map(({ kind, ...manifest }, at) => {
    const fields = { ...manifest, apiVersion: undefined }
    return `import { ${kind} as M${at} } from "${modules[at]}"\nnew M${at}(${JSON.stringify(fields)})`
  })
  await mkdir(cache, { recursive: true })
  await writeFile(join(cache, "kubernetes.ts"), lines.join("\n"))
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--types", "node", "--pretty", "false"]
  const types = await objection(join(root, "node_modules/.bin/tsc"), [
    ...options,
    "--ignoreConfig",
    "--module",
    "nodenext",
    join(cache, "kubernetes.ts")
  ])
  return types === undefined ? wrong : [...wrong, `kubernetes.yaml: ${types}`]
}

const ofCompose = () =>
  objection(process.execPath, [
    createRequire(import.meta.url)
      .resolve("dclint/package.json")
      .replace("package.json", "bin/dclint.cjs"),
    "--quiet",
    "deploy/compose.yaml"
  ])

const ofSystemd = async () => {
  const unit = deployed("pawl-receiver.service")
  const copy = join(cache, "pawl-receiver.service")
  await mkdir(cache, { recursive: true })
  await writeFile(copy, unit.replaceAll("/usr/bin/node", process.execPath))
  return objection("systemd-analyze", ["verify", copy])
}

export const ofFlags = async (texts: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const bin = "packages/receiver/src/bin/pawl-receiver.ts"
  const help = await promisify(execFile)(process.execPath, [bin, "--help"], { cwd: root })
  const known = new Set(help.stdout.match(/--[a-z-]+/gu))
  const flags = texts
    .flatMap((text) => text.split("\n"))
    .filter((line) => /^ *(?:args:|command:|CMD|ExecStart)/u.test(line))
    .flatMap((line) => line.match(/--[a-z-]+/gu) ?? [])
  return [...new Set(flags)].flatMap((flag) =>
    known.has(flag) ? [] : [`the receiver has no flag ${flag}`]
  )
}

if (import.meta.main) {
  const names = ["Dockerfile", "compose.yaml", "pawl-receiver.service", "kubernetes.yaml"]
  const texts = names.map(deployed)
  const findings = await Promise.all([
    ofCompose(),
    ofSystemd(),
    ofKubernetes(deployed("kubernetes.yaml")),
    ofFlags(texts)
  ])
  report(findings.flat().filter((each) => each !== undefined))
}
