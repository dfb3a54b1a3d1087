/**
 * Schema for an id in a path.
 */
import { TransactionId } from "@pawl/core/Transaction"
import * as Schema from "effect/Schema"

/** An id in a path stays text. As an integer, `007` would become `7`, the id of another transaction. */
export const PathId = Schema.toType(TransactionId)
