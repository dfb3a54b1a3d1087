/** The command `erase`: deletes a person's data from the store, and keeps what accounting needs. */
import { methodOf } from "@pawl/core/Kind"
import * as Argument from "effect/cli/Argument"
import * as CommandOutput from "@pawl/webhook/internal/CommandOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Fault from "@pawl/webhook/internal/sql/Fault"
import { Ledger } from "@pawl/webhook/Ledger"
import * as StoreFlag from "./StoreFlag.ts"

const input = {
  kind: StoreFlag.kind.pipe(
    Argument.withDescription("The kind of the transactions; those of its method are erased")
  ),
  ids: Argument.String("id").pipe(
    Argument.withDescription("The ids of the transactions"),
    Argument.atLeast(1)
  ),
  store: StoreFlag.store,
  compact: Flag.Boolean("compact").pipe(
    Flag.withDescription(
      "Rewrites the store afterwards, so that its files no longer hold the deleted texts; receivers answer 503 meanwhile"
    ),
    Flag.withDefault(false)
  )
}

/** Command that ends with 1 if one of the transactions is not known, or cannot be read. */
export const erase = Command.make("erase", input, ({ compact, ids, kind, store }) =>
  StoreFlag.within(
    store,
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const unknown: Array<string> = []
      const unread: Array<string> = []
      for (const id of ids) {
        const erased = yield* ledger.erase(methodOf(kind), id).pipe(
          Effect.catchDefect((defect) => {
            if (!(defect instanceof Error && Predicate.isTagged(defect, "NotRead"))) {
              return Effect.die(defect)
            }
            unread.push(`${id} is not erased: ${defect.message}, and erase it again.`)
            return Effect.undefined
          })
        )
        if (erased === undefined) continue
        const { bodies, notes, open, quarantined, requests, rows } = erased
        if (rows + quarantined + requests + open === 0) {
          unknown.push(id)
          continue
        }
        yield* Console.log(
          `${id}: deleted ${CommandOutput.count(bodies + quarantined, "callback text")}, ${CommandOutput.count(requests, "request text")}, ${CommandOutput.count(notes, "note")}; kept ids, amounts, currencies, statuses and times`
        )
        if (open > 0) {
          yield* Console.log(
            `${id}: kept ${CommandOutput.count(open, "request")} that may have to be sent again; erase again when the outcome is known`
          )
        }
      }
      const failures = [
        ...(unknown.length === 0
          ? []
          : [`The store has no ${methodOf(kind)} transaction ${unknown.join(", ")}.`]),
        ...unread
      ]
      if (compact) {
        yield* Effect.matchEffect(ledger.compact, {
          onFailure: (error) =>
            Effect.sync(() =>
              failures.push(
                `The store could not be rewritten (${Fault.of(error).cause}), so its files may still have the deleted texts: end the receivers and other sessions that use it, make room on its disk, and run erase --compact again, in PostgreSQL as the owner of the tables.`
              )
            ),
          onSuccess: () =>
            Console.log(
              "The store was rewritten. Backups and logs of the database keep the texts until you delete them."
            )
        })
      } else if (unknown.length + unread.length < ids.length) {
        yield* Console.log(
          "Free space of the store may still have the texts: --compact rewrites it."
        )
      }
      if (failures.length > 0) return yield* CommandOutput.report(failures.join("\n"))
    })
  )
).pipe(
  Command.withDescription(
    "Deletes a person's data from transactions: callback bodies, texts of requests, notes. Keeps what accounting needs"
  ),
  CommandOutput.example(
    "card-payment 100001 --store sqlite:callbacks.db",
    "Deletes the texts of one transaction"
  )
)
