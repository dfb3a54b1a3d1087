import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { promisify } from "node:util"
import { assert, it } from "vitest"
import * as Sandbox from "../src/Sandbox.ts"
import { runWith } from "./support/sandbox.ts"
import { receiver } from "./support/wire.ts"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
const lines = (
  /## The ten most useful lines\n[^]*?```sh\n([^]*?)```/u.exec(readme)?.[1] ?? ""
).split("\n")

const commands = lines.flatMap((command, at) =>
  command.startsWith("#") || command === ""
    ? []
    : [{ command, answer: /^# => (.*)$/u.exec(lines[at + 1] ?? "")?.[1] }]
)

const pattern = (answer: string) =>
  new RegExp(
    `^${answer
      .split("…")
      .map((text) => text.replace(/[\\^$.*+?()[\]{}|]/gu, "\\$&"))
      .join("[^]*")}$`,
    "u"
  )

it("the commands of the README print the responses it shows", () =>
  runWith({ seed: 1 }, function* () {
    const { host } = new URL((yield* Sandbox.Sandbox).baseUrl)
    const { url: gone } = yield* Effect.scoped(receiver(() => [200]))
    const toHere = (command: string) =>
      command.replaceAll("localhost:4010", host).replaceAll("127.0.0.1:4020", new URL(gone).host)
    const end = "\u241e"
    const script = commands.map(({ command }) => `${toHere(command)}\nprintf '${end}'`)
    const { stderr, stdout } = yield* Effect.promise(() =>
      promisify(execFile)("bash", ["-c", script.join("\n")])
    )
    assert.strictEqual(stderr, "")
    const answers = stdout.split(end)
    assert.lengthOf(answers, 10 + 1)
    for (const [at, { answer = "", command }] of commands.entries()) {
      assert.match(answers[at] ?? "", pattern(answer), command)
    }
    assert.lengthOf(
      commands.filter(({ answer }) => answer !== undefined),
      9
    )
  }))
