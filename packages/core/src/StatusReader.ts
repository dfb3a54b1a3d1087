/**
 * The port through which the receiver asks the service itself.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ReadError } from "./PaymentsError.ts"
import type { Kind } from "./Kind.ts"
import type { OpenStatus, TransactionId } from "./Transaction.ts"

/**
 * Service that reads the status of a transaction over an authenticated call.
 *
 * **Details**
 *
 * While only the method is known (`apm`, `card`), the status endpoints of its kinds are tried in
 * turn, and the kind of the first that knows the id comes back.
 *
 * @category services
 * @since 0.1.0
 */
export class StatusReader extends Context.Service<
  StatusReader,
  {
    readonly read: (
      kind: Kind,
      id: TransactionId
    ) => Effect.Effect<{ readonly kind: Kind; readonly status: OpenStatus }, ReadError>
  }
>()("@pawl/core/StatusReader") {}
