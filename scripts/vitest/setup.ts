/**
 * Gives every property of a test file the seed of the run.
 */
import * as fc from "fast-check"
import { inject } from "vitest"

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: inject("seed") })
