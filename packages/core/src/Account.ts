/**
 * The account of a client: a merchant at a service.
 *
 * @since 0.1.0
 */

/**
 * A merchant at a service. A store belongs to the account that opened it first, and refuses any other
 * (`docs/decisions/0049-owner-of-a-store.md`).
 *
 * @category models
 * @since 0.1.0
 */
export interface Account {
  /** Key that identifies the merchant. */
  readonly merchantKey: string
  /** Base URL of the service's environment; it ends in `/api`. */
  readonly baseUrl: string
}
