import { bundleOf } from "@pawl/test-support/Program"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { open } from "pawl/testing"
import { expect, it, vi } from "vitest"
import { order } from "./doors.ts"

it("a test that fails before it closes its Pawl ends, and says why", async () => {
  const file = bundleOf(`${import.meta.dirname}/failingChild.ts`)
  // With this variable Node prints a format for the parent test run.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
  // The next timer of the open Pawl is due after hours.
  const run = promisify(execFile)(process.execPath, [file], { env, timeout: 100_000 })
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/fail 1\n[^]*SUCCEED/u) as string
  })
})

it("a test that replaces all timers pays by the clock of its Pawl", async () => {
  vi.useFakeTimers()
  try {
    await using pawl = await open({ onChange: () => Promise.resolve() })
    await pawl.apmPayments.create(order)
    await pawl.clock.advance("62 minutes")
    expect(pawl.transitions.at(-1)?.to).toBe("SUCCEED")
  } finally {
    vi.useRealTimers()
  }
})

it("a test does not depend on the variables of its environment", async () => {
  for (const name of ["STORE", "PUBLIC_URL", "PROFILE", "SEAL_KEY", "MERCHANT_SECRET_PREVIOUS"]) {
    vi.stubEnv(`PAWL_${name}`, " wrong")
  }
  try {
    await using pawl = await open()
    expect(await pawl.requests.get("17")).toBeUndefined()
  } finally {
    vi.unstubAllEnvs()
  }
})
