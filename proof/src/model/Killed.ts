/**
 * Traces of processes that are killed with SIGKILL while callbacks arrive.
 *
 * Two receivers at a time work on one SQLite file and append notes to one file (`NoteFile`). A
 * commit that was killed before its note shows in `recorded_effects`.
 */
import { type Status, statuses } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import * as NoteFile from "../rel/NoteFile.ts"
import * as ReceiverProcess from "../rel/ReceiverProcess.ts"
import * as SeededRandom from "../rel/SeededRandom.ts"
import * as Senders from "../rel/Senders.ts"
import * as Stores from "../rel/Stores.ts"
import * as Wait from "../rel/Wait.ts"
import * as Traces from "./Traces.ts"

interface Committed {
  readonly id: string
  readonly status: Status
  readonly process: number
}

const tracesOf = (notes: ReadonlyArray<Traces.Note>, effects: ReadonlyArray<Committed>) => {
  const traces = Traces.make()
  let ended = 0
  for (const note of notes) {
    if (note._tag === "Ended") {
      // The processes end in the order of their numbers.
      for (const { id, process, status } of effects) {
        const event = `worker ${note.by} committed ${status}`
        if (process === ended && !traces.eventsOf(id).includes(event)) traces.see(id, event)
      }
      ended++
    }
    traces.write(note)
  }
  return traces.all()
}

export const record = Effect.fnUntraced(function* (seed: number, count: number, bug = "") {
  const kills = Math.min(5, Math.max(1, Math.ceil(count / 8)))
  const random = SeededRandom.make(seed, "killed")
  const store = yield* Stores.make("sqlite")
  if (store._tag !== "sqlite") return yield* Effect.die("the store is not a file")
  const file = `${store.filename}.notes`
  const write = NoteFile.open(file)
  const see = (id: string, event: string) => write({ _tag: "Seen", id, event })
  yield* Stores.execute(
    store,
    "CREATE TABLE recorded_effects (transaction_id TEXT, sequence INTEGER, status TEXT, process INTEGER)"
  )
  const receivers = yield* ReceiverProcess.make(store.filename)
  const start = (number: number) => {
    const args = ["--notes", file, "--number", String(number), "--bug", bug]
    return receivers.start({ args, program: "recorded" })
  }
  let ports: ReadonlyArray<number> = []

  const send = async (to: number, id: string, status: Status) => {
    see(id, `arrived ${status}`)
    const code = await receivers.post(to, id, status)
    see(id, Traces.answerText(status, code))
    return code
  }
  const { close, waitForAnswers } = yield* Senders.start({
    random,
    statuses: {
      set: (id, status) => {
        see(id, `service moved to ${status}`)
        receivers.statuses.set(id, status)
      }
    },
    // The traces are judged alone.
    miss: () => {},
    ports: () => ports,
    gap: 8,
    senders: 6,
    post: async (to, id, status) => {
      const code = await send(to, id, status)
      if (random.isTrue(0.2))
        await receivers.post(to, id, random.pick(statuses), { key: "another key" })
      if (random.isTrue(0.1)) await send(to, id, random.pick(statuses))
      return code
    }
  })

  const isTold = () =>
    tracesOf(NoteFile.read(file), []).every(({ events }) => {
      const last = ` told ${Traces.pathOf(events).at(-1)},`
      return events.some((event) => event.includes(last))
    })
  let standby = start(0)
  for (let number = 0; number < kills; number++) {
    const receiver = standby
    ports = [yield* ReceiverProcess.waitForPort(receiver)]
    standby = start(number + 1)
    yield* Effect.promise(() => waitForAnswers(5 + random.below(40)))
    const by = number % 2 === 0 ? 0 : 1
    if (by === 0) yield* Effect.promise(receiver.killInCall)
    else yield* Effect.sleep(random.below(80))
    yield* Effect.promise(receiver.kill)
    ports = []
    write({ _tag: "Ended", by })
  }
  close()
  ports = [yield* ReceiverProcess.waitForPort(standby)]
  yield* Effect.promise(() => Wait.until(isTold, 3 * NoteFile.lease, 500))
  yield* Effect.promise(standby.kill)
  const query = yield* Stores.queryOf(store)
  const effects = yield* Effect.promise(() =>
    query<Committed>("SELECT transaction_id AS id, status, process FROM recorded_effects")
  )
  return tracesOf(NoteFile.read(file), effects)
}, Effect.scoped)
