/**
 * Tells whether a host name, as a parsed URL spells it, is a loopback address or `localhost`. Another name
 * may resolve to 127.0.0.1 now and elsewhere later.
 */
export const isLoopback = (hostname: string): boolean => loopback.test(hostname)

const loopback = /^(?:localhost|::1|\[::1\]|127(?:\.[0-9]{1,3}){3})$/u
