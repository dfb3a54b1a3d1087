/**
 * Layers that provide every service of the client in any runtime.
 *
 * **Gotchas**
 *
 * In Cloudflare Workers use `layerPerRequest`: there one request cannot wait for the input or
 * output of another.
 *
 * **Example** (A client over fetch)
 *
 * ```ts
 * import * as Hmac from "@pawl/core/Hmac"
 * import * as PawlConfig from "@pawl/http/PawlConfig"
 * import * as PawlPortable from "@pawl/http/PawlPortable"
 * import * as Transport from "@pawl/http/Transport"
 * import * as Layer from "effect/Layer"
 * import * as Redacted from "effect/Redacted"
 *
 * export const client = PawlPortable.layerPerRequest.pipe(
 *   Layer.provide(Transport.layerFetch()),
 *   Layer.provide(Hmac.layer),
 *   Layer.provide(
 *     PawlConfig.layer({
 *       baseUrl: "https://payments.example/api",
 *       merchantKey: "key",
 *       merchantSecret: Redacted.make("secret")
 *     })
 *   )
 * )
 * ```
 *
 * @since 0.1.0
 */
import { Hmac } from "@pawl/core/Hmac"
import { isolatedBy } from "@pawl/core/internal/Isolated"
import { Profile } from "@pawl/core/Profile"
import type * as Sender from "@pawl/core/RequestSender"
import type * as Reader from "@pawl/core/StatusReader"
import * as Layer from "effect/Layer"
import type { ApmPayments } from "./ApmPayments.ts"
import type { ApmPayouts } from "./ApmPayouts.ts"
import type { CardPayments } from "./CardPayments.ts"
import type { CardPayouts } from "./CardPayouts.ts"
import * as Caller from "./internal/call/Caller.ts"
import * as Methods from "./internal/call/Methods.ts"
import * as RequestSender from "./internal/call/RequestSender.ts"
import * as StatusReader from "./internal/call/StatusReader.ts"
import * as AccessToken from "./internal/token/AccessToken.ts"
import * as PawlConfig from "./PawlConfig.ts"
import type { PaymentIntents } from "./PaymentIntents.ts"
import type { Refunds } from "./Refunds.ts"
import type { Subscriptions } from "./Subscriptions.ts"
import { Transport } from "./Transport.ts"

/**
 * All services of the client.
 *
 * @category models
 * @since 0.1.0
 */
export type Services =
  | ApmPayments
  | ApmPayouts
  | CardPayments
  | CardPayouts
  | PaymentIntents
  | Refunds
  | Reader.StatusReader
  | Sender.RequestSender
  | Subscriptions

const layerServices = Layer.mergeAll(Methods.layer, RequestSender.layer, StatusReader.layer).pipe(
  Layer.provide(Caller.layer)
)

/** The services whose change makes another client. */
const settings = [PawlConfig.PawlConfig, Transport, Hmac, Profile]

/**
 * Layer that provides every service over any transport and HMAC. Each configuration, transport, HMAC or
 * profile makes a client of its own.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Services, never, PawlConfig.PawlConfig | Transport | Hmac> =
  isolatedBy(settings, Layer.provide(layerServices, AccessToken.layer))

/**
 * Layer like `layer` whose calls share an access token, but no request for one.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerPerRequest: Layer.Layer<
  Services,
  never,
  PawlConfig.PawlConfig | Transport | Hmac
> = isolatedBy(settings, Layer.provide(layerServices, AccessToken.layerPerRequest))
