import { isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import * as fc from "fast-check"
import * as Generators from "../../../Generators.ts"
import * as Deliveries from "../../generators/Deliveries.ts"
import * as Laws from "../../../Laws.ts"
import {
  type CaseKind,
  type CaseStep,
  changeTo,
  deliver,
  genuine,
  type ReceiverCase,
  show
} from "./Case.ts"
import type { ReceiverLaw, Reporting } from "./ReceiverLaw.ts"
import { run } from "./Run.ts"

/** The service changes statuses at its own pace, and the last status is delivered at the end. */
const caseOf = (kind: CaseKind, { deliveries, history }: Deliveries.Delivered): ReceiverCase => {
  const changes = Deliveries.deliver(history, []).deliveries.map(({ at }, index) => ({
    at,
    step: changeTo(history.statuses[index] ?? "NEW")
  }))
  const [last = "NEW"] = history.statuses.slice(-1)
  const isDelivered = deliveries.some(
    ({ forged, status }) => forged === undefined && status === last
  )
  const steps = [
    ...changes,
    ...deliveries.map((delivery) => ({
      at: delivery.at,
      step: { _tag: "Deliver", index: 0, delivery } satisfies CaseStep
    }))
  ].toSorted((one, two) => one.at - two.at)
  return {
    kinds: [kind],
    steps: [...steps.map(({ step }) => step), ...(isDelivered ? [] : [deliver(last)])]
  }
}

const payments = ["card-payment", "apm-payment"] as const
type Payment = (typeof payments)[number]

const casesExcept = (
  excepted: ReadonlyArray<string>,
  histories: (kind: Payment) => fc.Arbitrary<Generators.History>
) =>
  fc.oneof(
    ...payments.map((kind) =>
      Deliveries.deliveries(histories(kind)).map(({ faults, history }) =>
        caseOf(
          kind,
          Deliveries.deliver(
            history,
            faults.filter(({ type }) => !excepted.includes(type))
          )
        )
      )
    )
  )

/**
 * Cases that the specification decides: CANCELLED has no rank there, and an amount no JSON type.
 */
const specified = casesExcept(["forged", "number"], (kind) =>
  Generators.histories(kind).filter(({ statuses }) => !statuses.includes("CANCELLED"))
)

const isEnd = (status: Status | undefined): boolean => status !== undefined && rank(status) === 10

const lateAfterCancelled = (kind: CaseKind): ReceiverCase => ({
  kinds: [kind],
  steps: [
    changeTo("PROCESSING"),
    changeTo("CANCELLED"),
    deliver("CANCELLED"),
    deliver("PROCESSING")
  ]
})

const terminalStatuses: ReadonlyArray<Status> = statuses.filter(isTerminal)

/** The read that a forged callback causes fails. */
const withFailedRead = (step: CaseStep): ReadonlyArray<CaseStep> =>
  step._tag === "Deliver" && step.delivery.forged !== undefined
    ? [{ _tag: "FailRead", index: 0, fault: "500" }, step]
    : [step]

const forgeries = fc.oneof(
  ...payments.map((kind) =>
    fc
      .tuple(
        Generators.histories(kind),
        fc.nat({ max: 5 }),
        fc.constantFrom(...terminalStatuses),
        fc.boolean()
      )
      .map(([history, index, status, isReadFailing]) => {
        const fault = { type: "forged", forgery: "status", index, delay: 500, status } as const
        const value = caseOf(kind, Deliveries.deliver(history, [fault]))
        return isReadFailing ? { ...value, steps: value.steps.flatMap(withFailedRead) } : value
      })
  )
)

const forgedBeforeGenuine = (kind: CaseKind, status: Status): ReceiverCase => ({
  kinds: [kind],
  steps: [
    changeTo("PENDING"),
    deliver("PENDING"),
    { _tag: "Deliver", index: 0, delivery: { ...genuine(status), forged: "status" } },
    changeTo(status),
    deliver(status)
  ]
})

const twoTransactions = (kinds: readonly [CaseKind, CaseKind], second: Status): ReceiverCase => ({
  kinds,
  steps: [changeTo("SUCCEED", 0), deliver("SUCCEED", 0), changeTo(second, 1), deliver(second, 1)]
})

/** The callback of one refund arrives once more, with the unsigned id of another. */
const namingAnother = (status: Status): ReceiverCase => ({
  kinds: ["refund", "refund"],
  steps: [
    changeTo("PENDING", 1),
    changeTo(status, 0),
    { _tag: "Deliver", index: 0, delivery: genuine(status), names: 1 }
  ]
})

const settles = (subject: Reporting, value: ReceiverCase) => run(subject, value, { settles: true })

const reportsOnlyActual =
  (isChecked: (status: Status) => boolean) => (subject: Reporting, value: ReceiverCase) =>
    run(subject, value, {
      check: ({ actual, reported }) =>
        reported !== undefined && isChecked(reported) && !actual.includes(reported)
          ? `${reported} is reported, and the service has ${actual.at(-1) ?? "nothing"}`
          : undefined
    })

export const statusLaws: ReadonlyArray<ReceiverLaw<Reporting>> = [
  Laws.propertyEffect(
    {
      name: "the receiver ends at the service's last terminal status, however the callbacks arrive",
      section: 'spec.md, "States and transitions"',
      explanation:
        "Callbacks arrive late, out of order, twice or not at all: the last one to arrive need not be the last status. REFUNDED and CHARGEBACK come after SUCCEED. Until a terminal status, any open one is right."
    },
    { arbitrary: specified, show, numRuns: 40, body: settles }
  ),
  Laws.propertyEffect(
    {
      name: "the rank of the reported status never falls",
      section: 'spec.md, "States and transitions"',
      explanation:
        "A late callback is out of date. A shop that sees its status, even for a moment, may ship, refund or reopen the order in that moment."
    },
    {
      arbitrary: specified,
      show,
      numRuns: 20,
      body: (subject: Reporting, value: ReceiverCase) => {
        let highest: Status | undefined
        return run(subject, value, {
          check: ({ reported }) => {
            const [before = 0, now = 0] = [highest, reported].map((each) => (each ? rank(each) : 0))
            if (now < before) {
              return `${highest} was reported, and ${reported ?? "nothing"} is reported now`
            }
            highest = reported
            return undefined
          }
        })
      }
    }
  ),
  Laws.propertyEffect(
    {
      name: "a terminal status is reported only after the service has it",
      section: "docs/decisions/0012",
      explanation:
        "The checksum covers neither the status nor the time: the sender of one genuine callback can send any status with its checksum. Read a terminal status from the service before you act on it; if the read fails, do not act."
    },
    {
      arbitrary: forgeries,
      show,
      numRuns: 20,
      body: reportsOnlyActual(isTerminal)
    }
  ),
  Laws.each(
    {
      name: "a forged callback does not suppress the genuine one after it",
      section: "docs/decisions/0012",
      explanation:
        "A receiver that drops repeats by transactionId and status drops the genuine SUCCEED after a forged one: mark a callback as seen only after its status is confirmed."
    },
    {
      values: [
        ...terminalStatuses.map((status) => forgedBeforeGenuine("card-payment", status)),
        forgedBeforeGenuine("apm-payment", "SUCCEED")
      ],
      show,
      body: settles
    }
  ),
  Laws.propertyEffect(
    {
      name: "after two terminal statuses the receiver reports the service's last one",
      section: "docs/decisions/0001",
      explanation:
        "FAILED and then SUCCEED: both were true, one after the other. Their ranks are equal, so only a read tells which one is current."
    },
    {
      arbitrary: casesExcept(["forged"], (kind) =>
        Generators.dishonestHistories(kind).filter(({ statuses }) => isEnd(statuses.at(-1)))
      ),
      show,
      numRuns: 15,
      body: settles
    }
  ),
  Laws.each(
    {
      name: "a late status does not replace CANCELLED",
      section: "docs/decisions/0001",
      explanation:
        "The specification gives CANCELLED no rank. It ranks 10 like SUCCEED and FAILED, and nothing else is expected after it."
    },
    { values: payments.map(lateAfterCancelled), show, body: settles }
  ),
  Laws.each(
    {
      name: "the status of one transaction does not affect another",
      section: "docs/decisions/0005",
      explanation:
        "Two refunds of one payment can have the same amount, account and status: the second is not a repeat of the first."
    },
    {
      values: [
        twoTransactions(["refund", "refund"], "SUCCEED"),
        twoTransactions(["refund", "refund"], "FAILED"),
        twoTransactions(["card-payment", "apm-payment"], "FAILED")
      ],
      show,
      body: settles
    }
  ),
  Laws.each(
    {
      name: "a callback does not affect the transaction that only an unsigned field names (A27)",
      section: "docs/decisions/0012",
      explanation:
        "The checksum of a callback does not cover its refundId: the sender of one captured callback of a refund can send it with the id of any other refund."
    },
    {
      values: [namingAnother("PROCESSING"), namingAnother("SUCCEED")],
      show,
      body: reportsOnlyActual(() => true)
    }
  ),
  Laws.propertyEffect(
    {
      name: "concurrent callbacks end at the same status as sequential ones",
      section: 'spec.md, "Events"',
      explanation:
        "A receiver may handle two callbacks of one transaction at the same time. If it reads the row, decides and then writes without a lock, one of the two writes is lost."
    },
    {
      arbitrary: fc
        .tuple(specified, fc.scheduler())
        .map(([value, scheduler]): ReceiverCase => ({ ...value, scheduler })),
      show,
      numRuns: 40,
      body: settles
    }
  ),
  Laws.each(
    {
      name: "a failed read does not lose a callback",
      section: 'spec.md, "Errors"',
      explanation:
        "A callback that was answered 200 is not sent again, and one that was marked as seen is dropped when it is repeated: answer, and mark it, only after everything that can fail."
    },
    {
      values: payments.flatMap((kind) =>
        (["500", "503", "reset-before"] as const).map((fault): ReceiverCase => ({
          kinds: [kind],
          steps: [changeTo("SUCCEED"), { _tag: "FailRead", index: 0, fault }, deliver("SUCCEED")]
        }))
      ),
      show,
      body: settles
    }
  )
]
