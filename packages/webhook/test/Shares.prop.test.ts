import { forAll } from "@pawl/test-support/Properties"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { repeats } from "@pawl/test-support/Repeats"
import * as Shares from "../src/internal/doors/Shares.ts"

const merchants = 5

/** Callbacks of one byte, of one merchant after the other, some of which end. */
const steps = fc.array(
  fc.record({ merchant: fc.nat({ max: merchants - 1 }), isEnd: fc.boolean() }),
  { maxLength: 100, size: "max" }
)

it.each(["callbacks", "bytes"] as const)(
  "of the total of %s a merchant gets all, a second one half, and others a reserve, whatever waited before",
  (unit) => {
    const total = fc.constantFrom([4, 1] as const, [40, 4] as const)
    return forAll([total, steps], { numRuns: repeats(200) }, ([most, reserve], steps) => {
      const make = Shares.make({ callbacks: 1e9, bytes: 1e9, [unit]: most }, merchants)
      const shares = Array.from({ length: merchants }, make)
      const own = shares.map(() => 0)
      for (const { isEnd, merchant } of steps) {
        const [share, waiting = 0] = [shares[merchant], own[merchant]]
        if (isEnd && waiting === 0) continue
        const isTaken = isEnd ? false : share?.take(1)
        if (isEnd) share?.giveBack(1)
        else if (waiting === 0 || own.reduce((sum, each) => sum + each) < most)
          expect(isTaken).toBe(true)
        own[merchant] = waiting + (isEnd ? -1 : Number(isTaken))
      }
      for (const [merchant, share] of shares.entries()) {
        for (let count = own[merchant] ?? 0; count > 0; count--) share.giveBack(1)
      }
      const counts = shares.map((share) => {
        let count = 0
        while (share.take(1)) {
          count++
          // The first one has more than its share as soon as it is not alone.
          if (share !== shares[0]) expect(shares[0]?.take(1)).toBe(false)
        }
        return count
      })
      expect(counts).toEqual([most, most / 2, reserve, reserve, reserve])
    })
  }
)
