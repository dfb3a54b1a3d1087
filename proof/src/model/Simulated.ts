/**
 * Traces of the simulation, without transactions that went back in rank or of which no receiver
 * learned.
 */
import * as NodeHmac from "@pawl/core/NodeHmac"
import { isStatus, rank, type Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import type { Lookups, Observer } from "../simulation/Observer.ts"
import type { Plan } from "../simulation/Plan.ts"
import * as Simulation from "../simulation/Simulation.ts"
import { subjectOf } from "../simulation/Subject.ts"
import * as Recorder from "./Recorder.ts"
import * as Traces from "./Traces.ts"

const { labels } = Traces

const makeObserver = ({ pathOf, write }: ReturnType<typeof Traces.make>) => {
  let lookups: Lookups | undefined
  const follow = (id: string) => {
    const { history = [] } = lookups?.transaction(id) ?? {}
    for (const { status } of history.slice(pathOf(id).length)) write({ _tag: "Moved", id, status })
  }
  const writeNext: Traces.Write = (note) => {
    if ("id" in note) follow(note.id)
    write(note)
  }
  const see = (id: string, event: string) => writeNext({ _tag: "Seen", id, event })
  const observer: Observer = {
    begin: (begun) => {
      lookups = begun
    },
    started: (name, isDead) =>
      Recorder.make({
        by: name === "receiver 1" ? 0 : 1,
        write: writeNext,
        isOpen: () => !isDead(),
        now: () => lookups?.now() ?? 0,
        isUnreadable: (id) => lookups?.isUnreadable(id) ?? false
      }),
    registered: ({ status, transactionId }) => {
      if (status !== undefined) see(transactionId, labels.registered(status))
    },
    delivering: ({ incoming, isVerifiable }) => {
      const { status: claim, transactionId } = subjectOf(incoming)
      if (!isVerifiable || !isStatus(claim)) return () => {}
      see(transactionId, labels.arrived(claim))
      return (status) =>
        see(transactionId, status === 200 ? labels.answered(claim) : labels.unanswered(claim))
    },
    redriven: ({ transactionId }) => see(transactionId, labels.redriven)
  }
  return {
    observer,
    end: () => lookups?.transactions().forEach(({ transactionId }) => follow(transactionId))
  }
}

const fell = (path: ReadonlyArray<Status>) =>
  path.some((status, index) => rank(status) < rank(path[index - 1] ?? status))

const isKnown = (events: ReadonlyArray<string>) =>
  events.some((event) => event.startsWith("registered ") || event.startsWith("answered "))

export const record = Effect.fnUntraced(function* (
  plan: Plan,
  options: Pick<Simulation.Options, "bug" | "store">
) {
  const traces = Traces.make()
  const { end, observer } = makeObserver(traces)
  yield* Simulation.run(plan, { ...options, observer })
  end()
  return traces.all().filter(({ events, path }) => !fell(path) && isKnown(events))
}, Effect.provide(NodeHmac.layer))
