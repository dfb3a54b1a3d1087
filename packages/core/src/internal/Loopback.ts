/**
 * Accepts loopback addresses and `localhost` as a parsed URL spells them: another name may resolve
 * to 127.0.0.1 now and elsewhere later.
 */
export const isLoopback = (hostname: string): boolean => loopback.test(hostname)

const loopback = /^(?:localhost|::1|\[::1\]|127(?:\.[0-9]{1,3}){3})$/u
