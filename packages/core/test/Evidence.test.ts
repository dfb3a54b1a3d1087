import * as Evidence from "@pawl/core/Evidence"
import { statuses } from "@pawl/core/Status"
import { describe, expect, it } from "vitest"

describe("the bits of a status", () => {
  // A changed number would change the meaning of stored rows.
  const stored = [
    ["NEW", 1, 512],
    ["PENDING", 2, 1024],
    ["PROCESSING", 4, 2048],
    ["CUSTOMER_VERIFICATION", 8, 4096],
    ["SUCCEED", 16, 8192],
    ["FAILED", 32, 16_384],
    ["CANCELLED", 64, 32_768],
    ["REFUNDED", 128, 65_536],
    ["CHARGEBACK", 256, 131_072]
  ] as const

  it.each(stored)("%s has the masks %i claimed and %i confirmed", (status, claimed, confirmed) => {
    expect(Evidence.claimed(status)).toBe(claimed)
    expect(Evidence.confirmed(status)).toBe(confirmed)
  })

  it("are all 0 before the first observation", () => {
    expect(Evidence.none).toBe(0)
  })

  it("are fixed by this test for every status", () => {
    expect(stored.map(([status]) => status)).toEqual([...statuses])
  })

  it("are ignored when they belong to no known status, so that an older process can read the rows of a newer one", () => {
    const unknown = (1 << 18) | (1 << 19)
    for (const policy of ["final", "always", "never"] as const) {
      for (const evidence of [Evidence.none, Evidence.claimed("NEW"), Evidence.confirmed("NEW")]) {
        expect(Evidence.standing(evidence | unknown, undefined, policy)).toEqual(
          Evidence.standing(evidence, undefined, policy)
        )
      }
    }
  })
})

it("the default policy is final: claims below rank 10 count, and a claimed final status needs a read", () => {
  for (let evidence = 0; evidence < 2 ** 18; evidence += 7) {
    expect(Evidence.standing(evidence, undefined)).toEqual(
      Evidence.standing(evidence, undefined, "final")
    )
    expect(Evidence.unsettled(evidence, undefined)).toEqual(
      Evidence.unsettled(evidence, undefined, "final")
    )
  }
})
