/**
 * Payments with promises: the client, the durable requests, the receiver of callbacks, and their store.
 *
 * **Example** (A payment at the sandbox)
 *
 * ```ts
 * import { open } from "pawl"
 * import { sandbox } from "pawl/testing"
 *
 * const orders = new Map<string | null, string>()
 * await using service = await sandbox()
 * await using pawl = await open({
 *   ...service,
 *   store: "memory",
 *   onChange: ({ requestId, to }) => orders.set(requestId, to)
 * })
 * const payment = await pawl.apmPayments.create({
 *   requestId: "order-17",
 *   accountId: "4711",
 *   amount: "10.00",
 *   currency: "EUR",
 *   apmPayload: { paymentMethod: "WALLET" }
 * })
 * payment.transactionStatus // => "NEW"
 * ```
 *
 * @since 0.1.0
 */
import type { RequestKind, SendLimits } from "@pawl/core/RequestSender"
import { ApmPayments } from "@pawl/http/ApmPayments"
import { ApmPayouts } from "@pawl/http/ApmPayouts"
import { CardPayments } from "@pawl/http/CardPayments"
import { CardPayouts } from "@pawl/http/CardPayouts"
import type * as Client from "@pawl/http/Pawl"
import { PaymentIntents } from "@pawl/http/PaymentIntents"
import { Refunds } from "@pawl/http/Refunds"
import { Subscriptions } from "@pawl/http/Subscriptions"
import type { Ledger } from "@pawl/webhook/Ledger"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import { Receiver } from "@pawl/webhook/Receiver"
import { Requests } from "@pawl/webhook/Requests"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Record from "effect/Record"
import * as Scope from "effect/Scope"
import * as Arguments from "./internal/Arguments.ts"
import * as Doors from "./internal/Doors.ts"
import type * as Operations from "./internal/Operations.ts"
import * as Promised from "./internal/Promised.ts"
import * as Settings from "./internal/Options.ts"
import * as OptionTypes from "./internal/OptionTypes.ts"
import type { Options } from "./internal/Options.ts"
import * as Functions from "./internal/Functions.ts"
import * as Transactions from "./internal/Transactions.ts"

/** The position of the options of a method with more than one argument before them. */
const positions: Readonly<Record<string, number>> = { update: 2, setStatus: 2 }

/** Makes the methods of each service. `creates` has those whose requests survive a crash. */
const operationsOf = (runner: Promised.Runner, context: Context.Context<Needed>) => {
  const requests = Context.get(context, Requests)
  const of = <Service extends object>(
    service: Context.Key<Client.Services, Service>,
    creates: Readonly<Record<string, RequestKind>>
  ) => {
    const methods = Context.get(context, service)
    const sends = Record.map(
      creates,
      (kind) => (input: never, limits?: SendLimits) => requests.send(kind, input, limits)
    )
    const checkOf = (name: string): Promised.Check => {
      const isUpdate = name === "update"
      const kind = isUpdate || name === "tokenize" ? name : creates[name]
      const read = kind === undefined ? Arguments.other : Arguments.input(kind)
      const at = Number(isUpdate)
      return (args) =>
        Effect.andThen(
          Arguments.options(args[positions[name] ?? 1]),
          Effect.map(read(args[at]), (checked) => Object.assign([...args], { [at]: checked }))
        )
    }
    const checks = Object.fromEntries(Object.keys(methods).map((name) => [name, checkOf(name)]))
    return Promised.make(runner, methods, checks, sends)
  }
  return {
    apmPayments: of(ApmPayments, { create: "apm-payment" }),
    apmPayouts: of(ApmPayouts, { create: "apm-payout" }),
    cardPayments: of(CardPayments, { create: "card-payment", charge: "card-charge" }),
    cardPayouts: of(CardPayouts, { create: "card-payout" }),
    paymentIntents: of(PaymentIntents, { create: "payment-intent" }),
    refunds: of(Refunds, { create: "refund" }),
    subscriptions: of(Subscriptions, { create: "subscription" })
  }
}

