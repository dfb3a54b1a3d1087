/**
 * The account with which a client works: the merchant, and the service.
 *
 * @since 0.1.0
 */

/**
 * A merchant at a service. A store keeps the one that opened it first, and is refused to any other
 * (`docs/decisions/0049-owner-of-a-store.md`).
 *
 * @category models
 * @since 0.1.0
 */
export interface Account {
  readonly merchantKey: string
  readonly baseUrl: string
}
