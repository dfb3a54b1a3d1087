/**
 * A simulated process that can be killed and started again.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

/** An instance, from a start to the next kill. */
export interface Instance {
  readonly isDead: () => boolean
  readonly number: number
  readonly run: <A>(effect: Effect.Effect<A>) => Effect.Effect<A | undefined>
}

/**
 * A process over its instances. A stopped instance runs until it is done, even beside the next one.
 */
export type Process<A> = ReturnType<typeof make<A>>

/**
 * Makes a process that runs `boot` at each start. After two overlapping crashes it runs at the
 * second start.
 */
export const make = <A>(boot: (instance: Instance) => Effect.Effect<A, never, Scope.Scope>) => {
  let current:
    | { readonly value: A; readonly kill: Effect.Effect<void>; readonly stop: Effect.Effect<void> }
    | undefined
  let instances = 0
  let openKills = 1
  return {
    running: () => current?.value,
    start: Effect.suspend(() => {
      if (--openKills > 0) return Effect.void
      return Effect.gen(function* () {
        const scope = yield* Scope.make()
        let isDead = false
        const value = yield* Scope.provide(
          boot({
            isDead: () => isDead,
            number: ++instances,
            run: (effect) =>
              Effect.forkIn(effect, scope, { startImmediately: true }).pipe(
                Effect.flatMap(Fiber.await),
                Effect.map((exit) => (Exit.isSuccess(exit) ? exit.value : undefined))
              )
          }),
          scope
        )
        const die = Effect.sync(() => {
          isDead = true
        })
        current = {
          value,
          kill: Effect.andThen(die, Scope.close(scope, Exit.die("killed"))),
          // A simulation may end before this does.
          stop: Scope.close(scope, Exit.void).pipe(
            Effect.andThen(die),
            Effect.forkDetach,
            Effect.flatMap(Fiber.join)
          )
        }
      })
    }),
    kill: Effect.suspend(() => {
      openKills++
      const killed = current
      current = undefined
      return killed?.kill ?? Effect.void
    }),
    stop: Effect.suspend(() => {
      openKills++
      const stopped = current
      const leave = Effect.sync(() => {
        if (current === stopped) current = undefined
      })
      return Effect.andThen(stopped?.stop ?? Effect.void, leave)
    })
  }
}
