/**
 * Command of the vectors.
 *
 * - `pnpm vectors` checks that `vectors/vectors.json` is what the packages compute. `--write` writes it.
 * - `node proof/src/vectors/main.ts --draw 100000 [--seed N]` prints random vectors.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Numbers from "../Numbers.ts"
import { committed } from "./committed.ts"
import { draw } from "./drawn.ts"
import { print, vectorsOf } from "./Vectors.ts"

const path = resolve(import.meta.dirname, "../../../vectors/vectors.json")
const { values } = parseArgs({
  options: {
    draw: { type: "string" },
    seed: { type: "string", default: "1" },
    write: { type: "boolean", default: false }
  }
})

if (values.draw !== undefined) {
  const count = Numbers.orExit(Numbers.countOf("--draw", values.draw))
  const seed = Numbers.orExit(Numbers.seedOf("--seed", values.seed))
  process.stdout.write(print(vectorsOf(draw(count, seed))))
} else if (values.write) {
  writeFileSync(path, print(vectorsOf(committed)))
} else if (readFileSync(path, "utf8") !== print(vectorsOf(committed))) {
  console.error("vectors/vectors.json is out of date: run pnpm vectors --write")
  process.exitCode = 1
}
