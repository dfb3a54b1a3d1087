import {
  RateLimited,
  type ReadError,
  UnexpectedResponse,
  Unreachable
} from "@pawl/core/PaymentsError"
import * as Profile from "@pawl/core/Profile"
import { expect, it } from "vitest"
import * as Failure from "../src/internal/wire/Failure.ts"

const unexpected = (status: number) => new UnexpectedResponse({ status, reason: "it is cut short" })

const doubtOf = ({ doubt, transient }: Failure.AttemptFailure) => [doubt !== undefined, transient]

it.each([
  [299, true],
  [300, false],
  [499, false],
  [500, true]
])("a response with the status %i that cannot be read leaves a doubt: %s", (status, isOpen) => {
  expect(doubtOf(Failure.toFailure(unexpected(status)))).toEqual([isOpen, isOpen])
})

it("the failure of a request for a token is final, and leaves no doubt about the operation", () => {
  const errors: ReadonlyArray<ReadError> = [
    unexpected(409),
    new RateLimited({ attempts: 1 }),
    new Unreachable({ reason: "the connection was refused", sent: false, attempts: 1 }),
    new Unreachable({ reason: "the connection was reset", sent: true, attempts: 1 })
  ]
  for (const error of errors) {
    const failure = Failure.ofCreate(Failure.finalFailure(error), Profile.defaults)
    expect(doubtOf(failure)).toEqual([false, false])
    expect(Failure.hadNoEffect(failure)).toBe(false)
  }
})
