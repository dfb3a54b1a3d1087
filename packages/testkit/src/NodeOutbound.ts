/**
 * The way out of a sandbox: where its callbacks may go, and how they get there.
 *
 * **Details**
 *
 * A callbackUrl comes with a request, so whoever can create a payment could have the sandbox post to any
 * service its machine can reach. It goes to loopback, and elsewhere only to hosts that were allowed:
 *
 * - A host is allowed by its name or address, for the ports 80, 443 and 1024 and up; with a port,
 *   `shop.example:81`, for that one.
 * - The ports below 1024 of this machine and the sandbox's own are refused, and so are credentials.
 * - A name is resolved once, what it resolves to is checked, and that is connected to. `localhost` has
 *   to be loopback; addresses that clouds hand out their own credentials on are refused always.
 * - Redirects are not followed (`Courier`).
 *
 * @since 0.1.0
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"
import { lookup as resolve } from "node:dns"
import { BlockList, isIP } from "node:net"
import { isLoopback } from "@pawl/core/Loopback"

/**
 * Makes the function that tells whether a callback may go to a URL. `allowed` are hosts, with a port or
 * without; `ownPort` is the one the sandbox itself is on.
 *
 * @category constructors
 * @since 0.1.0
 */
export const isAllowed =
  (allowed: ReadonlyArray<string>, ownPort: number) =>
  ({ hostname, password, port: given, protocol, username }: URL): boolean => {
    const port = given === "" ? (protocol === "https:" ? 443 : 80) : Number(given)
    const name = hostname.toLowerCase()
    const isHere = isLoopback(name)
    if (protocol !== "http:" && protocol !== "https:") return false
    if (username !== "" || password !== "") return false
    if ((isHere && port === ownPort) || isNever(name.replace(/^\[|\]$/gu, ""))) return false
    const hosts = allowed.map((host) => host.toLowerCase())
    if (hosts.includes(`${name}:${port}`)) return true
    if (isHere) return port >= unprivileged
    return hosts.includes(name) && (port >= unprivileged || port === 80 || port === 443)
  }

/**
 * Tells whether an address that a name resolved to may be connected to for it.
 *
 * @category guards
 * @since 0.1.0
 */
export const mayBe = (name: string, address: string): boolean =>
  !isNever(address) && (!isLoopback(name.toLowerCase()) || isLoopback(address))

/**
 * Layer that sends callbacks. Where to, somebody else has checked (`isAllowed`), but for what a name
 * resolves to. It is Node's own client, which costs a sandbox no time to start.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = NodeHttpClient.layerNodeHttpOptions({
  keepAlive: true,
  lookup: (name, options, callback) =>
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const passing = (addresses ?? []).filter(({ address }) => mayBe(name, address))
      const [first] = passing
      if (error !== null || first === undefined) {
        return callback(error ?? new Error(`${name} is nowhere a callback may go`), "", 0)
      }
      return options.all === true
        ? callback(null, passing)
        : callback(null, first.address, first.family)
    })
})

const unprivileged = 1024

/** Link-local and such, where clouds serve credentials; nowhere; and everybody. */
const never = new BlockList()
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
  never.addSubnet(net, prefix, family)
}

/** An IPv4 address within an IPv6 one is judged as what it is. */
const isNever = (address: string): boolean => {
  const family = isIP(address)
  return family !== 0 && never.check(address, family === 4 ? "ipv4" : "ipv6")
}
