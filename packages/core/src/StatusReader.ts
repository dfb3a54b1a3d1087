/**
 * The service through which the receiver reads the status of a transaction.
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
 * **Details**
 *
 * When only the method is known (`apm` or `card`), the status endpoints of its kinds are tried in the order
 * of `kindsOf`. The result has the kind of the first endpoint that knows the identifier.
 *
 * `account` is the one whose transactions are read. A receiver refuses the store of another one. Without it, as in a test,
 * the store is not asked.
 *
 * @category services
 * @since 0.1.0
 */
export class StatusReader extends Context.Service<
  StatusReader,
  {
    readonly account?: Account | undefined
    readonly read: (
      kind: Kind,
      id: TransactionId
    ) => Effect.Effect<{ readonly kind: Kind; readonly status: OpenStatus }, ReadError>
  }
>()("@pawl/core/StatusReader") {}
