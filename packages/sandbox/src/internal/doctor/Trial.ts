/**
 * The services that may be probed: this machine, a trial environment by its host, and production
 * that two flags allow.
 */
import { isLoopback } from "@pawl/core/internal/Loopback"

export const isLocal = (baseUrl: string): boolean => isLoopback(new URL(baseUrl).hostname)

/**
 * Returns why a service is not probed, with the remedy; undefined if it may be. `allowed` is the
 * name of the production host, if it is allowed.
 */
export const refusal = (baseUrl: string, allowed: string | undefined): string | undefined => {
  const { hostname, protocol } = new URL(baseUrl)
  if (isLocal(baseUrl)) return undefined
  if (protocol !== "https:") return `${baseUrl} would send the secret unencrypted; use https`
  return trial.test(hostname) || allowed === hostname
    ? undefined
    : `${hostname} may be production, where the run moves money; if you mean it, repeat the command with --production --production-host ${hostname}`
}

/** The last part of a host is a top-level domain, such as `dev` and `qa`; `test` is reserved. */
const trial =
  /(?:^|[.-])(?:sandbox|test|testing|staging|stage|uat|dev|demo|qa|preprod)\d*(?:[.-][^.]|(?<=^[^.]*)$)|\.test$/u
