import * as Lives from "@pawl/test-support/Lives"
import fc from "fast-check"
import { expect, it } from "vitest"
import * as Replay from "../src/internal/story/Replay.ts"

/** Milliseconds for shrinking a counterexample. */
const plugins = [fc.interruptAfterTimeLimit(55_000, { failOnInterrupt: true })]

const assertReplays = async (lives: ReadonlyArray<Lives.Life>, trouble: Lives.Trouble) => {
  const { calls, stories } = await Lives.live(lives, trouble)
  for (const [index, told] of stories.entries()) {
    for (const story of told) {
      const { calls: replayed, differences } = Replay.replay(story)
      expect(differences).toEqual([])
      const made = calls[index] ?? []
      const { scope, transactionId } = story.row
      const ids = replayed.map(({ sequence, to }) => `${scope}:${transactionId}:${sequence}:${to}`)
      // A process that ends between the write of a call and the call has made none.
      expect(ids.filter((id) => made.some((call) => call.id === id))).toEqual([
        ...new Set(made.map(({ id }) => id))
      ])
      const took = replayed.filter((call) => call.told).map(({ sequence }) => sequence)
      for (const sequence of took)
        expect(made.some((call) => call.sequence === sequence && call.took)).toBe(true)
    }
  }
}

it("finds no difference in the history of a worker, whatever stops, fails or hangs", async () => {
  await fc.assert(fc.asyncProperty(Lives.lives, Lives.trouble, assertReplays), {
    numRuns: 44,
    plugins
  })
})

it("finds none when the clock jumps by up to an hour, back or forth", async () => {
  await fc.assert(
    fc.asyncProperty(Lives.lives, Lives.trouble, Lives.jumps, (lives, trouble, jumps) =>
      assertReplays(lives, { ...trouble, receivers: 1, jumps })
    ),
    { numRuns: 20, plugins }
  )
})
