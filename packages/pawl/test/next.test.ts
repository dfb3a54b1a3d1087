import type { Options, Transition } from "pawl"
import { openOnce } from "pawl/next"
import { sandbox } from "pawl/testing"
import { expect, it } from "vitest"
import { freePort } from "@pawl/test-support/FreePort"
import { pays } from "./doors.ts"

it("modules that are loaded twice have one Pawl, and the newer onChange is called", async () => {
  await using service = await sandbox({ pace: "10 millis" })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const transitions: Array<Transition> = []
  const load = (onChange: (transition: Transition) => unknown) =>
    openOnce({ ...service, store: "memory", publicUrl: url, onChange })
  const first = load(() => expect.unreachable())
  await using pawl = await first.pawl()
  const { POST, ...second } = load((transition) => transitions.push(transition))
  expect(await second.pawl()).toBe(pawl)
  await pawl.listen({ port })
  await pays({ pawl, transitions })
  const headers = { "content-type": "application/json" }
  const request = new Request(`${url}/callback`, { method: "POST", headers, body: "[" })
  expect((await POST(request)).status).toBe(400)
})

it("each merchant has its own, and one that could not be opened is opened again", async () => {
  const broken = openOnce({ merchantKey: "broken", store: "mysql:", onChange: () => {} })
  const [one, two] = [broken.pawl(), broken.pawl()]
  expect(one).toBe(two)
  await expect(one).rejects.toMatchObject({ code: "InvalidConfig" })
  expect(broken.pawl()).not.toBe(one)
  await expect(broken.pawl()).rejects.toMatchObject({ code: "InvalidConfig" })
  const silent = openOnce({ merchantKey: "silent" } as Options)
  await expect(silent.pawl()).rejects.toThrow(/onChange/u)
})
