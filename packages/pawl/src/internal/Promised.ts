/**
 * The promise face of Effect services: the same methods, with promises for effects.
 */
import type { Input } from "@pawl/core/InputSchemas"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

/** The option of every call: an abort of `signal` ends the wait for it. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined
}

/** The options of a call are the argument with `totalTimeout`. The requestId of a create is in its input. */
type Argument<A> = A extends object
  ? "totalTimeout" extends keyof A
    ? Omit<A, "inDoubt" | "requestId"> & Abortable
    : Input<A>
  : A

type Method<F> = F extends (...args: infer Args) => Effect.Effect<infer A, infer _E>
  ? (...args: { [I in keyof Args]: Argument<Args[I]> }) => Promise<A>
  : never

/** A service whose methods return promises. */
export type Promised<Service> = { readonly [Name in keyof Service]: Method<Service[Name]> }

type Site = (...args: ReadonlyArray<never>) => unknown

/** Runs effects as promises. `method` is the function whose caller the errors show. */
export interface Runner {
  readonly run: <A, E>(
    effect: Effect.Effect<A, E>,
    method: Site,
    signal?: AbortSignal
  ) => Promise<A>
  /** Refuses further calls, and resolves when those that run have ended. */
  readonly end: () => Promise<void>
}

/** Makes a runner in a context. A call is one promise. */
export const makeRunner = (context: Context.Context<never>): Runner => {
  const fork = Effect.runForkWith(context)
  const running = new Set<Fiber.Fiber<unknown, unknown>>()
  let isOpen = true
  return {
    run: <A, E>(effect: Effect.Effect<A, E>, method: Site, signal?: AbortSignal) => {
      const site: { readonly stack?: string } = {}
      Error.captureStackTrace(site, method)
      if (!isOpen) return Promise.reject(new Error("This pawl is closed"))
      const { promise, reject, resolve } = Promise.withResolvers<A>()
      const fiber = fork(effect, signal && { signal })
      running.add(fiber)
      fiber.addObserver((exit) => {
        running.delete(fiber)
        if (Exit.isSuccess(exit)) return resolve(exit.value)
        const isAborted = signal?.aborted === true && Cause.hasInterruptsOnly(exit.cause)
        reject(isAborted ? signal.reason : placed(Cause.squash(exit.cause), site))
      })
      return promise
    },
    end: () => {
      isOpen = false
      return Effect.runPromise(Effect.asVoid(Fiber.awaitAll(running)))
    }
  }
}

/** Node prints an error without this method as an error. */
const inspect = Symbol.for("nodejs.util.inspect.custom")

/** Makes a typed error one of Node: with the stack of the call, and its tag as code. A defect shows its own place. */
export const placed = (error: unknown, { stack = "" }: { readonly stack?: string }): unknown => {
  if (error instanceof Error && "_tag" in error) {
    const frames = stack.split("\n").filter((line) => /^\s+at /u.test(line))
    const text = [`${String(error._tag)}: ${error.message}`, ...frames].join("\n")
    const members = { stack: text, code: error._tag, [inspect]: undefined }
    for (const name of Reflect.ownKeys(members)) {
      const value: unknown = Reflect.get(members, name)
      Object.defineProperty(error, name, { value, configurable: true, writable: true })
    }
  }
  return error
}

/** Makes the promise face of a service. `replaced` has the methods that another effect stands for. */
export const make = <Service extends object>(
  { run }: Runner,
  service: Service,
  replaced: Readonly<Record<string, (...args: ReadonlyArray<never>) => unknown>> = {}
): Promised<Service> => {
  const faces = Object.entries({ ...service, ...replaced }).map(([name, effectOf]) => {
    const method = (...args: ReadonlyArray<unknown>) => {
      const { signal } = (args.at(-1) ?? {}) as Abortable
      return run(
        (effectOf as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>)(...args),
        method,
        signal
      )
    }
    return [name, method] as const
  })
  return Object.fromEntries(faces) as Promised<Service>
}
