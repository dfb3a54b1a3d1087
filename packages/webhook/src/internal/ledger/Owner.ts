/**
 * The owner of a store: the account that opened it first.
 *
 * It is checked before a worker starts, which would send the requests of another account to the
 * wrong service.
 */
import type { Account } from "@pawl/core/Account"
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** Error raised when a store cannot be opened. */
export class StoreUnusable extends Data.TaggedError("StoreUnusable")<{
  /** The reason in one sentence, without a password. */
  readonly message: string
}> {
  /** Empty, so that a program prints the message alone. */
  override readonly stack = ""
}

/** `takeOwner` keeps the first account and returns it. */
interface Store {
  readonly takeOwner: (account: Account) => Effect.Effect<Account, StoreUnavailable>
}

export const take = (
  store: Store,
  account: Account | undefined
): Effect.Effect<void, StoreUnusable> =>
  account === undefined
    ? Effect.void
    : Effect.matchEffect(store.takeOwner(account), {
        onFailure: () => refuse("The store does not answer: start it"),
        onSuccess: (owner) => check(owner, account)
      })

export const check = (owner: Account, account: Account): Effect.Effect<void, StoreUnusable> => {
  if (owner.merchantKey !== account.merchantKey) {
    return refuse(
      "The store belongs to another merchant key: give each merchant a store of its own"
    )
  }
  return owner.baseUrl === account.baseUrl
    ? Effect.void
    : refuse(
        `The store belongs to the service at ${owner.baseUrl}, and not to ${account.baseUrl}: name another store, or after a rename of the host run "pawl-receiver rename ${owner.baseUrl} ${account.baseUrl}"`
      )
}

const refuse = (message: string) => Effect.fail(new StoreUnusable({ message }))
