/**
 * The settings of a gateway: the credentials of the merchant, the pace of transactions, the seed.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type Behaviour, defaults } from "./Behaviour.ts"

/**
 * Service that holds the settings of a gateway and its courier.
 *
 * **Details**
 *
 * - `merchantKey`, `merchantSecret`: the credentials of the only merchant.
 * - `pace`: the time between two moves of a transaction.
 * - `seed`: makes every random choice repeatable.
 * - `pageUrl`: the origin of the pages for customers, such as `http://127.0.0.1:4010`.
 * - `environment`: an access token of one environment is refused by every other (`spec.md`, "Authentication").
 * - `isLenient`: accepts what the specification does not: a refund's `transactionId` as text, any country and
 *   any date, a DELETE with any content type.
 * - `behaviour`: what the gateway does otherwise than by default, where the specification is silent; `@pawl/sandbox/Readings` makes it of the
 *   answers of a real service.
 * - `intentLifetime`: the time after which an unpaid intent expires.
 * - `firstId`: the first identifier; each later one is higher by 1. Without it and without a seed the first one
 *   is above every identifier of earlier gateways, because a merchant's ledger outlives a gateway. The identifiers
 *   of intents have their own range, above 8,000,000,000,000,000.
 */
export class GatewayConfig extends Context.Service<
  GatewayConfig,
  {
    readonly merchantKey: string
    readonly merchantSecret: Redacted.Redacted
    readonly pace: Duration.Duration
    readonly seed: string | number | undefined
    readonly pageUrl: string
    readonly environment: string
    readonly isLenient: boolean
    readonly behaviour: Behaviour
    readonly intentLifetime: Duration.Duration
    readonly firstId: number | undefined
  }
>()("@pawl/testkit/internal/GatewayConfig") {}

/**
 * The settings of a gateway; each has a default.
 */
export interface Options {
  readonly merchantKey?: string | undefined
  readonly merchantSecret?: Redacted.Redacted | undefined
  readonly pace?: Duration.Input | undefined
  readonly seed?: string | number | undefined
  readonly pageUrl?: string | undefined
  readonly environment?: string | undefined
  readonly isLenient?: boolean | undefined
  readonly behaviour?: Partial<Behaviour> | undefined
  readonly intentLifetime?: Duration.Input | undefined
  readonly firstId?: number | undefined
}

/**
 * Layer that uses the given settings. The defaults are key `sandbox-key`, secret `sandbox-secret`, a pace of
 * 200 milliseconds, no seed, pages at `https://pay.invalid`, environment `sandbox`, 24 hours for an intent. With a
 * seed ids begin at 100001, also after a reset.
 */
export const layer = (options: Options = {}): Layer.Layer<GatewayConfig> =>
  Layer.succeed(GatewayConfig, {
    merchantKey: options.merchantKey ?? "sandbox-key",
    merchantSecret: options.merchantSecret ?? Redacted.make("sandbox-secret"),
    pace: Duration.fromInputUnsafe(options.pace ?? "200 millis"),
    seed: options.seed,
    pageUrl: options.pageUrl ?? "https://pay.invalid",
    environment: options.environment ?? "sandbox",
    isLenient: options.isLenient ?? false,
    behaviour: { ...defaults, ...options.behaviour },
    intentLifetime: Duration.fromInputUnsafe(options.intentLifetime ?? "24 hours"),
    firstId: options.firstId
  })
