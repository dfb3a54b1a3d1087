/**
 * Settings of the admin port.
 */
import { isLoopback } from "@pawl/core/internal/Loopback"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { AdminPort } from "./Ports.ts"

/** Reads the settings of the admin port: undefined when it is off. Each problem is a sentence. */
export const make = (options: {
  readonly port?: number
  readonly adminPort: Option.Option<number>
  readonly adminHost: Option.Option<string>
  readonly adminToken: Redacted.Redacted
  readonly adminHosts: string
}): {
  readonly settings: AdminPort | undefined
  readonly sentences: ReadonlyArray<string>
} => {
  const port = Option.getOrUndefined(options.adminPort)
  const host = Option.getOrElse(options.adminHost, () => "127.0.0.1")
  const text = Redacted.value(options.adminToken)
  const hosts = options.adminHosts.split(",").flatMap((each) => each.trim() || [])
  return {
    settings:
      port === undefined
        ? undefined
        : { host, port, token: text === "" ? undefined : options.adminToken, hosts },
    sentences: [
      // 0 takes a free port for each.
      ...(port !== undefined && port !== 0 && port === options.port
        ? ["--admin-port must differ from --port."]
        : []),
      ...(port === undefined && Option.isSome(options.adminHost)
        ? ["--admin-host needs --admin-port: without it there is no admin API."]
        : []),
      ...(text === "" && !isLoopback(host)
        ? ["--admin-host needs PAWL_ADMIN_TOKEN: other machines must send it as a bearer token."]
        : []),
      ...(text === "" && hosts.length > 0
        ? [
            "PAWL_ADMIN_HOSTS needs PAWL_ADMIN_TOKEN: other machines must send it as a bearer token."
          ]
        : []),
      ...(/^[\x21-\x7e]*$/u.test(text)
        ? []
        : ["PAWL_ADMIN_TOKEN cannot be used: give ASCII text without white space."]),
      ...(hosts.every((each) => hostAndPort.test(each))
        ? []
        : [
            "PAWL_ADMIN_HOSTS cannot be used: give host names separated by commas, such as pawl.internal,10.0.0.7:9464."
          ])
    ]
  }
}

const hostAndPort = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/iu
