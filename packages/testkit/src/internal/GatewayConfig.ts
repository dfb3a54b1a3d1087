/** The settings of a gateway. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type Behaviour, defaults } from "./Behaviour.ts"

/** Service that holds the settings; `Options` explains each. */
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

/** The settings of a service. Each has a default. */
export interface ServiceOptions {
  /** The time between two moves of a transaction; 200 milliseconds by default. */
  readonly pace?: Duration.Input | undefined
  /** Makes every random choice repeatable. With a seed ids begin at 100001, also after a reset. */
  readonly seed?: string | number | undefined
  /**
   * The origin of the pages for customers, such as `http://127.0.0.1:4010`; `https://pay.invalid`
   * by default.
   */
  readonly pageUrl?: string | undefined
  /**
   * An access token of one environment is refused by every other (`spec.md`, "Authentication");
   * `sandbox` by default.
   */
  readonly environment?: string | undefined
  /**
   * Accepts what the specification does not: a refund's `transactionId` as text, any country and
   * any date, a DELETE with any content type.
   */
  readonly isLenient?: boolean | undefined
  /** The time after which an unpaid intent expires; 24 hours by default. */
  readonly intentLifetime?: Duration.Input | undefined
  /**
   * The first identifier; each later one is higher by 1. Without it and a seed the first is above
   * those of all earlier gateways. Intents are above 8,000,000,000,000,000.
   */
  readonly firstId?: number | undefined
}

/** The settings of a service and of its merchant. */
export interface Options extends ServiceOptions {
  /** The key of the only merchant; `sandbox-key` by default. */
  readonly merchantKey?: string | undefined
  /** The secret of the only merchant; `sandbox-secret` by default. */
  readonly merchantSecret?: Redacted.Redacted | undefined
  /**
   * Behaviour where the specification is silent; `@pawl/sandbox/Readings` makes it of the answers
   * of a real service.
   */
  readonly behaviour?: Partial<Behaviour> | undefined
}

/** Layer that uses the given settings. */
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
