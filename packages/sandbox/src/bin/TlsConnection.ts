import * as Effect from "effect/Effect"
import { isIP } from "node:net"
import { connect } from "node:tls"

/**
 * Describes the TLS connection to a base URL, such as `TLSv1.3, certificate valid until Nov 30
 * 00:00:00 2026 GMT`.
 */
export const describe = (baseUrl: string): Effect.Effect<string | undefined> =>
  Effect.callback<string | undefined>((resume) => {
    const { hostname, port, protocol } = new URL(baseUrl)
    if (protocol !== "https:") return resume(Effect.undefined)
    const host = hostname.replace(/^\[|\]$/gu, "")
    const socket = connect({
      host,
      port: port === "" ? 443 : Number(port),
      ...(isIP(host) === 0 && { servername: host }),
      // This one only looks: the requests of the run need a trusted certificate.
      rejectUnauthorized: false
    })
    socket.once("secureConnect", () => {
      const { valid_to } = socket.getPeerCertificate()
      const trust = socket.authorized ? "" : ", which is not trusted"
      resume(Effect.succeed(`${socket.getProtocol()}, certificate valid until ${valid_to}${trust}`))
      socket.destroy()
    })
    socket.once("error", () => resume(Effect.undefined))
    return Effect.sync(() => socket.destroy())
  }).pipe(Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.undefined }))
