import * as CreateProof from "@pawl/core/internal/CreateProof"
import { defaults } from "@pawl/core/Profile"
import { describe, expect, it } from "vitest"

const every = Array.from({ length: 500 }, (_, at) => at + 100)
const proving = (proof: CreateProof.CreateProof, status422: "doubt" | "no-effect") =>
  every.filter((status) => CreateProof.ofStatus(status, { status422 }) === proof)

describe("the status of a create", () => {
  it("proves that it had no effect only if it is 400, 401, 404 or 429, and 422 if the profile says so", () => {
    expect(proving("no-effect", "doubt")).toEqual([400, 401, 404, 429])
    expect(proving("no-effect", "no-effect")).toEqual([400, 401, 404, 422, 429])
  })

  it("of every 2xx leaves the proof to the body", () => {
    const successes = every.filter((status) => status >= 200 && status < 300)
    for (const status422 of ["doubt", "no-effect"] as const)
      expect(proving("response", status422)).toEqual(successes)
  })

  it("leaves a doubt for any other number, from a proxy, a redirect or a fault", () => {
    const others = [
      402, 403, 405, 408, 409, 418, 421, 422, 423, 424, 425, 426, 431, 451, 460, 499, 302, 500, 503,
      100, 599
    ]
    for (const status of [...others, 0, -1, 600, Number.NaN])
      expect(CreateProof.ofStatus(status, defaults)).toBe("doubt")
    expect(proving("doubt", "doubt")).toHaveLength(500 - 100 - 4)
    expect(proving("doubt", "no-effect")).toHaveLength(500 - 100 - 5)
  })
})
