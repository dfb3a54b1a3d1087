/**
 * Several merchants in one receiver: each has its own secrets, credentials, handler, ledger and
 * worker.
 *
 * **Details**
 *
 * `Receiver` in the context of this layer takes all callbacks, and chooses the merchant of each:
 *
 * 1. If the token of the callback URL names a merchant (`CallbackUrl.layer` with `merchant`), it is
 *    this one.
 * 2. Otherwise it is the merchant whose `accounts` have the account of the callback.
 *
 * The choice only selects the ledger and the secret that verifies the callback. A callback that
 * another merchant signed is refused with 401 before any statement to the ledger, like one of an
 * unknown merchant. A start with the database of another merchant fails. Each worker has slots and
 * a read budget of its own. If more than 1,024 callbacks or 12 MiB wait for stores, a merchant with
 * more than an equal share of them is answered 503.
 *
 * **Gotchas**
 *
 * - Each merchant needs a secret of its own: one that knows the secret of another can sign for it.
 * - A handler that computes for a second without a pause delays all merchants.
 * - Rows that other processes make due are found within 25 ms for each merchant: after 2.5 seconds
 *   with 100 of them (`docs/decisions/0102-each-merchant-of-a-receiver-has-its-own-ledger.md`).
 *
 * @since 0.1.0
 */
import type { Hmac } from "@pawl/core/Hmac"
import { Profile } from "@pawl/core/Profile"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Shares from "@pawl/webhook/internal/doors/Shares"
import { Admin } from "./Admin.ts"
import * as MerchantsAdmin from "./internal/merchants/MerchantsAdmin.ts"
import * as MerchantId from "./internal/merchants/MerchantId.ts"
import * as Nobody from "./internal/merchants/Nobody.ts"
import * as Room from "@pawl/webhook/internal/records/Room"
import { MinPollInterval } from "@pawl/webhook/internal/work/RowSteps"
import * as Reading from "@pawl/webhook/internal/verify/Reading"
import * as Token from "@pawl/webhook/internal/verify/Token"
import type { Journal } from "@pawl/webhook/Journal"
import { Ledger } from "@pawl/webhook/Ledger"
import * as Progress from "@pawl/webhook/internal/work/Progress"
import * as ReadBudget from "@pawl/webhook/internal/rule/ReadBudget"
import { Receiver, type StatusCode } from "@pawl/webhook/Receiver"
import type { Incoming } from "@pawl/webhook/Verifier"
import { Worker } from "@pawl/webhook/internal/work/Worker"

/**
 * Type of the services of a merchant.
 *
 * @category models
 * @since 0.1.0
 */
export type Services = Receiver | Worker | Journal | Ledger

/**
 * A merchant of a receiver.
 *
 * @category models
 * @since 0.1.0
 */
export interface Merchant<E = never, R = never> {
  /**
   * Names the merchant in tokens, metrics, logs and the admin API: lower-case letters, digits, `-`
   * and `_`, at most 32. It never changes.
   */
  readonly id: string
  /**
   * The accounts (`mid` or `accountId`) of this merchant alone. They choose the merchant of a
   * callback whose URL names none. Give them to `Verifier.layer`, too.
   */
  readonly accounts?: ReadonlyArray<string> | undefined
  /** The receiver and the ledger of the merchant. */
  readonly layer: Layer.Layer<Services, E, R>
  /**
   * The most bytes of the merchant's store, or of each of its databases: 10 GiB by default. Beyond
   * it no bodies are kept and callbacks of new transactions are answered 503; those of known ones
   * are stored.
   */
  readonly storeBytes?: number | undefined
}