/**
 * Everything that `open` opened.
 *
 * **Details**
 *
 * A create is stored before it is sent, so after a crash any process with the store sends it again.
 * Call again with the same `requestId` for the outcome.
 *
 * A method rejects with the errors of `@pawl/core/PaymentsError` and of requests. A declined payment is a
 * `Declined`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Pawl extends Doors.Doors, AsyncDisposable {
  /** Payments by an alternative method, such as a wallet or a bank: `create`, `status`. */
  readonly apmPayments: Operations.ApmPayments
  /** Payouts by an alternative method: `create`, `status`, `info`. */
  readonly apmPayouts: Operations.ApmPayouts
  /** Payments by card: `create`, `charge` a card token, `tokenize` a card, `status`. */
  readonly cardPayments: Operations.CardPayments
  /** Payouts to a card: `create`, `status`, `info`. */
  readonly cardPayouts: Operations.CardPayouts
  /** Hosted pages, on which the customer pays: `create`. */
  readonly paymentIntents: Operations.PaymentIntents
  /** Refunds of card payments, in full or in part: `create`, `status`, `info`. */
  readonly refunds: Operations.Refunds
  /** Subscriptions: `create`, `get`, `update`, `setStatus`, `pause`, `resume`, `cancel`. */
  readonly subscriptions: Operations.Subscriptions
  /** Transactions as the receiver knows them: `get`, `follow`, `deadLetters` and `redrive`. */
  readonly transactions: Transactions.Transactions
  /** Requests of the store: `get`, `parked`, `cancel` and `redrive`. */
  readonly requests: Operations.Requests
  /**
   * Listens for callbacks until `close`, and resolves with the port. Its server limits times and
   * connections.
   */
  readonly listen: (options: ListenOptions) => Promise<number>
  /**
   * Refuses further calls, ends each `follow`, waits for running calls and for the handlers, and closes the
   * store. `await using` calls it.
   */
  readonly close: () => Promise<void>
}

/**
 * The address of a server.
 *
 * @category models
 * @since 0.1.0
 */
export interface ListenOptions {
  /** Port; 0 is a free one. */
  readonly port: number
  /** Address; default: `127.0.0.1`. */
  readonly host?: string | undefined
}

/**
 * Opens everything for one merchant. Rejects with `InvalidConfig`, `StoreUnusable` or another error that
 * says what to correct.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open = (options: Options): Promise<Pawl> => {
  const site: { readonly stack?: string } = {}
  Error.captureStackTrace(site, open)
  return openOver(Functions.client, options).catch((error: unknown) => {
    throw Promised.placed(error, site)
  })
}

type Needed = Client.Services | Ledger | Receiver | Requests

/**
 * Opens everything over another client, such as the fake. `outside` runs the functions of the merchant
 * outside virtual time; `opened` runs before the promise resolves.
 *
 * @category constructors
 * @since 0.1.0
 */
export const openOver = <E>(
  client: (options: Options) => Layer.Layer<Client.Services, E>,
  given: Options,
  {
    opened = () => Effect.void,
    outside
  }: {
    readonly outside?: Functions.Outside
    readonly opened?: (context: Context.Context<Receiver>) => Effect.Effect<void>
  } = {}
): Promise<Pawl> =>
  Effect.runPromise(Settings.read(given))
    .then(({ options, settings }) => {
      const runtime = ManagedRuntime.make(
        Functions.layer(client(options), settings, options, Arguments.create, outside)
      )
      return runtime
        .runPromise(Effect.tap(Effect.context<Needed>(), opened))
        .then((context) => facade(context, settings, runtime))
    })
    .catch((error: unknown) => {
      throw Settings.blamed(error, given)
    })

const checkRequestId = Promised.copiedIf((requestId) => Arguments.text("requestId", requestId))

const facade = (
  context: Context.Context<Needed>,
  settings: Settings.Read,
  runtime: Pick<ManagedRuntime.ManagedRuntime<never, never>, "dispose" | "scope">
): Pawl => {
  const runner = Promised.makeRunner(context)
  const { cancel, get, parked, redrive } = Context.get(context, Requests)
  // The worker is drained before the store closes.
  const close = () => runner.end().then(() => runtime.dispose())
  const { receive } = Context.get(context, Receiver)
  const doors = Doors.make(
    Context.add(context, Receiver, {
      // A closed store in memory would take a callback that nobody handles.
      receive: (incoming) =>
        settings.store._tag === "memory" && runner.closed.aborted
          ? Effect.succeed(503)
          : receive(incoming)
    }),
    settings,
    () => pawl,
    runner.closed
  )
  const { listen } = Promised.make(
    runner,
    {
      listen: ({ host = "127.0.0.1", port }: ListenOptions) =>
        Scope.provide(NodeReceiver.listen(doors.node(), { host, port }), runtime.scope)
    },
    {
      listen: (args) =>
        Effect.as(OptionTypes.check(args[0], { number: "port", text: "host" }, "port"), args)
    }
  )
  const pawl: Pawl = {
    ...operationsOf(runner, context),
    ...doors,
    listen,
    transactions: Transactions.of(runner, context),
    requests: Promised.make(
      runner,
      { cancel, get, parked, redrive },
      {
        cancel: checkRequestId,
        get: checkRequestId,
        parked: Promised.copiedIf((page) => Arguments.page(page, "limit")),
        redrive: Promised.copiedIf((requestId, options = {}) =>
          Effect.andThen(
            Arguments.text("requestId", requestId),
            OptionTypes.check(options, { boolean: "hadNoEffect", number: "parkedAt" })
          )
        )
      }
    ),
    close,
    [Symbol.asyncDispose]: close
  }
  return pawl
}
