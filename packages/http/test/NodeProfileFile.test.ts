import { makeFolder } from "@pawl/test-support/Folder"
import * as Pawl from "../src/Pawl.ts"
import * as ProfileFile from "../src/internal/NodeProfileFile.ts"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import fs, { writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import * as Memory from "./support/memory.ts"
import * as Server from "./support/server.ts"

const folder = makeFolder()
const file = join(folder, "profile.json")

const read = (text: string) => {
  writeFileSync(file, text)
  return Effect.runPromise(Effect.result(ProfileFile.read(file)))
}

it("has switches and readings, each of which may be absent", async () => {
  for (const profile of [
    {},
    { service: "https://pay.example/api", switches: {}, readings: { token: "jwt" } },
    {
      switches: {
        tokenField: "pass",
        requestIdWindow: "2 hours",
        pollIntervals: [60_000, "5 minutes"]
      }
    }
  ]) {
    expect(await read(JSON.stringify(profile))).toMatchObject({ success: profile })
  }
})

it("may begin with a byte order mark", async () => {
  expect(await read('\uFEFF{"switches":{}}')).toMatchObject({ success: { switches: {} } })
})

it("that this user may not read is not called a wrong path", async () => {
  const denied = Object.assign(new Error("denied"), { code: "EACCES" })
  const spy = vi.spyOn(fs, "readFileSync").mockImplementationOnce(() => {
    throw denied
  })
  syncBuiltinESMExports()
  const result = await read("{}")
  spy.mockRestore()
  syncBuiltinESMExports()
  expect(result).toMatchObject({
    failure: { advice: "this user may not read the file: allow it, or give another file" }
  })
})

describe("a fault", () => {
  it.each([
    ["no JSON", "{\n}}", "the file is no profile, because it is no JSON at line 2, column 2: "],
    ["a list", "[]", "the file is no profile: "],
    ["an unknown member", '{"swtches":{}}', "a wrong swtches"],
    ["an unknown switch", '{"switches":{"tokenFild":"hunter2"}}', "a wrong switches.tokenFild"],
    [
      "a wrong value",
      '{"switches":{"payoutChecksum":"hunter2"}}',
      "a wrong switches.payoutChecksum"
    ],
    [
      "a wrong time",
      '{"switches":{"requestIdWindow":"hunter2"}}',
      "a wrong switches.requestIdWindow"
    ],
    ["no gap", '{"switches":{"pollIntervals":[]}}', "a wrong switches.pollIntervals"],
    ["a wrong reading", '{"readings":{"token":7}}', "a wrong readings.token"]
  ])("is named, and its value is not: %s", async (_, text, named) => {
    const result = await read(text)
    expect(result).toMatchObject({ failure: { setting: "PAWL_PROFILE" } })
    const message = "failure" in result ? result.failure.message : ""
    expect(message).toContain(named)
    expect(message).not.toContain("hunter2")
  })

  it("is a path that is no file", async () => {
    for (const path of [folder, "/dev/null", join(folder, "none")]) {
      const result = await Effect.runPromise(Effect.result(ProfileFile.read(path, "--profile")))
      expect(result).toMatchObject({ failure: { setting: "--profile" } })
    }
  })
})

it("the client takes the file of PAWL_PROFILE, and its own options before it", () =>
  Effect.gen(function* () {
    const server = yield* Server.start((socket, request) => {
      const isAuth = request.startsWith("POST /api/v1/auth ")
      Server.reply(socket, 200, isAuth ? '{"pass":"abc","other":"def"}' : '"SUCCEED"')
    })
    writeFileSync(file, JSON.stringify({ switches: { tokenField: "pass" } }))
    const env = {
      PAWL_BASE_URL: `${server.url}/api`,
      PAWL_MERCHANT_KEY: "key",
      PAWL_MERCHANT_SECRET: "secret",
      PAWL_PROFILE: file
    }
    for (const profile of [undefined, { tokenField: undefined }, { tokenField: "other" }]) {
      const layer = Layer.provide(
        Pawl.layerConfig(undefined, { profile }),
        ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
      )
      expect(yield* Effect.provide(Memory.readStatus(), layer)).toBe("SUCCEED")
    }
    const tokens = server.received.flatMap(
      (each) => /authorization: (.*)\r/iu.exec(each)?.[1] ?? []
    )
    expect(tokens).toEqual(["Bearer abc", "Bearer abc", "Bearer def"])
  }).pipe(Effect.scoped, Effect.runPromise))
