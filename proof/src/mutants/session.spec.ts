/**
 * The only test file that Vitest knows in a session; `SessionRunner` runs the others.
 */
import { it } from "vitest"

it("runs after the session", () => undefined)
