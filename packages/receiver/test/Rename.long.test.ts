import { expect } from "@effect/vitest"
import { files } from "@pawl/test-support/Stores"
import * as Effect from "effect/Effect"
import { command, outcome, receiver, secrets } from "./receiverProcess.ts"
import { live } from "@pawl/test-support/Tests"

const [old, renamed] = ["http://127.0.0.1:1/api", "http://127.0.0.1:2/api"] as const

const file = files()

live("a receiver refuses the store of another service until it is renamed", function* () {
  const store = `sqlite:${file().filename}`
  const rename = (...args: ReadonlyArray<string>) =>
    outcome({ ...secrets, PAWL_STORE: store }, ...args)
  yield* rename("migrate")
  expect(yield* rename("rename", old, renamed)).toEqual([
    1,
    "",
    `The store does not belong to the service at ${old}: start a receiver on it, and the error names the base URL that it has\n`
  ])
  expect(yield* rename("rename", "old", renamed)).toEqual([
    1,
    "",
    "The current base URL cannot be used: give an absolute URL such as https://payments.example/api.\n"
  ])
  const at = (baseUrl: string) => ({ PAWL_STORE: store, PAWL_BASE_URL: baseUrl })
  yield* Effect.scoped(receiver(at(old)))
  const { code, stderr } = yield* command({ ...secrets, ...at(renamed) }, "--port", "0")
  expect([code, stderr]).toEqual([
    1,
    `The store belongs to the service at ${old}, and not to ${renamed}: name another store, or after a rename of the host run "pawl-receiver rename ${old} ${renamed}"\n`
  ])
  expect(yield* rename("rename", old, `${renamed}/`)).toEqual([
    0,
    `The store belongs to the service at ${renamed}\n`,
    ""
  ])
  yield* Effect.scoped(receiver(at(renamed)))
})
