/**
 * The limits of a call: those of its options, and else those of the configuration.
 */
import { ValidationFailed } from "@pawl/core/PaymentsError"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import type { CallOptions, CreateOptions } from "../../CallOptions.ts"
import type { PawlConfig } from "../../PawlConfig.ts"
import * as Settings from "./Settings.ts"

/** The limits of a call. Its times are in milliseconds. After `sendWithin` the call sends no request any more. */
export interface Limits {
  readonly attemptTimeout: number
  readonly totalTimeout: number
  readonly maxAttempts: number
  readonly sendWithin: number
}

/** Returns the limits of a configuration. */
export const of = ({
  attemptTimeout,
  maxAttempts,
  totalTimeout
}: Pick<PawlConfig["Service"], keyof CallOptions>): Limits => ({
  attemptTimeout: Duration.toMillis(attemptTimeout),
  totalTimeout: Duration.toMillis(totalTimeout),
  maxAttempts,
  sendWithin: Infinity
})

/** Returns the limits of a call, or the faults of its options. */
export const make = (
  limits: Limits,
  options: CreateOptions | undefined
): Result.Result<Limits, ValidationFailed> => {
  if (options === undefined) return Result.succeed(limits)
  const { attemptTimeout, maxAttempts, sendWithin, totalTimeout } = options
  return Result.mapError(
    Result.all({
      attemptTimeout: check("attemptTimeout", millis, attemptTimeout, limits),
      totalTimeout: check("totalTimeout", millis, totalTimeout, limits),
      maxAttempts: check("maxAttempts", Settings.count, maxAttempts, limits),
      sendWithin: check("sendWithin", millis, sendWithin, limits)
    }),
    (fault) => new ValidationFailed({ sent: false, fields: [fault] })
  )
}

const millis = (input: Duration.Input) => Result.map(Settings.duration(input), Duration.toMillis)

const check = <Name extends keyof Limits, Input>(
  path: Name,
  read: (input: Input) => Result.Result<Limits[Name], string>,
  input: Input | undefined,
  limits: Limits
) =>
  input === undefined
    ? Result.succeed(limits[path])
    : Result.mapError(read(input), (message) => ({ path, message }))
