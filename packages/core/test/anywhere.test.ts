import { expect, it } from "vitest"
import { checks } from "./anywhere.ts"

it.each(checks.map(({ name, run }) => [name, run] as const))("%s", (_name, run) => {
  expect(run).not.toThrow()
})
