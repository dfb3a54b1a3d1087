/**
 * The outbound HTTP client of a sandbox, and the hosts that callbacks may be sent to
 * (`docs/decisions/0030-trial-hosts.md`): a caller chooses the callbackUrl. `localhost` must be
 * loopback.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"
import { lookup as resolve } from "node:dns"
import { BlockList, isIP } from "node:net"
import { isLoopback } from "@pawl/core/internal/Loopback"

/**
 * Tells whether callbacks may be sent to a URL. `allowed` lists hosts, with or without a port;
 * `ownPort` is the sandbox's port.
 */
export const isAllowed =
  (allowed: ReadonlyArray<string>, ownPort: number) =>
  ({ hostname, password, port: portText, protocol, username }: URL): boolean => {
    const port = portText === "" ? (protocol === "https:" ? 443 : 80) : Number(portText)
    const name = hostname.toLowerCase()
    const isHere = isLoopback(name)
    if (protocol !== "http:" && protocol !== "https:") return false
    if (username !== "" || password !== "") return false
    if ((isHere && port === ownPort) || isBlocked(name.replace(/^\[|\]$/gu, ""))) return false
    const hosts = allowed.map((host) => host.toLowerCase())
    if (hosts.includes(`${name}:${port}`)) return true
    if (isHere) return port >= unprivileged
    return hosts.includes(name) && (port >= unprivileged || port === 80 || port === 443)
  }

export const isAllowedAddress = (name: string, address: string): boolean =>
  !isBlocked(address) && (!isLoopback(name.toLowerCase()) || isLoopback(address))

/**
 * Layer that checks resolved addresses; `isAllowed` checks the URL first. Node's own client adds no
 * start-up time.
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = NodeHttpClient.layerNodeHttpOptions({
  keepAlive: true,
  lookup: (name, options, callback) =>
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const usable = (addresses ?? []).filter(({ address }) => isAllowedAddress(name, address))
      const [first] = usable
      if (error !== null || first === undefined) {
        return callback(
          error ?? new Error(`${name} has no address that a callback may be sent to`),
          "",
          0
        )
      }
      return options.all === true
        ? callback(null, usable)
        : callback(null, first.address, first.family)
    })
})

const unprivileged = 1024

/** Link-local and cloud metadata, unspecified, and multicast addresses. */
const blocked = new BlockList()
for (const [net, prefix, family] of [
  ["0.0.0.0", 8, "ipv4"],
  ["100.100.100.200", 32, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["192.0.0.192", 32, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  ["::", 128, "ipv6"],
  ["fd00:ec2::254", 128, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"]
] as const) {
  blocked.addSubnet(net, prefix, family)
}

/** An IPv4 address within an IPv6 one is checked as IPv4. */
const isBlocked = (address: string): boolean => {
  const family = isIP(address)
  return family !== 0 && blocked.check(address, family === 4 ? "ipv4" : "ipv6")
}
