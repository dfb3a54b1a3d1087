/**
 * The commands `explain`, `replay` and `export`: the story of one transaction, from the store of a
 * receiver.
 *
 * They read the store itself, so they work while the receiver does not. An older store is brought
 * up to date, as at a start.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import { methodOf } from "@pawl/core/Kind"
import * as Argument from "effect/cli/Argument"
import * as CommandOutput from "@pawl/webhook/internal/CommandOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { Ledger } from "@pawl/webhook/Ledger"
import * as Replay from "../internal/story/Replay.ts"
import * as StoredRow from "@pawl/webhook/internal/rule/StoredRow"
import * as StoryReport from "../internal/story/StoryReport.ts"
import * as StoryScenario from "../internal/story/StoryScenario.ts"
import * as TransactionReport from "@pawl/webhook/internal/rule/TransactionReport"
import * as Settings from "./Settings.ts"
import * as StoreFlag from "./StoreFlag.ts"

const input = {
  kind: StoreFlag.kind.pipe(
    Argument.withDescription("The kind of the transaction; apm or card while unknown")
  ),
  id: Argument.String("id").pipe(
    Argument.withDescription("The id of the transaction; the refundId of a refund")
  ),
  store: StoreFlag.store,
  confirm: Settings.flags.confirm.pipe(
    Flag.withDescription("The receiver's value of --confirm (default: final)")
  )
}

/** Makes a command that ends with 1 if the transaction is not known, or cannot be read. */
const about = (
  name: string,
  description: string,
  tell: (
    story: StoredRow.Story,
    policy: "final" | "always" | "never"
  ) => Effect.Effect<void, CommandOutput.Reported>
) =>
  Command.make(name, input, ({ confirm, id, kind, store }) =>
    StoreFlag.within(
      store,
      Effect.gen(function* (): Effect.fn.Return<
        void,
        StoreUnavailable | CommandOutput.Reported,
        Ledger
      > {
        const ledger = yield* Ledger
        const story = StoredRow.findStory(yield* ledger.story(methodOf(kind), id), kind)
        if (story === undefined) {
          return yield* CommandOutput.report(`The store has no ${kind} with this id.`)
        }
        if (story.row.unreadable === "document") {
          return yield* CommandOutput.report(
            `The ${kind} ${id} cannot be read: restore it from a backup.`
          )
        }
        yield* tell(story, confirm)
      })
    )
  ).pipe(
    Command.withDescription(description),
    CommandOutput.example(
      "card-payment 100001 --store sqlite:callbacks.db",
      "A transaction in a receiver's store"
    )
  )

const incomplete =
  "The story is incomplete: the transaction is older than its facts, or has more of them than are kept."

export const explain = about(
  "explain",
  "Prints the story of a transaction, in sentences",
  Effect.fnUntraced(function* (story, policy) {
    const { facts } = StoryReport.make(story)
    for (const { at, count, lastAt, sentence } of facts) {
      const until = count === 1 || lastAt === null ? "" : ` The last time: ${lastAt}.`
      yield* Console.log(`${at}  ${sentence}${until}`)
    }
    const { confirmed, deadLetter, status, told } = TransactionReport.make(story.row, policy)
    yield* Console.log(
      `Now: ${status ?? "no status"}${confirmed ? ", confirmed by the service" : ""}. The handler last received ${told ?? "nothing"}.`
    )
    if (deadLetter !== null) {
      yield* Console.log(`It is a dead letter (${deadLetter.reason}). ${deadLetter.explanation}`)
    }
    if (!story.complete) yield* Console.log(incomplete)
  })
)

/** Command that ends with 1 if there is a difference. */
export const replay = about(
  "replay",
  "Says whether the facts of a transaction lead to its row, and whether this version would make the same calls",
  Effect.fnUntraced(function* (story, policy) {
    const { calls, differences, same } = Replay.replay(story, policy)
    for (const { count, sequence, to, told } of calls) {
      yield* Console.log(
        `${sequence}  ${to}  ${count === 1 ? "1 call" : `${count} calls`}, ${told ? "accepted" : "not accepted"}`
      )
    }
    for (const difference of differences) yield* Console.log(difference)
    if (!story.complete) yield* Console.log(incomplete)
    if (!same) return yield* new CommandOutput.Reported()
    yield* Console.log("This version makes the same calls.")
  })
)

export const exported = about(
  "export",
  "Prints the command that repeats a transaction on a sandbox",
  (story) => {
    const command = StoryScenario.command(story)
    return command === undefined
      ? CommandOutput.report(
          "The kind of the transaction is not known yet: the service was not asked."
        )
      : Console.log(command)
  }
)
