/**
 * Traces of processes that are killed with SIGKILL while callbacks arrive.
 *
 * Two receivers at a time work on one SQLite file and append notes to one file (`NoteFile`). A
 * commit that was killed before its note shows in `recorded_effects`.
 */
import { statuses as allStatuses, type Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import * as NoteFile from "../rel/NoteFile.ts"
import * as ReceiverProcess from "../rel/ReceiverProcess.ts"
import * as SeededRandom from "../rel/SeededRandom.ts"
import * as Senders from "../rel/Senders.ts"
import * as Stores from "../rel/Stores.ts"
import * as Wait from "../rel/Wait.ts"
import * as Traces from "./Traces.ts"

const { events, labels } = Traces

const answeredBeforeKill = { least: 5, most: 40 }
/** The longest delay of a kill, in milliseconds. */
const maxDelay = 80
/** Ends the wait for the last end, in milliseconds. */
const settleTime = 3 * NoteFile.lease
/** The shares of callbacks followed by a forgery. */
const forged = { verifiable: 0.1, unverifiable: 0.2 }

interface Effects {
  readonly id: string
  readonly status: Status
  readonly process: number
}

const tracesOf = (notes: ReadonlyArray<Traces.Note>, effects: ReadonlyArray<Effects>) => {
  const traces = Traces.make()
  const noted = new Set<string>()
  const running: [number, number] = [0, 1]
  for (const note of notes) {
    if (note._tag === "Seen") noted.add(`${note.id} ${note.event}`)
    if (note._tag === "Ended") {
      const { by } = note
      for (const { id, process, status } of effects) {
        const event = labels.ofWorker(by, events.committed(status))
        if (process === running[by] && !noted.has(`${id} ${event}`))
          traces.write({ _tag: "Seen", id, event })
      }
      running[by] += 2
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
    see(id, labels.arrived(status))
    const code = await receivers.post(to, id, status)
    see(id, code === 200 ? labels.answered(status) : labels.unanswered(status))
    return code
  }
  const { close, waitForAnswers } = yield* Senders.start({
    random,
    statuses: {
      set: (id, status) => {
        write({ _tag: "Moved", id, status })
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
      if (random.isTrue(forged.unverifiable))
        await receivers.post(to, id, random.pick(allStatuses), { key: "another key" })
      if (random.isTrue(forged.verifiable)) await send(to, id, random.pick(allStatuses))
      return code
    }
  })

  const isTold = () =>
    tracesOf(NoteFile.read(file), []).every(({ events, path }) =>
      events.findLast((event) => event.includes(" told "))?.includes(` told ${path.at(-1)},`)
    )
  let standby = start(0)
  for (let number = 0; number < kills; number++) {
    const receiver = standby
    ports = [yield* ReceiverProcess.waitForPort(receiver)]
    standby = start(number + 1)
    yield* Effect.promise(() =>
      waitForAnswers(answeredBeforeKill.least + random.below(answeredBeforeKill.most))
    )
    yield* Effect.sleep(random.below(maxDelay))
    yield* Effect.promise(receiver.kill)
    ports = []
    write({ _tag: "Ended", by: number % 2 === 0 ? 0 : 1 })
  }
  close()
  ports = [yield* ReceiverProcess.waitForPort(standby)]
  yield* Effect.promise(() => Wait.until(isTold, settleTime, 500))
  yield* Effect.promise(standby.kill)
  const query = yield* Stores.queryOf(store)
  const effects = yield* Effect.promise(() =>
    query<Effects>("SELECT transaction_id AS id, status, process FROM recorded_effects")
  )
  return tracesOf(NoteFile.read(file), effects)
}, Effect.scoped)