/**
 * Service that has the merchants of a receiver, by id.
 *
 * **Example** (The transaction of a merchant)
 *
 * ```ts
 * import { Ledger } from "@pawl/webhook/Ledger"
 * import { Merchants } from "@pawl/receiver/Merchants"
 * import * as Context from "effect/Context"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const shop = (yield* Merchants).get("shop-a")
 *   return shop && (yield* Context.get(shop.services, Ledger).get("card", "100001"))
 * })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class Merchants extends Context.Service<
  Merchants,
  ReadonlyMap<
    string,
    {
      /** The accounts of the merchant. */
      readonly accounts: ReadonlyArray<string>
      /** The services of the merchant. `Context.getOption` has the others of its layer, too. */
      readonly services: Context.Context<Services>
    }
  >
>()("@pawl/receiver/Merchants") {}

/**
 * Error raised when the merchants of a receiver cannot be served: an id cannot be used or is used
 * twice, an account has two merchants, or two merchants have one ledger. A database of another
 * merchant fails as its layer does.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidMerchant extends Data.TaggedError("InvalidMerchant")<{
  /** The id of the merchant. */
  readonly merchant: string
  /** The reason. */
  readonly message: string
}> {
  /** The name of the error. */
  readonly code = "InvalidMerchant"
}

/**
 * The callbacks and bytes that may wait for stores before the merchants are limited to their
 * shares. The connections and bodies of a door hold twice as much.
 */
const maxWaiting = { callbacks: 1024, bytes: 12 * 1024 * 1024 }
/** Each merchant adds this to the minimum poll interval of all workers. */
const pollIntervalPerMerchant = Duration.millis(25)
/** The most bytes of a merchant's store, so that no merchant fills the disk of the others. */
const maxStoreBytes = 10 * 1024 ** 3
const startedAtOnce = 8

/**
 * Layer that receives the callbacks of several merchants. Its `Worker` drains the workers of all of
 * them.
 *
 * **Details**
 *
 * The layer takes the place of `Receiver.layer`: `NodeReceiver`, `WebReceiver` and `Receiver.route`
 * serve it. The metrics and logs of a merchant have its id as `merchant`. The layer of each
 * merchant is built anew; a shared service is a requirement of their layers.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <E, R>(
  merchants: ReadonlyArray<Merchant<E, R>>
): Layer.Layer<Merchants | Receiver | Worker, E | InvalidMerchant, R | Hmac> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const byAccount = yield* accountsOf(merchants)
      const makeShare = Shares.make(maxWaiting, merchants.length)
      const all = yield* Effect.forEach(merchants, (each) => start(each, makeShare()), {
        concurrency: startedAtOnce
      }).pipe(
        Effect.provideService(
          MinPollInterval,
          Duration.times(pollIntervalPerMerchant, merchants.length)
        )
      )
      const ledgers = new Map(all.map(({ id, services }) => [Context.get(services, Ledger), id]))
      for (const { id, services } of all) {
        if (ledgers.get(Context.get(services, Ledger)) === id) continue
        const message = `${id} has the ledger of another merchant: give each merchant one of his own`
        return yield* new InvalidMerchant({ merchant: id, message })
      }
      const byId = new Map(all.map((each) => [each.id, each]))

      let isDraining = false
      const drain = Effect.suspend(() => {
        isDraining = true
        return Effect.forEach(all, ({ services }) => Context.get(services, Worker).drain, {
          concurrency: "unbounded",
          discard: true
        })
      })
      // Runs before the finalizers of the merchants, which wait one after the other.
      yield* Effect.addFinalizer((exit) =>
        Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? drain : Effect.void
      )

      const readUse = Effect.map(
        Effect.forEach(all, ({ services }) => Context.get(services, Worker).readUse),
        ReadBudget.sum
      )

      const profile = yield* Profile
      const nobodies = yield* Effect.forEach(Nobody.numbers, () =>
        start({ layer: Nobody.layer }, makeShare())
      )
      const nobodyOf = (account: string) => nobodies[Nobody.numberOf(account)]!
      const receive = (incoming: Incoming): Effect.Effect<StatusCode> =>
        Effect.suspend(() => {
          const reading = Reading.keep(incoming, profile)
          const signed = Reading.signedIn(reading)
          if (signed === undefined) return nobodyOf("").receive(incoming)
          const token = new URLSearchParams(incoming.search).get(Token.parameter)
          const named = token === null ? undefined : Token.merchantOf(token)
          // An unknown name gets the same response as a known one.
          const merchant = byId.get(named ?? byAccount.get(signed.account) ?? "")
          return (merchant ?? nobodyOf(named ?? signed.account)).receive(incoming)
        })

      return Context.make(Merchants, byId).pipe(
        Context.add(Receiver, { receive }),
        Context.add(Worker, {
          drain,
          isDraining: Effect.sync(() => isDraining),
          progress: Effect.map(
            Effect.forEach(all, ({ services }) => Context.get(services, Worker).progress),
            Progress.join
          ),
          readUse
        })
      )
    })
  )

/**
 * Returns the merchant of each account, or fails with the first whose id or account cannot be used.
 */
