/**
 * What a client is to the laws: a few operations, over a `fetch` and a `sleep` it is given.
 *
 * @since 0.1.0
 */

/**
 * Where the service is, how it is reached, and how time passes. `sleep` is cut short by its signal.
 *
 * @category models
 * @since 0.1.0
 */
export interface Service {
  readonly baseUrl: string
  readonly merchantKey: string
  readonly merchantSecret: string
  readonly fetch: (input: string, init?: RequestInit) => Promise<Response>
  readonly sleep: (millis: number, signal?: AbortSignal) => Promise<void>
  readonly now: () => number
}

/**
 * The body of an APM payment (`spec.md`, "APM payments"), but for its checksum.
 *
 * @category models
 * @since 0.1.0
 */
export interface Order {
  readonly requestId: string
  readonly accountId: string
  readonly amount: string
  readonly currency: string
  readonly apmPayload: Readonly<Record<string, string>>
  readonly metadata?: Readonly<Record<string, string>>
}

/**
 * The body of a refund (`spec.md`, "Refunds"); the client writes transactionId as the Integer it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface Refund {
  readonly requestId: string
  readonly mid: string
  readonly transactionId: string
  readonly amount: string
  readonly reason: string
}

/**
 * What became of a create, as the client's user learns it.
 *
 * - `accepted`: the service has it, and has not declined it.
 * - `declined`: the service has it, and it failed.
 * - `refused`: nothing happened, for certain.
 * - `unknown`: it may have taken effect; so is what is rejected.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome =
  | { readonly outcome: "accepted" | "declined"; readonly transactionId: string }
  | { readonly outcome: "refused" | "unknown" }

/**
 * The operations that are tried; a law about one that is left out holds.
 *
 * - `create`: an APM payment.
 * - `status`: of an APM payment; rejected when there is none to be had.
 * - `follow`: asks for the status of an APM payment from time to time, and returns its end.
 * - `refund`: of a card payment.
 * - `change`: pauses a subscription (PUT). `cancel`: ends it (DELETE). Both are rejected when they failed.
 *
 * @category models
 * @since 0.1.0
 */
export interface Client {
  readonly create: (order: Order) => Promise<Outcome>
  readonly status: (transactionId: string) => Promise<string>
  readonly follow?: (transactionId: string) => Promise<string>
  readonly refund?: (refund: Refund) => Promise<unknown>
  readonly change?: (subscriptionId: string) => Promise<unknown>
  readonly cancel?: (subscriptionId: string) => Promise<unknown>
}

/**
 * What is put to the test: a function that makes a client of a service. It is called for each value a law is
 * tried on.
 *
 * @category models
 * @since 0.1.0
 */
export type Make = (service: Service) => Client
