/**
 * The limits of a call: those of its options, and else those of the configuration.
 */
import { ValidationFailed } from "@pawl/core/PaymentsError"
import * as Result from "effect/Result"
import type { CallOptions } from "../CallOptions.ts"
import type { PawlConfig } from "../PawlConfig.ts"
import * as Settings from "./Settings.ts"

/** The limits of a call. */
export type Limits = Pick<PawlConfig["Service"], keyof CallOptions>

/** Returns the limits of a call, or the faults of its options. */
export const make = (
  limits: Limits,
  options: CallOptions | undefined
): Result.Result<Limits, ValidationFailed> => {
  if (options === undefined) return Result.succeed(limits)
  const { attemptTimeout, maxAttempts, totalTimeout } = options
  return Result.mapError(
    Result.all({
      attemptTimeout: check("attemptTimeout", Settings.duration, attemptTimeout, limits),
      totalTimeout: check("totalTimeout", Settings.duration, totalTimeout, limits),
      maxAttempts: check("maxAttempts", Settings.count, maxAttempts, limits)
    }),
    (fault) => new ValidationFailed({ sent: false, fields: [fault] })
  )
}

const check = <Name extends keyof Limits, Input>(
  path: Name,
  read: (input: Input) => Result.Result<Limits[Name], string>,
  input: Input | undefined,
  limits: Limits
) =>
  input === undefined
    ? Result.succeed(limits[path])
    : Result.mapError(read(input), (message) => ({ path, message }))
