/** Gives every property the seed of the run. */
import * as fc from "fast-check"
import { inject } from "vitest"

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: inject("seed") })
