import { makeFolder } from "../../test-support/src/Folder.ts"
import { bundleOf } from "../../test-support/src/Program.ts"
import { startInTest } from "../../test-support/src/ProgramTests.ts"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { freePort } from "../../test-support/src/FreePort.ts"
import { join } from "node:path"
import { expect, it } from "vitest"
import { read, root } from "../repository.ts"

const conform = bundleOf(join(root, "packages/sandbox/src/bin/pawl-conform.ts"))
const receiver = bundleOf(join(root, "packages/receiver/src/bin/pawl-receiver.ts"))
const folder = join(root, ".github/actions/conform")
const action = read(".github/actions/conform/action.yml")
const script = read(".github/actions/conform/conform.sh")
const [, inputs = ""] = /^inputs:\n(.*?)^outputs:/msu.exec(action) ?? []
const temporary = makeFolder()

const allIn = (text: string, pattern: RegExp) => [
  ...new Set(Array.from(text.matchAll(pattern), ([, name = ""]) => name))
]

it("gives every input to the script as a variable, and puts no input into its text", () => {
  const names = allIn(inputs, /^ {2}([a-z-]+):$/gmu)
  const variables = names.map((name) => `CONFORM_${name.toUpperCase().replaceAll("-", "_")}`)
  expect(names.length).toBeGreaterThan(8)
  expect(allIn(action, /\$\{\{ inputs\.([a-z-]+) \}\}/gu)).toEqual(names)
  expect(allIn(action, /^ {8}(CONFORM_\w+): \$\{\{ inputs\./gmu)).toEqual(variables)
  expect(allIn(script, /\b(CONFORM_[A-Z_]+)\b/gu).toSorted()).toEqual(variables.toSorted())
  expect(action).not.toMatch(/run:.*\$\{\{/u)
})

it("has a row for every input in the guide", () => {
  const guide = read("docs/guides/conform-in-ci.md")
  for (const name of allIn(inputs, /^ {2}([a-z-]+):$/gmu)) {
    expect(guide).toMatch(new RegExp(`^\\|[^|]*\`${name}\``, "mu"))
  }
})

const isListening = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => (socket.destroy(), done(true)))
    socket.once("error", () => done(false))
  })

const conformWith = async (env: Readonly<Record<string, string>>) => {
  const { ended, stderr, stdout } = startInTest("bash", [join(folder, "conform.sh")], env)
  return { code: await ended, stderr: stderr(), stdout: stdout() }
}

/** Runs the script with a receiver that it starts. */
const run = async (start: (port: number) => string, only: string) => {
  const [port, apiPort] = [await freePort(), await freePort()]
  const file = (name: string) => join(temporary, `${port}-${name}`)
  const { code, stderr, stdout } = await conformWith({
    CONFORM_URL: `http://127.0.0.1:${port}/callback`,
    CONFORM_START: start(port),
    CONFORM_API_PORT: String(apiPort),
    CONFORM_MERCHANT_SECRET: "a secret that is not printed",
    CONFORM_ONLY: only,
    CONFORM_JUNIT: file("conform.xml"),
    CONFORM_COMMAND: `${process.execPath} ${conform}`,
    GITHUB_OUTPUT: file("output"),
    GITHUB_STEP_SUMMARY: file("summary.md")
  })
  return {
    code,
    text: stdout + stderr,
    isStillListening: await isListening(port),
    junit: file("conform.xml"),
    output: readFileSync(file("output"), "utf8"),
    summary: readFileSync(file("summary.md"), "utf8")
  }
}

/** Reads the report with another reader of XML. */
const suiteOf = (path: string): unknown =>
  JSON.parse(
    execFileSync(
      "python3",
      [
        "-c",
        "import json, sys, xml.etree.ElementTree as t; s = t.parse(sys.argv[1]).getroot()[0]; print(json.dumps([s.attrib['tests'], s.attrib['failures'], [c.attrib['name'] for c in s if len(c)]]))",
        path
      ],
      { encoding: "utf8" }
    )
  )

it("starts a receiver that keeps a law, reports it, and ends the receiver", async () => {
  const { code, isStillListening, junit, output, summary, text } = await run(
    (port) => `${process.execPath} ${receiver} --port ${port}`,
    "a genuine callback is answered 200\n9"
  )
  expect(text).toContain("All 2 laws hold.")
  expect(code).toBe(0)
  expect(isStillListening).toBe(false)
  expect(suiteOf(junit)).toEqual(["2", "0", []])
  expect(output).toBe(`junit=${junit}\n`)
  expect(summary).toMatch(/^### conform: 2 of 2 laws hold\n/u)
  expect(text + summary).not.toContain("a secret that is not printed")
})

it("fails on a receiver that breaks a law, and names it", async () => {
  const law = "a checksum that is not exactly right is answered 401"
  const { code, junit, summary } = await run(
    (port) =>
      `${process.execPath} -e "require('node:http').createServer((_, response) => response.end()).listen(${port}, '127.0.0.1')"`,
    law
  )
  expect(code).toBe(1)
  expect(suiteOf(junit)).toEqual(["1", "1", [law]])
  expect(summary).toContain(`❌ | ${law} |`)
})

it("says that the command of the receiver has ended", async () => {
  const url = `http://127.0.0.1:${await freePort()}/`
  const { code, stdout } = await conformWith({ CONFORM_URL: url, CONFORM_START: "exit 3" })
  expect([code, stdout]).toEqual([1, "::error::The command of `start` has ended\n"])
})
