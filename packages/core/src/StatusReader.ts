/**
 * Reads of a transaction's status, for the receiver and `StatusPoller`.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Account } from "./Account.ts"
import type { ReadError } from "./PaymentsError.ts"
import type { Kind } from "./Kind.ts"
import type { OpenStatus, TransactionId } from "./Transaction.ts"

/**
 * Service that reads the status of a transaction by an authenticated request.
 *
 * @category services
 * @since 0.1.0
 */
export class StatusReader extends Context.Service<
  StatusReader,
  {
    /**
     * Account whose transactions are read. A receiver refuses the store of another; without it, as in a
     * test, the store is not asked.
     */
    readonly account?: Account | undefined
    /**
     * Reads a status. For the kind `apm` or `card` it tries the endpoints in the order of `kindsOf`, and
     * returns the kind of the first that knows the id.
     */
    readonly read: (
      kind: Kind,
      id: TransactionId
    ) => Effect.Effect<{ readonly kind: Kind; readonly status: OpenStatus }, ReadError>
  }
>()("@pawl/core/StatusReader") {}
