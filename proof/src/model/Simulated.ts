/**
 * Traces of the simulation, without transactions that went back in rank or of which no receiver
 * learned.
 */
import * as NodeHmac from "@pawl/core/NodeHmac"
import { isStatus, rank } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import type { Lookups, Observer } from "../simulation/Observer.ts"
import type { Plan } from "../simulation/Plan.ts"
import * as Simulation from "../simulation/Simulation.ts"
import { subjectOf } from "../simulation/Subject.ts"
import * as Recorder from "./Recorder.ts"
import * as Traces from "./Traces.ts"

const isChecked = ({ events }: Traces.Trace) => {
  const ranks = Traces.pathOf(events).map(rank)
  const fell = ranks.some((each, index) => each < (ranks[index - 1] ?? each))
  return !fell && events.some((event) => /^(registered|answered) /u.test(event))
}

export const record = Effect.fnUntraced(function* (
  plan: Plan,
  options: Pick<Simulation.Options, "bug" | "store">
) {
  const traces = Traces.make()
  const simulated: { lookups?: Lookups } = {}
  const follow = (id: string) => {
    const { history = [] } = simulated.lookups?.transaction(id) ?? {}
    for (const { status } of history.slice(Traces.pathOf(traces.eventsOf(id)).length))
      traces.see(id, `service moved to ${status}`)
  }
  const write: Traces.Write = (note) => {
    if ("id" in note) follow(note.id)
    traces.write(note)
  }
  const see = (id: string, event: string) => write({ _tag: "Seen", id, event })
  const observer: Observer = {
    begin: (lookups) => void Object.assign(simulated, { lookups }),
    started: (name, isDead) =>
      Recorder.make({
        by: name === "receiver 1" ? 0 : 1,
        write,
        isOpen: () => !isDead(),
        now: () => simulated.lookups?.now() ?? 0
      }),
    registered: ({ status, transactionId }) => {
      if (status !== undefined) see(transactionId, `registered ${status}`)
    },
    delivering: ({ incoming, isVerifiable }) => {
      const { status: claim, transactionId } = subjectOf(incoming)
      if (!isVerifiable || !isStatus(claim)) return () => {}
      see(transactionId, `arrived ${claim}`)
      return (code) => see(transactionId, Traces.answerText(claim, code))
    },
    redriven: ({ transactionId }) => see(transactionId, "redriven")
  }
  yield* Simulation.run(plan, { ...options, observer })
  simulated.lookups?.transactions().forEach(({ transactionId }) => follow(transactionId))
  return traces.all().filter(isChecked)
}, Effect.provide(NodeHmac.layer))