const accountsOf = Effect.fnUntraced(function* (
  merchants: ReadonlyArray<Pick<Merchant, "accounts" | "id">>
) {
  const byAccount = new Map<string, string>()
  const ids = new Set<string>()
  for (const { accounts = [], id } of merchants) {
    const refuse = (message: string) => new InvalidMerchant({ merchant: id, message })
    if (!MerchantId.isValid(id)) return yield* refuse(MerchantId.rule)
    if (ids.has(id)) return yield* refuse(`Two merchants have the id ${id}`)
    ids.add(id)
    for (const account of accounts) {
      const other = byAccount.get(account) ?? id
      if (other !== id) return yield* refuse(`An account of ${id} is one of ${other}, too`)
      byAccount.set(account, id)
    }
  }
  return byAccount
})

/**
 * Runs a merchant until the scope ends. Without an id the merchant is nobody, with an empty label,
 * which Prometheus takes for none, because metrics without a label cost less time.
 */
const start = Effect.fnUntraced(function* <E, R>(
  {
    accounts = [],
    id = "",
    layer,
    storeBytes = maxStoreBytes
  }: Omit<Merchant<E, R>, "id"> & { readonly id?: string },
  share: Shares.Share
) {
  const label = { merchant: id }
  const labels = { ...(yield* Metric.CurrentMetricAttributes), ...label }
  const labelled = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.provideService(Metric.CurrentMetricAttributes, labels),
      Effect.annotateLogs(label)
    )
  const services = yield* Layer.build(Layer.fresh(layer)).pipe(
    Effect.provideService(Shares.Share, share),
    Effect.provideService(Room.Limit, storeBytes),
    labelled
  )
  const { receive } = Context.get(services, Receiver)
  return { id, accounts, services, receive: (incoming: Incoming) => labelled(receive(incoming)) }
})

/**
 * The settings of the admin API: those of `Admin`, and the secrets of each merchant, by its id.
 *
 * @category models
 * @since 0.1.0
 */
export type AdminOptions = MerchantsAdmin.Options

/**
 * Layer of the admin API of several merchants.
 *
 * **Details**
 *
 * | request | response |
 * |---|---|
 * | `GET /merchants` | each merchant with its id, accounts, condition and backlog |
 * | any request of `Admin`, with `/merchants/{id}` before its path | the response for this merchant; 404 if it is unknown |
 * | `GET /`, `GET /merchants/{id}/` | the pages for a person, if they are among the options: the list, and one merchant |
 * | `GET /metrics` | the metrics of all merchants; those of one have the label `merchant` |
 * | `GET /merchants/{id}/metrics` | those with the label of this merchant |
 *
 * Access is as in `Admin`, and to all merchants.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerAdmin = (
  options: AdminOptions = {}
): Layer.Layer<Admin, never, Merchants | Worker> =>
  Layer.effect(
    Admin,
    Effect.flatMap(Merchants, (merchants) => MerchantsAdmin.make(merchants, options))
  )
