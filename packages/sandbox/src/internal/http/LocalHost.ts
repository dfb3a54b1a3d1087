import { isLoopback } from "@pawl/core/internal/Loopback"

/**
 * Makes the test of a `Host` header. A sandbox that is bound to loopback accepts only this machine,
 * because another name may resolve to 127.0.0.1.
 */
export const make = (bound: string): ((header: string | undefined) => boolean) =>
  isLoopback(bound)
    ? (header = "") => isLoopback(header.toLowerCase().replace(/:[0-9]+$/u, ""))
    : () => true
