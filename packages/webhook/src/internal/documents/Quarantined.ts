/**
 * The document of the quarantined callbacks of a transaction.
 */
import type { Method } from "@pawl/core/Kind"

/** The quarantined callbacks of a transaction, oldest first. The body of each is the text of its `name`. */
export type Quarantined = ReadonlyArray<{
  readonly name: string
  /** The length and a hash of the body. Two bodies may have the same. */
  readonly print: string
  readonly method: Method
  readonly reason: string | undefined
  readonly secret: "current" | "previous"
  readonly firstAt: number
  readonly newestAt: number
}>
