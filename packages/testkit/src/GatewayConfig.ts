/**
 * What a gateway is set up with: the merchant's credentials, the pace of its transactions, the seed.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/**
 * Service that holds the settings of a gateway and its courier.
 *
 * **Details**
 *
 * - `merchantKey`, `merchantSecret`: the one merchant the gateway knows.
 * - `pace`: the time between two moves of a transaction.
 * - `seed`: makes everything that is left to chance repeatable; without one it is not.
 * - `pageUrl`: the origin of the pages for customers, such as `http://127.0.0.1:4010`.
 * - `environment`: tokens of one environment are refused by every other (`spec.md`, "Authentication").
 * - `firstId`: the first identifier it gives; the next ones count on.
 *
 * @category services
 * @since 0.1.0
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
    readonly firstId: number
  }
>()("@pawl/testkit/GatewayConfig") {}

/**
 * What may be said about a gateway; everything has a default.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly merchantKey?: string | undefined
  readonly merchantSecret?: Redacted.Redacted | undefined
  readonly pace?: Duration.Input | undefined
  readonly seed?: string | number | undefined
  readonly pageUrl?: string | undefined
  readonly environment?: string | undefined
  readonly firstId?: number | undefined
}

/**
 * Layer that takes the given settings, and else: key `sandbox-key`, secret `sandbox-secret`, a pace
 * of 200 milliseconds, no seed, pages at `https://pay.invalid`, environment `sandbox`, ids from 100001.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<GatewayConfig> =>
  Layer.succeed(GatewayConfig, {
    merchantKey: options.merchantKey ?? "sandbox-key",
    merchantSecret: options.merchantSecret ?? Redacted.make("sandbox-secret"),
    pace: Duration.fromInputUnsafe(options.pace ?? "200 millis"),
    seed: options.seed,
    pageUrl: options.pageUrl ?? "https://pay.invalid",
    environment: options.environment ?? "sandbox",
    firstId: options.firstId ?? 100_001
  })
