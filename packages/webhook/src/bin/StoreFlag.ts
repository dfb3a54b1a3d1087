/**
 * The store of a receiver, for commands that read it beside the receiver.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import type { Ledger } from "../Ledger.ts"
import * as NodeStore from "../NodeStore.ts"
import type { RequestStore } from "../RequestStore.ts"
import { hasPassword } from "./Settings.ts"

/** Error that was already printed. It ends the process. */
export class Reported extends Data.TaggedError("Reported") {
  override readonly [Runtime.errorReported] = false
}

/** Prints a sentence and fails. */
export const report = (sentence: string): Effect.Effect<never, Reported> =>
  Effect.andThen(Console.error(sentence), Effect.fail(new Reported()))

/** The flag of the store. */
export const store = Flag.String("store").pipe(
  Flag.withDescription(
    "The store of the receiver: sqlite:FILE or postgres://… (default: PAWL_STORE)"
  ),
  Flag.optional
)

/** Runs work with the ledger of a store, or prints why the store cannot be used. */
export const within = <A, R>(
  flag: Option.Option<string>,
  work: Effect.Effect<A, StoreUnavailable | Reported, R | Ledger>
): Effect.Effect<A, Reported, Exclude<R, Ledger | RequestStore>> =>
  Effect.gen(function* () {
    const variable = yield* Effect.orDie(
      Config.Redacted("PAWL_STORE").pipe(Config.withDefault(Redacted.make("")))
    )
    const text = Option.getOrElse(flag, () => Redacted.value(variable))
    const opened = NodeStore.parse(text)
    if (opened === undefined || opened._tag === "memory") {
      return yield* report(
        "--store cannot be used: give the store of the receiver, sqlite:FILE or postgres://USER@HOST/DATABASE, here or in PAWL_STORE."
      )
    }
    if (Option.isSome(flag) && hasPassword(text)) {
      return yield* report(
        "--store cannot be used with a password, because every user of this machine can read arguments: set PAWL_STORE to this PostgreSQL address instead."
      )
    }
    return yield* Effect.provide(work, NodeStore.layer(opened))
  }).pipe(
    Effect.catchTag("StoreUnusable", ({ message }) => report(message)),
    Effect.catchTag("StoreUnavailable", () => report("The store does not answer."))
  )
