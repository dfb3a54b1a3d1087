/**
 * The test of whether a host name is the local machine.
 */

/**
 * Tells whether a host name, as a parsed URL spells it, is a loopback address or `localhost`.
 *
 * **Gotchas**
 *
 * Only literal addresses and `localhost` count. Another name may resolve to 127.0.0.1 now and to another
 * address later.
 */
export const isLoopback = (hostname: string): boolean => loopback.test(hostname)

const loopback = /^(?:localhost|::1|\[::1\]|127(?:\.[0-9]{1,3}){3})$/u
