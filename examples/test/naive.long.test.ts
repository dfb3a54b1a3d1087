import { run, start } from "@pawl/test-support/Program"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"

const root = new URL("../../", import.meta.url)
const program = new URL("examples/src/naive.ts", root).pathname
const conform = new URL("packages/sandbox/src/bin/pawl-conform.ts", root).pathname
const env = { PAWL_MERCHANT_SECRET: "sandbox-secret", PORT: "0" }

const check = Effect.gen(function* () {
  const handler = yield* start(process.execPath, [program], env)
  const url = yield* handler.line(/^ready (\S+)$/mu)
  const state = new URL("/transactions", url).href
  const args = [
    conform,
    url,
    "--api-port",
    "0",
    "--state",
    state,
    "--settle-timeout",
    "1",
    "--seed",
    "1"
  ]
  const { stdout } = yield* run(process.execPath, args, env)
  const old = yield* Effect.promise(() => fetch(`${state}/card/100001`))
  return { out: stdout, statusOfOld: old.status }
})

it("breaks the laws about forged statuses, lost writes and malformed callbacks", async () => {
  const { out, statusOfOld } = await Effect.runPromise(Effect.scoped(check))
  for (const broken of [
    "a genuine callback whose amount is a JSON number is answered 200",
    "a body larger than 64 KiB is answered 413",
    "a content type or encoding other than plain JSON is answered 415",
    "a body that is not one well-formed JSON object is answered 400",
    "an ambiguous signed field is answered 400",
    "a callback of an ambiguous kind is answered 400",
    "a terminal status is reported only after the service has it",
    "after two terminal statuses the receiver reports the service's last one",
    "concurrent callbacks end at the same status as sequential ones"
  ]) {
    expect(out).toContain(`✗ ${broken} (`)
  }
  expect(out).toContain("✓ a repeated callback is answered 200, like the first (")
  expect(out).toContain('"transactionStatus":')
  // The run uses new transaction ids, not those of an earlier run.
  expect(statusOfOld).toBe(404)
})
