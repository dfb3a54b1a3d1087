/**
 * Which hosts are this machine.
 *
 * @since 0.1.0
 */

/**
 * Tells whether a host name, as a parsed URL spells it, is this machine and no other.
 *
 * **Gotchas**
 *
 * Only literal addresses and `localhost` are; a name that happens to resolve to 127.0.0.1 now may
 * resolve elsewhere in a moment.
 *
 * @category guards
 * @since 0.1.0
 */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" ||
  hostname === "::1" ||
  hostname === "[::1]" ||
  /^127(?:\.[0-9]{1,3}){3}$/u.test(hostname)
