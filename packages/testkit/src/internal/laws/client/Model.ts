/**
 * The address and credentials of the service, the `fetch` that reaches it, and the clock. A signal
 * ends a `sleep`.
 */
export interface Service {
  readonly baseUrl: string
  readonly merchantKey: string
  readonly merchantSecret: string
  readonly fetch: (input: string, init?: RequestInit) => Promise<Response>
  readonly sleep: (millis: number, signal?: AbortSignal) => Promise<void>
  readonly now: () => number
}

/** The body of an APM payment (`spec.md`, "APM payments") without its checksum. */
export interface Order {
  readonly requestId: string
  readonly accountId: string
  readonly amount: string
  readonly currency: string
  readonly apmPayload: Readonly<Record<string, string>>
  readonly metadata?: Readonly<Record<string, string>>
}

/** The body of a refund (`spec.md`, "Refunds"). The client writes transactionId as an Integer. */
export interface Refund {
  readonly requestId: string
  readonly mid: string
  readonly transactionId: string
  readonly amount: string
  readonly reason: string
}

/**
 * The outcome of a create, as the client reports it.
 *
 * - `accepted`: the service has the payment and did not decline it.
 * - `declined`: the service has the payment, and it failed.
 * - `refused`: the create certainly had no effect.
 * - `unknown`: the create may have taken effect. A rejected promise means the same.
 */
export type Outcome =
  | { readonly outcome: "accepted" | "declined"; readonly transactionId: string }
  | { readonly outcome: "refused" | "unknown" }

/** The operations under test. A law about a missing operation holds. */
export interface Client {
  /** Creates an APM payment. */
  readonly create: (order: Order) => Promise<Outcome>
  /** Reads the status of an APM payment, and is rejected if it cannot. */
  readonly status: (transactionId: string) => Promise<string>
  /** Polls an APM payment and returns its terminal status. */
  readonly follow?: (transactionId: string) => Promise<string>
  /** Refunds a card payment. */
  readonly refund?: (refund: Refund) => Promise<unknown>
  /** Pauses a subscription (PUT), `cancel` ends it (DELETE). Both are rejected if they fail. */
  readonly change?: (subscriptionId: string) => Promise<unknown>
  readonly cancel?: (subscriptionId: string) => Promise<unknown>
}

/** The subject of the laws. It is called for each value of a law. */
export type Make = (service: Service) => Client
