/**
 * Checks settings. A check returns the value to use, or advice on how to correct the setting, which never
 * has the value.
 */
import { isLoopback } from "@pawl/core/internal/Loopback"
import { ValidationFailed } from "@pawl/core/PaymentsError"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { CallOptions, CreateOptions } from "../../CallOptions.ts"
import type { PawlConfig } from "../../PawlConfig.ts"

export const count = (value: number): Result.Result<number, string> =>
  Number.isInteger(value) && value >= 1
    ? Result.succeed(value)
    : Result.fail("give a whole number, 1 or more")

export const ratio = (value: number): Result.Result<number, string> =>
  typeof value === "number" && value >= 0
    ? Result.succeed(value)
    : Result.fail("give a number that is not negative")

const reservedHeader =
  /^(accept(-encoding)?|authorization|connection|content-(encoding|length|type)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/u

export const headers = (
  values: Readonly<Record<string, string>>
): Result.Result<Readonly<Record<string, string>>, string> => {
  const entries = Object.entries(values).map(
    ([name, value]) => [name.toLowerCase(), value] as const
  )
  // The entries of a `Headers` or a `Map` are no properties.
  const isRecord = !(Symbol.iterator in Object(values))
  return isRecord &&
    entries.every(
      ([name, value]) =>
        typeof value === "string" &&
        /^[!#$%&'*+.^_`|~0-9a-z-]+$/u.test(name) &&
        !reservedHeader.test(name) &&
        /^[\t\x20-\x7e]*$/u.test(value)
    )
    ? Result.succeed(Object.fromEntries(entries))
    : Result.fail("give names and ASCII values of headers that the client does not set")
}

export const duration = (input: Duration.Input): Result.Result<Duration.Duration, string> =>
  Result.fromOption(
    Option.filter(Duration.fromInput(input), isUsable),
    () => "give a number above 0 and its unit, such as 10 seconds"
  )

const isUsable = (value: Duration.Duration): boolean =>
  Duration.isFinite(value) && Duration.isPositive(value)

export const baseUrl = (text: string): Result.Result<string, string> => {
  const url = URL.parse(text)
  if (url === null) return Result.fail("give an absolute URL such as https://payments.example/api")
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname)))
    return Result.fail("use https; http is for loopback hosts only")
  if (url.username !== "" || url.password !== "")
    return Result.fail(
      "take the credentials out of the URL, and give them as merchantKey and merchantSecret"
    )
  if (url.search !== "" || url.hash !== "")
    return Result.fail("take the query and the fragment out of the URL")
  const path = url.pathname.replace(/\/$/u, "")
  return path.endsWith("/api")
    ? Result.succeed(url.origin + path)
    : Result.fail("give the address up to and including its last segment, /api")
}

export const credential = (value: string): Result.Result<string, string> =>
  // A variable of the environment that is not set is undefined, whatever its type says.
  typeof value === "string" && value !== "" && value.trim() === value
    ? Result.succeed(value)
    : Result.fail("it must not be empty or have spaces or line breaks around it")

/** Plain text is refused, because the next log of the options would print it. */
export const secret = (value: Redacted.Redacted): Result.Result<string, string> =>
  Redacted.isRedacted(value)
    ? credential(Redacted.value(value))
    : Result.fail("give it as Redacted.make(secret), not as plain text")

/** Limits of calls, with times in milliseconds. */
export interface Limits extends Pick<CallOptions, "retrySchedule"> {
  readonly attemptTimeout: number
  readonly totalTimeout: number
  readonly maxAttempts: number
  readonly sendWithin: number
}

export const limitsOf = ({
  attemptTimeout,
  maxAttempts,
  retrySchedule,
  totalTimeout
}: Pick<PawlConfig["Service"], keyof CallOptions>): Limits => ({
  attemptTimeout: Duration.toMillis(attemptTimeout),
  totalTimeout: Duration.toMillis(totalTimeout),
  maxAttempts,
  sendWithin: Infinity,
  retrySchedule
})

export const limits = (
  usual: Limits,
  options: CreateOptions | undefined
): Result.Result<Limits, ValidationFailed> => {
  if (options === undefined) return Result.succeed(usual)
  const { attemptTimeout, maxAttempts, retrySchedule, sendWithin, totalTimeout } = options
  return Result.mapBoth(
    Result.all({
      attemptTimeout: limit("attemptTimeout", millis, attemptTimeout, usual),
      totalTimeout: limit("totalTimeout", millis, totalTimeout, usual),
      maxAttempts: limit("maxAttempts", count, maxAttempts, usual),
      sendWithin: limit("sendWithin", millis, sendWithin, usual)
    }),
    {
      onSuccess: (own) => ({ ...own, retrySchedule: retrySchedule ?? usual.retrySchedule }),
      onFailure: (fault) => new ValidationFailed({ sent: false, fields: [fault] })
    }
  )
}

const millis = (input: Duration.Input) => Result.map(duration(input), Duration.toMillis)

const limit = <Name extends Exclude<keyof Limits, "retrySchedule">, Input>(
  path: Name,
  read: (input: Input) => Result.Result<Limits[Name], string>,
  input: Input | undefined,
  usual: Limits
) =>
  input === undefined
    ? Result.succeed(usual[path])
    : Result.mapError(read(input), (message) => ({ path, message }))
