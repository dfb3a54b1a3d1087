/**
 * The `Host` that a request to a sandbox may have.
 */
import { isLoopback } from "@pawl/core/internal/Loopback"

/**
 * Makes the test of a `Host` header for a sandbox that is bound to an address. Bound to loopback, it is this machine:
 * another name may have been made to resolve to 127.0.0.1.
 */
export const make = (bound: string): ((header: string | undefined) => boolean) =>
  isLoopback(bound)
    ? (header = "") => isLoopback(header.toLowerCase().replace(/:[0-9]+$/u, ""))
    : () => true
