import { globSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { find, read, root } from "../repository.ts"

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

type Rights = Readonly<Record<string, string>>

interface Job {
  readonly needs?: string
  readonly permissions?: Rights
  readonly steps: ReadonlyArray<Step>
}

interface Workflow {
  readonly permissions?: Rights
  readonly jobs: Readonly<Record<string, Job>>
}

const workflows = find(".github/workflows/*.yml").map((path) => ({
  path,
  ...(parse(read(path)) as Workflow)
}))

const jobs = workflows.flatMap(({ jobs, path, permissions }) =>
  Object.entries(jobs).map(([name, job]) => ({
    name: `${path.slice(".github/workflows/".length)} ${name}`,
    // A job without rights of its own has those of its workflow; without any it has those that the
    // repository gives.
    rights: job.permissions ?? permissions,
    ...job
  }))
)

describe("a workflow", () => {
  const sources = find(".github/**/*.yml", "docs/**/*.md")

  it("runs every action at a commit, beside which its version is", () => {
    const used = sources.flatMap((path) =>
      Array.from(read(path).matchAll(/^[ -]*uses: *(.*)$/gmu), ([, action = ""]) => action)
    )
    expect(used.length).toBeGreaterThan(10)
    const isPinned = (action: string) =>
      /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/u.test(action) ||
      action.startsWith("OWNER/pawl/")
    expect(used.filter((action) => !isPinned(action))).toEqual([])
    const commits = new Set(used.filter((action) => !action.startsWith("OWNER/")))
    const names = Array.from(commits, (action) => action.split("@")[0])
    expect(names).toHaveLength(new Set(names).size)
  })

  it("leaves no token in its files", () => {
    const checkouts = jobs.flatMap(({ steps }) =>
      steps.filter(({ uses = "" }) => uses.startsWith("actions/checkout@"))
    )
    expect(checkouts.length).toBeGreaterThan(3)
    for (const step of checkouts) expect(step.with?.["persist-credentials"]).toBe(false)
  })

  it("gives each job the rights of this table", () => {
    expect(Object.fromEntries(jobs.map(({ name, rights }) => [name, rights]))).toEqual({
      "ci.yml run": { contents: "read" },
      "ci.yml changed-lines": { contents: "read" },
      "nightly.yml fresh-seed": { contents: "read" },
      "nightly.yml report": { issues: "write" },
      "release.yml build": { contents: "read" },
      "release.yml publish": { "id-token": "write" },
      "site.yml build": { contents: "read" },
      "site.yml release": { contents: "write" }
    })
  })

  it("runs no code of this repository or of its dependencies in a job that may write", () => {
    const writing = jobs.filter(({ rights = {} }) => Object.values(rights).includes("write"))
    expect(writing).toHaveLength(3)
    for (const { needs, steps } of writing) {
      expect(needs).toMatch(/^(?:build|fresh-seed)$/u)
      const actions = steps.flatMap(({ uses }) => uses?.split("@")[0] ?? [])
      const others = actions.filter(
        (action) => !["actions/download-artifact", "actions/setup-node"].includes(action)
      )
      expect(others).toEqual([])
      const commands = steps.map(({ run = "" }) => run).join("\n")
      expect(commands).not.toMatch(/npx|pnpm|yarn|npm (?!publish "\.\/)|bash|node /u)
    }
  })
})

it("a release publishes what the first job built: the tarballs of all packages, by their digests", () => {
  const release = workflows.find(({ path }) => path.endsWith("release.yml"))
  const commands = release?.jobs["publish"]?.steps.map(({ run = "" }) => run) ?? []
  expect(commands.join("\n")).toMatch(/sha256sum --check --strict[^]*npm publish/u)
  const [, published = ""] = /for name in (.*); do/u.exec(commands.join("\n")) ?? []
  const manifests = find("packages/*/package.json").map(
    (path) => JSON.parse(read(path)) as { readonly name: string; readonly version: string }
  )
  const names = manifests.map(({ name }) => name.replace("@", "").replace("/", "-"))
  expect(published.split(" ").toSorted()).toEqual(names.toSorted())
})

it("the action runs the version of the packages", () => {
  const action = parse(read(".github/actions/conform/action.yml")) as {
    readonly inputs: { readonly version: { readonly default: string } }
  }
  const { version } = JSON.parse(read("packages/pawl/package.json")) as { readonly version: string }
  expect(action.inputs.version.default).toBe(version)
  expect(read(".github/actions/conform/conform.sh")).not.toContain("latest")
})

it("Dependabot follows every folder with a lock file, and the actions", () => {
  const { updates } = parse(read(".github/dependabot.yml")) as {
    readonly updates: ReadonlyArray<Readonly<Record<string, unknown>>>
  }
  const of = (name: string) => updates.find((each) => each["package-ecosystem"] === name)
  const locks = globSync("{,*/,*/*/}pnpm-lock.yaml", { cwd: root, exclude: ["**/node_modules"] })
  const folders = locks.map((path) => `/${path}`.replace(/\/?pnpm-lock\.yaml$/u, "") || "/")
  expect(of("npm")?.["directories"]).toEqual(folders.toSorted())
  expect(of("github-actions")?.["directories"]).toEqual(["/", "/.github/actions/*"])
})
