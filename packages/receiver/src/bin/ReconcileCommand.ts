/**
 * The command `reconcile`: compares the transactions of a day with the service, and writes the
 * differences and the books. A run after one that did not finish reads only the rest.
 */
import * as Grammar from "@pawl/core/internal/Grammar"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Pawl from "@pawl/http/Pawl"
import * as Owner from "@pawl/webhook/internal/ledger/Owner"
import * as StoreSettings from "@pawl/webhook/internal/ledger/Settings"
import { Records } from "@pawl/webhook/internal/records/Records"
import * as CommandOutput from "@pawl/webhook/internal/CommandOutput"
import * as ProgressLine from "@pawl/webhook/internal/ProgressLine"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as DayBooks from "../internal/books/DayBooks.ts"
import * as DayComparison from "../internal/books/DayComparison.ts"
import type { RowKey } from "@pawl/webhook/internal/rule/RowPages"
import * as OwnFile from "@pawl/webhook/internal/NodeOwnFile"
import * as ReconcileLines from "../internal/books/NodeReconcileLines.ts"
import * as Settings from "./Settings.ts"
import * as StoreFlag from "./StoreFlag.ts"

const startOf = (day: string): Option.Option<number> =>
  Grammar.date.test(day) && Grammar.isOnCalendar(day)
    ? Option.map(DateTime.make(`${day}T00:00:00Z`), DateTime.toEpochMillis)
    : Option.none()

const flags = {
  day: Flag.String("day").pipe(
    Flag.filterMap(
      (text) => Option.map(startOf(text), (start) => ({ text, start })),
      () => "Expected a day such as 2026-11-21"
    ),
    Flag.withDescription("The day in UTC, such as 2026-11-21")
  ),
  store: StoreFlag.store,
  baseUrl: Settings.flags.baseUrl,
  rate: Flag.Int("rate").pipe(
    Flag.filter(
      (rate) => rate >= 1 && rate <= 1000,
      () => "Expected a number from 1 to 1000"
    ),
    Flag.withDescription("The maximum reads per second (default: 10)"),
    Flag.withDefault(10)
  ),
  out: Flag.String("out").pipe(
    Flag.withDescription("The directory to write the files to (default: .)"),
    Flag.withDefault(".")
  )
}

/** Command that ends with 1 if there are differences, or if the service did not answer for all. */
export const reconcile = Command.make("reconcile", flags, ({ baseUrl, day, out, rate, store }) =>
  StoreFlag.within(
    store,
    Effect.gen(function* () {
      if (day.start > (yield* Clock.currentTimeMillis)) {
        return yield* CommandOutput.report(
          `--day ${day.text} is in the future: give today or an earlier day`
        )
      }
      const none = {
        adminPort: Option.none(),
        adminHost: Option.none(),
        forward: Option.none(),
        merchants: Option.some(""),
        profile: Option.none()
      }
      const {
        client,
        merchants: [merchant],
        switches: profile
      } = yield* Settings.make({ path: "/callback", store, baseUrl, ...none })
      const service = Pawl.layer({ ...client, ...merchant.service, profile })
      yield* Effect.provide(checkOwner, service)
      const path = yield* Path.Path
      yield* OwnFile.makeDirectory("--out", out)
      const name = (extension: string) => path.join(out, `pawl-${day.text}.${extension}`)
      const lines = yield* ReconcileLines.open(name("jsonl"), merchant)
      const compared = new Map(lines.before.map((each) => [keyOf(each), each]))
      const total = yield* DayComparison.count(day.start)
      const progress = () => `${compared.size} of ${total} transactions of ${day.text} are compared`
      const counts = yield* DayComparison.run({
        day: day.start,
        rate,
        isKnown: (key) => compared.has(keyOf(key)),
        note: (each) => {
          compared.set(keyOf(each), each)
          return lines.add(each)
        }
      }).pipe(
        ProgressLine.during(progress),
        Effect.onInterrupt(() =>
          Console.error(`Interrupted: ${progress()}; run the command again to compare the others.`)
        ),
        Effect.provide(service)
      )
      const all = [...compared.values()].toSorted(byName)
      yield* OwnFile.write(name("csv"), DayBooks.csv(all))
      yield* OwnFile.write(name("journal"), DayBooks.journal(day.text, all))
      const differences = all.filter(DayComparison.differs).length
      yield* Console.log(
        `${CommandOutput.count(all.length, "transaction")} of ${day.text} compared, ${differences} differ: ${name("csv")}`
      )
      yield* Console.log(`Books for hledger: ${name("journal")}. ${DayBooks.missing(all)}`)
      if (counts.unanswered > 0) {
        return yield* CommandOutput.report(
          `The statuses of ${counts.unanswered} more could not be read: run the command again.`
        )
      }
      yield* lines.finish
      if (differences > 0) return yield* new CommandOutput.Reported()
    }).pipe(
      Effect.catchTag(
        ["ConfigError", "FileUnusable", "InvalidConfig", "InvalidSettings", "OtherBooks"],
        ({ message }) => CommandOutput.report(message)
      )
    )
  )
).pipe(
  Command.withDescription(
    "Compares a day's transactions with the service, and writes the differences. Required: PAWL_MERCHANT_KEY, PAWL_MERCHANT_SECRET and PAWL_BASE_URL (or --base-url)"
  ),
  CommandOutput.example(
    "--day 2026-11-21 --store sqlite:callbacks.db --out books",
    "Writes the books of a day into a folder"
  )
)

/** Another service may have other transactions with the same ids. */
const checkOwner = Effect.gen(function* () {
  const { account } = yield* StatusReader
  const owners = yield* StoreSettings.ownersOf(yield* Records)
  for (const owner of owners) {
    if (owner !== undefined && account !== undefined) yield* Owner.check(owner, account)
  }
})

const keyOf = ({ scope, transactionId }: RowKey): string => `${scope}/${transactionId}`

const nameOf = ({ kind, transactionId }: DayComparison.Compared): string =>
  `${kind}/${transactionId}`

const byName = (one: DayComparison.Compared, two: DayComparison.Compared): number =>
  nameOf(one) < nameOf(two) ? -1 : 1
