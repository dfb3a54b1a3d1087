import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { expect, it } from "vitest"

const demo = new URL("../src/demo.ts", import.meta.url).pathname

it("ends every transaction right, exits 0 and prints no colours into a pipe", async () => {
  const child = spawn(process.execPath, [demo], { stdio: ["ignore", "pipe", "pipe"] })
  const exited = once(child, "exit")
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(err).toBe("")
  expect(out.match(/✓ right/g)).toHaveLength(24)
  expect(out.trimEnd().split("\n").at(-1)).toBe("All 24 transactions ended right.")
  expect(out).toContain("A callback without the right checksum was answered 401.")
  expect(out).not.toContain("\u001b")
  expect(await exited).toEqual([0, null])
})
