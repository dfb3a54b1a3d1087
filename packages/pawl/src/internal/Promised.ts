/** The promise face of Effect services: the same methods, with promises for effects. */
import type { Input } from "@pawl/core/internal/InputSchemas"
import type { SendLimits } from "@pawl/core/RequestSender"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Record from "effect/Record"
import * as Arguments from "./Arguments.ts"

export interface Abortable {
  /**
   * Ends the call when it is aborted; none. A create that is stored by then is completed all the same; one
   * with card data only by `rebuild`, or by the same call again.
   */
  readonly signal?: AbortSignal | undefined
}

type Listed<A> = keyof { [Name in keyof A as string extends Name ? never : Name]: A[Name] }

interface Open {
  /** Fields that the specification does not name. They are sent beside the others. */
  readonly unknownFields?: Readonly<Record<string, unknown>>
}

interface Created extends Open {
  /** Idempotency key: the id of the order. */
  readonly requestId: string
}

/** An input whose objects are open too. */
type Opened<A> = {
  readonly [Name in keyof A]: Name extends "billingDetails" | "card" | "device" | "order" | "plan"
    ? A[Name] & Open
    : A[Name]
}

/**
 * The options of a call are the argument with `totalTimeout`. The requestId of a create is required,
 * because a call without one would be a new payment each time.
 */
type Argument<A> = A extends object
  ? "totalTimeout" extends Listed<A>
    ? SendLimits & Abortable
    : "callbackUrl" extends Listed<A>
      ? Opened<Input<A>> & Created
      : "plan" extends Listed<A>
        ? Opened<A> & Open
        : A
  : A

type Method<F> = F extends (...args: infer Args) => Effect.Effect<infer A, infer _E>
  ? (...args: { [I in keyof Args]: Argument<Args[I]> }) => Promise<A>
  : never

export type Promised<Service> = { readonly [Name in keyof Service]: Method<Service[Name]> }

type Site = (...args: ReadonlyArray<never>) => unknown

export type Runner = ReturnType<typeof makeRunner>

export const makeRunner = (context: Context.Context<never>) => {
  const fork = Effect.runForkWith(context)
  const running = new Set<Fiber.Fiber<unknown, unknown>>()
  const closing = new AbortController()
  const closed = closing.signal
  return {
    closed,
    /** Runs an effect as a promise. `method` is the function whose caller the errors show. */
    run: <A, E>(
      make: () => Effect.Effect<A, E>,
      method: Site,
      signal?: AbortSignal
    ): Promise<A> => {
      if (closed.aborted) return Promise.reject(closed.reason)
      const site = siteOf(method)
      const { promise, reject, resolve } = Promise.withResolvers<A>()
      // An effect runs up to its first wait before it is interrupted.
      const effect = signal?.aborted ? Effect.interrupt : Effect.suspend(make)
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
    /** Refuses further calls, and waits for those that run. */
    end: (): Promise<void> => {
      closing.abort(new Error("This pawl is closed"))
      return Effect.runPromise(Effect.asVoid(Fiber.awaitAll(running)))
    }
  }
}

/**
 * Captures the caller of a method in one frame, which costs half of what ten cost: 5 % of a read in
 * `bench door`.
 */
const siteOf = (method: Site): { readonly stack?: string } => {
  const site = {}
  const { stackTraceLimit } = Error
  const limitTo = (limit: number) => Reflect.set(Error, "stackTraceLimit", limit)
  limitTo(Math.min(1, stackTraceLimit))
  Error.captureStackTrace(site, method)
  limitTo(stackTraceLimit)
  return site
}

/** Name of a method that is hidden, because Node prints an error without it as an error. */
const inspect = Symbol.for("nodejs.util.inspect.custom")

/** Gives a typed error the stack of the call, and its tag as name and code. A defect shows its own place. */
export const placed = (error: unknown, { stack = "" }: { readonly stack?: string }): unknown => {
  if (error instanceof Error && "_tag" in error) {
    const first = `${error._tag as string}: ${error.message}`
    const hidden = (value: unknown) => ({ value, configurable: true, writable: true })
    Object.defineProperties(error, {
      stack: hidden(stack.replace(/.*/u, () => first)),
      // A message may be made from the code before.
      message: hidden(error.message),
      code: hidden(error._tag),
      name: hidden(error._tag),
      [inspect]: hidden(undefined)
    })
  }
  return error
}

/** Checks the arguments of a method, and returns those that it is called with. */
export type Check = (args: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<unknown>, unknown>

const copied: Check = (args) => Effect.forEach(args, Arguments.other)

/** Checks copies of the arguments, which cannot change later. */
export const copiedIf =
  (check: (...args: ReadonlyArray<unknown>) => Effect.Effect<void, unknown>): Check =>
  (args) =>
    Effect.tap(copied(args), (copies) => check(...copies))

/**
 * `checks` has the checks of methods with options, `replaced` the methods that another effect
 * replaces.
 */
export const make = <Service extends object>(
  { run }: Runner,
  service: Service,
  checks: Readonly<Record<string, Check>> = {},
  replaced: Readonly<Record<string, (...args: ReadonlyArray<never>) => unknown>> = {}
): Promised<Service> => {
  const methods = { ...service, ...replaced } as Readonly<Record<string, EffectOf>>
  return Record.map(methods, (effectOf, name) => {
    const check = checks[name] ?? copied
    const method = (...args: ReadonlyArray<unknown>) =>
      run(
        () => Effect.flatMap(check(args), (checked) => effectOf(...checked)),
        method,
        Arguments.signalOf(args.at(-1))
      )
    return method
  }) as Promised<Service>
}

type EffectOf = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>
