import { describe, expect, it } from "vitest"
import * as ConnectionFailure from "../src/internal/wire/ConnectionFailure.ts"

describe("the code of a failed connection", () => {
  it("is that of the error or of its nearest cause, among five errors", () => {
    const within = (depth: number, inner: unknown): unknown =>
      depth === 0 ? inner : new Error("outer", { cause: within(depth - 1, inner) })
    const inner = Object.assign(new Error("inner"), { code: "EPIPE", cause: { code: "ENOTFOUND" } })
    for (const depth of [0, 1, 4]) {
      expect(ConnectionFailure.codeOf(within(depth, inner))).toBe("EPIPE")
    }
    expect(ConnectionFailure.codeOf(within(5, inner))).toBeUndefined()
  })

  it("is absent from other values", () => {
    for (const value of [undefined, null, "EPIPE", {}, { code: 7 }, { cause: null }]) {
      expect(ConnectionFailure.codeOf(value)).toBeUndefined()
    }
    expect(ConnectionFailure.codeOf({ code: 7, cause: { code: "EPIPE" } })).toBe("EPIPE")
  })

  it.each<[string | undefined, string, boolean]>([
    ["ECONNREFUSED", "the connection was refused", true],
    ["ENOTFOUND", "the host name is unknown", true],
    ["EAI_AGAIN", "the host name could not be resolved", true],
    ["UND_ERR_CONNECT_TIMEOUT", "no connection in time", true],
    ["EMFILE", "this process has no free file descriptor", true],
    ["ENFILE", "this machine has no free file descriptor", true],
    ["EADDRNOTAVAIL", "this machine has no free port", true],
    ["ECONNRESET", "the connection was reset", false],
    ["EPIPE", "the connection was reset", false],
    ["UND_ERR_DESTROYED", "the client was closed", false],
    ["UND_ERR_SOCKET", "the connection was closed before the response was complete", false],
    ["UND_ERR_HEADERS_OVERFLOW", "the headers of the response are too large", false],
    ["HPE_INVALID_CONSTANT", "the response is not HTTP", false],
    ["ERR_HPE_", "the connection failed", false],
    ["CERT_HAS_EXPIRED", "the certificate was not accepted", false],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "the certificate was not accepted", false],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "the certificate was not accepted", false],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "the certificate was not accepted", false],
    ["ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", "the certificate was not accepted", false],
    ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "the connection failed", false],
    ["E2BIG", "the connection failed", false],
    [undefined, "the connection failed", false]
  ])("%s means: %s", (code, reason, isBefore) => {
    expect(ConnectionFailure.describe(code)).toBe(reason)
    expect(ConnectionFailure.isBeforeConnection(code)).toBe(isBefore)
  })
})
