/**
 * A process that is killed, and started again.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

/**
 * One life of a process; nothing of a dead one reaches anybody.
 *
 * - `carry`: does something in the process, whoever waits for it; undefined when the process dies over it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Life {
  readonly isDead: () => boolean
  readonly number: number
  readonly carry: <A>(effect: Effect.Effect<A>) => Effect.Effect<A | undefined>
}

/**
 * A process over its lives. `running` is what it offers, undefined while it is down.
 *
 * @category models
 * @since 0.1.0
 */
export interface Process<out A> {
  readonly running: () => A | undefined
  readonly start: Effect.Effect<void>
  readonly kill: Effect.Effect<void>
}

/**
 * Makes a process of what it does when it starts. It is down until it is started, and for as long as it was
 * killed more often than started.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <A>(boot: (life: Life) => Effect.Effect<A, never, Scope.Scope>): Process<A> => {
  let current: { readonly value: A; readonly end: Effect.Effect<void> } | undefined
  let lives = 0
  let downs = 1
  return {
    running: () => current?.value,
    start: Effect.suspend(() => {
      if (--downs > 0) return Effect.void
      return Effect.gen(function* () {
        const scope = yield* Scope.make()
        let isDead = false
        const value = yield* Scope.provide(
          boot({
            isDead: () => isDead,
            number: ++lives,
            carry: (effect) =>
              Effect.forkIn(effect, scope, { startImmediately: true }).pipe(
                Effect.flatMap(Fiber.await),
                Effect.map((exit) => (Exit.isSuccess(exit) ? exit.value : undefined))
              )
          }),
          scope
        )
        const end = Effect.suspend(() => {
          isDead = true
          return Scope.close(scope, Exit.void)
        })
        current = { value, end }
      })
    }),
    kill: Effect.suspend(() => {
      downs++
      const ended = current
      current = undefined
      return ended?.end ?? Effect.void
    })
  }
}
