/**
 * Why a connection failed, in words of our own: the platform's texts may quote what was sent.
 *
 * @since 0.1.0
 */

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name could not be resolved",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was reset",
  UND_ERR_SOCKET: "the connection was closed before the answer was complete",
  UND_ERR_HEADERS_OVERFLOW: "the headers of the answer are too large"
}

const unmade: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT"
])

/** Returns the system's code of an error, or of the first of its causes that has one. */
export const codeOf = (error: unknown, depth = 0): string | undefined => {
  if (typeof error !== "object" || error === null || depth > 4) return undefined
  if ("code" in error && typeof error.code === "string") return error.code
  return "cause" in error ? codeOf(error.cause, depth + 1) : undefined
}

/** Describes a failed connection by the code of its error. */
export const describe = (code: string | undefined): string => {
  if (code === undefined) return "the connection failed"
  if (code.startsWith("HPE_")) return "the answer is not HTTP"
  if (/CERT|SIGNATURE|SELF_SIGNED|TLS/u.test(code)) return "the certificate was not accepted"
  return reasons[code] ?? "the connection failed"
}

/** Tells by the code whether no connection was made, so that nothing can have been sent. */
export const isUnmade = (code: string | undefined): boolean =>
  code !== undefined && unmade.has(code)
