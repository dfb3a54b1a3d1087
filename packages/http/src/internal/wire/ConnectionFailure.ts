/**
 * Describes a failed connection by the code of its error: the messages of Node and undici may quote the
 * request.
 */

const beforeConnection: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name could not be resolved",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  EMFILE: "this process has no free file descriptor",
  ENFILE: "this machine has no free file descriptor",
  EADDRNOTAVAIL: "this machine has no free port"
}

const reasons: typeof beforeConnection = {
  ...beforeConnection,
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was reset",
  UND_ERR_SOCKET: "the connection was closed before the response was complete",
  UND_ERR_DESTROYED: "the client was closed",
  UND_ERR_HEADERS_OVERFLOW: "the headers of the response are too large"
}

/** Returns the `code` of an error, or of the first of its causes that has one. */
export const codeOf = (error: unknown, depth = 0): string | undefined => {
  if (typeof error !== "object" || error === null || depth > 4) return undefined
  const { cause, code, name }: { cause?: unknown; code?: unknown; name?: unknown } = error
  if (typeof code === "string") return code
  // The parser of undici gives its errors no code.
  if (name === "HTTPParserError") return "HPE_"
  return codeOf(cause, depth + 1)
}

export const describe = (code = ""): string => {
  if (code.startsWith("HPE_")) return "the response is not HTTP"
  if (/CERT|SIGNATURE|_CA$/u.test(code)) return "the certificate was not accepted"
  return reasons[code] ?? "the connection failed"
}

/** Tells whether the connection failed before it was open, so that nothing was sent. */
export const isBeforeConnection = (code = ""): boolean => Object.hasOwn(beforeConnection, code)
