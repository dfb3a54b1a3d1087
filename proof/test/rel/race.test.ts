import { expect } from "vitest"
import { race } from "../../src/rel/race.ts"
import { holds, oneStore, shortRun } from "./support.ts"

holds(
  "calls the handler once for each key that 3 processes accept at once (R15, R24)",
  race.make({ ...shortRun(25, oneStore), processes: 3 }),
  (figures) =>
    expect(figures).toMatchObject({ [`${oneStore}.processes`]: 3, [`${oneStore}.effects`]: 25 })
)
