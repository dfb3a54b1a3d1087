import { isLoopback } from "@pawl/core/internal/Loopback"

/**
 * Tests the `Host` of a request. Bound to loopback, it is this machine: another name may resolve to
 * 127.0.0.1.
 */
export const make = (bound: string): ((header: string | undefined) => boolean) =>
  isLoopback(bound)
    ? (header = "") => isLoopback(header.toLowerCase().replace(/:[0-9]+$/u, ""))
    : () => true
