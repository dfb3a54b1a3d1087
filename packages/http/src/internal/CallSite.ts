/**
 * The place in the caller's code at which a method was called. The errors of the method show it: the frames of
 * the client and of Effect are the same for every call.
 */
import * as Effect from "effect/Effect"

/**
 * Makes the errors of a method show where it was called.
 *
 * **Details**
 *
 * The place is captured in every call, because after a request its frame is gone. Two frames cost 2 µs; all
 * frames cost three times as much. A program that sets `Error.stackTraceLimit` to 0 captures none.
 */
export const shown =
  <Args extends ReadonlyArray<unknown>, A, E>(method: (...args: Args) => Effect.Effect<A, E>) =>
  (...args: Args): Effect.Effect<A, E> => {
    const { stackTraceLimit } = Error
    if (stackTraceLimit === 0) return method(...args)
    // The frame of this function, and that of its caller. `Reflect.set`, because a hardened runtime has a constant
    // limit.
    Reflect.set(Error, "stackTraceLimit", 2)
    const site = new Error()
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit)
    return Effect.mapErrorEager(method(...args), (error) => show(error, site))
  }

const show = <E>(error: E, site: Error): E => {
  const [, frame] = (site.stack ?? "").split("\n").filter((line) => /^\s+at /u.test(line))
  if (error instanceof Error) place(error, frame)
  return error
}

/** Gives an error the frame of its call, and the errors in it none. */
const place = (error: Error, frame: string | undefined): void => {
  const header = `${error.name}: ${error.message}`
  Object.defineProperty(error, "stack", {
    value: frame === undefined ? header : `${header}\n${frame}`,
    configurable: true,
    writable: true
  })
  for (const inner of [error.cause, Reflect.get(error, "refusal")]) {
    if (inner instanceof Error) place(inner, undefined)
  }
}
