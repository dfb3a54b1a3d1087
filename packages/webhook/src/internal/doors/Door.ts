/**
 * Parts that every door uses to read a request and write its response.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Receiver, StatusCode } from "../../Receiver.ts"
import { maxBytes } from "../../Verification.ts"

/** Returns the query of a URL or path, with its `?`; an empty text if there is none. */
export const searchOf = (url: string): string => {
  const at = url.indexOf("?")
  return at < 0 ? "" : url.slice(at)
}

/** The body of a request whose body is not read, because its method is not POST. */
export const emptyBody = new Uint8Array()

/** Stands for a body that is too large or has too many chunks. The response to it is 413. */
export const tooLargeBody = new Uint8Array(maxBytes + 1)

const noHeaders: Readonly<Record<string, string>> = {}
const allowPost: Readonly<Record<string, string>> = { allow: "POST" }

/** Returns the headers of the response with a status code. */
export const responseHeaders = (status: StatusCode): Readonly<Record<string, string>> =>
  status === 405 ? allowPost : noHeaders

/** Runs an effect of a door over its receiver. The fiber fails if the receiver cannot be built. */
export type Run = <A>(effect: Effect.Effect<A, never, Receiver>) => Fiber.Fiber<A, unknown>

/**
 * Returns the status code of the response to a callback, and logs a defect of the receiver. Without a receiver nothing is
 * logged here, because the failure of its build was logged.
 */
export const statusOf = (exit: Exit.Exit<StatusCode, unknown>, run: Run): StatusCode => {
  if (Exit.isSuccess(exit)) return exit.value
  if (!Cause.hasInterruptsOnly(exit.cause)) run(Effect.logError(defect, exit.cause))
  return 503
}

const defect = "A callback was answered with 503, because the receiver ended with a defect"

/** Message of the error that is logged when other code has read the body of a request. */
export const bodyAlreadyRead =
  "Other code read the body of a callback before the receiver: put the receiver before body parsers such as express.json(), or have the parser keep the bytes in rawBody"
