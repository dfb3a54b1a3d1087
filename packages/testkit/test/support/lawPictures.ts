/**
 * The page of the laws of a receiver: for each a counterexample, as a wrong receiver runs it, with a
 * sequence diagram if the service takes part.
 */
import type { Method } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import type * as fc from "fast-check"
import { globSync } from "node:fs"
import { send } from "../../src/internal/laws/receiver/ReceiverLaw.ts"
import { run } from "../../src/internal/laws/receiver/Run.ts"
import type { LawBroken, LawText } from "../../src/Laws.ts"
import type { Case, Reporting } from "../../src/Laws/Receiver.ts"

/** `onRead` is called with the result of each read from the service. */
export type Make = (
  onRead: (method: Method, id: string, result: string) => void
) => Promise<Reporting>

/** With the receivers that break and keep the law. */
export interface Picture {
  readonly law: LawText
  readonly bug: string
  readonly by: LawBroken
  readonly wrong: Make
  readonly right: Make
}

/**
 * The lines of the diagram, the callbacks without a service, the answers, the statuses that were
 * reported last, and the error.
 */
interface Seen {
  readonly failure: string | undefined
  readonly lines: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
  readonly answers: ReadonlyArray<string>
  readonly reported: ReadonlyMap<string, string>
}

interface Callback {
  readonly transactionId?: unknown
  readonly transactionStatus?: unknown
  readonly refundId?: unknown
}

/** A picture must not depend on the times of the run that found it. */
const atOnce = {
  schedule: <A>(task: Promise<A>) => task,
  waitIdle: () => Promise.resolve()
} as unknown as fc.Scheduler

const watch = async (make: Make, value: Case): Promise<Seen> => {
  const lines: Array<string> = []
  const answers: Array<string> = []
  const reported = new Map<string, string>()
  const opened: Array<{ readonly id: string; readonly name: string; readonly moves: Set<string> }> =
    []
  const isOfService = value.kinds.length > 0
  const of = (id: unknown) => opened.find((each) => each.id === id)
  const nameOf = (id: unknown) => (opened.length > 1 ? `${of(id)?.name ?? "no transaction"}: ` : "")
  const notes = value.steps.flatMap((step) => (step._tag === "Send" ? [step.request.note] : []))
  const unsent = [...notes]

  /** By its body; tells whether the service sent it. */
  const describe = (text: string) => {
    const { refundId, transactionId, transactionStatus } = JSON.parse(text) as Callback
    const named =
      refundId === undefined || refundId === transactionId
        ? ""
        : `, with the refundId of ${of(refundId)?.name}`
    return {
      note: `${nameOf(transactionId)}callback ${String(transactionStatus)}${named}`,
      isGenuine: named === "" && of(transactionId)?.moves.has(String(transactionStatus)) === true
    }
  }

  const subject = await make((_, id, result) => {
    lines.push(`receiver->>service: ${nameOf(id)}read the status`, `service-->>receiver: ${result}`)
  })
  const { service } = subject
  const watched: Reporting = {
    ...subject,
    send: async (request) => {
      const { isGenuine, note } = isOfService
        ? describe(await request.clone().text())
        : { isGenuine: true, note: unsent.shift() ?? "" }
      const sender = isGenuine ? "service" : "forger"
      lines.push(`${sender}->>receiver: ${escape(note)}`)
      const response = await subject.send(request)
      const body = await response.clone().text()
      const answer = body === "" ? String(response.status) : `${response.status} "${body}"`
      lines.push(
        `receiver-->>${sender}: ${escape(value.scheduler === undefined ? answer : `${answer} to ${note}`)}`
      )
      answers.push(answer)
      return response
    },
    status: async (method, id) => {
      const status = (await subject.status(method, id)) ?? "nothing"
      if (reported.get(id) !== status)
        lines.push(`Note right of receiver: ${nameOf(id)}reports ${status}`)
      reported.set(id, status)
      return status
    },
    service: {
      ...service,
      open: (kinds) =>
        Effect.map(service.open(kinds), (ids) => {
          for (const [at, id] of ids.entries())
            opened.push({ id, name: `${kinds[at]} ${at + 1}`, moves: new Set() })
          return ids
        }),
      move: (id, status) => {
        of(id)?.moves.add(status)
        lines.push(`Note left of service: ${nameOf(id)}is now ${status}`)
        return service.move(id, status)
      },
      fail: (kind, fault) => {
        lines.push(`Note left of service: the next read fails (${fault})`)
        return service.fail(kind, fault)
      }
    }
  }
  const running = isOfService
    ? run(
        watched,
        { ...value, ...(value.scheduler && { scheduler: atOnce }) },
        { check: () => undefined, settles: value.scheduler !== undefined }
      )
    : Effect.forEach(
        value.steps,
        (step) => (step._tag === "Send" ? send(watched, step.request) : Effect.void),
        { discard: true }
      )
  const failure = await Effect.runPromise(
    Effect.match(running, { onFailure: ({ message }) => message, onSuccess: () => undefined })
  )
  return {
    failure,
    lines,
    notes,
    answers,
    reported: new Map(Array.from(reported, ([id, status]) => [nameOf(id), status]))
  }
}

/** `#` and `;` have a meaning in a diagram. */
const escape = (text: string): string =>
  text.replaceAll(/[#;<>]|[^ -~]/gu, (each) => `#${each.codePointAt(0)};`)

/** A body is code. */
const noted = (note: string): string => note.replace(/\{.*\}/u, (json) => `\`${json}\``)

const outcome = ({ answers, reported }: Seen): string => {
  const statuses = Array.from(reported, ([name, status]) => `${name}${status}`)
  const reports = statuses.length === 0 ? "" : `, and reports ${statuses.join(", ")}`
  return `answers ${answers.join(", then ")}${reports}`
}

const docs = new URL("../../../../docs/", import.meta.url).pathname

const source = (section: string): string => {
  const [, number] = /^docs\/decisions\/(\d+)$/u.exec(section) ?? []
  if (number === undefined) {
    const heading = section.replace(/^spec\.md, "(.+)"$/u, "$1")
    return `From the specification: [${heading}](spec.md#${heading.toLowerCase().replaceAll(" ", "-")}).`
  }
  return `From [decision ${number}](${globSync(`decisions/${number}-*.md`, { cwd: docs }).join()}).`
}

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const picture = async (
  { bug, by, law, right, wrong }: Picture,
  number: number
): Promise<string> => {
  const { explanation, name, section } = law
  const value = by.counterexample as Case
  const seen = await watch(wrong, value)
  const expected = await watch(right, value)
  if (expected.lines.join() === seen.lines.join())
    throw new Error(`the picture shows no difference: ${name}`)
  const failure = (value.scheduler === undefined ? by.wrong : (seen.failure ?? ""))
    .replace("ReceiverWrong: ", "")
    .replace(", and ", ",<br/>and ")
  const hasForger = seen.lines.some((line) => line.startsWith("forger"))
  return [
    `## Law ${number}`,
    `**${capitalized(name)}.** ${explanation}`,
    source(section),
    `Broken by: ${bug}.`,
    value.kinds.length === 0
      ? seen.notes.map((note, at) => `- ${noted(note)}: ${seen.answers[at] ?? failure}`).join("\n")
      : [
          "```mermaid",
          "sequenceDiagram",
          ...(hasForger
            ? ["service", "receiver", "forger"].map((each) => `  participant ${each}`)
            : []),
          ...seen.lines.map((line) => `  ${line}`),
          `  Note over service,receiver: broken: ${failure}`,
          "```"
        ].join("\n"),
    `A correct receiver ${outcome(expected)}.`
  ].join("\n\n")
}

/** In the order of their numbers. */
export const page = async (pictures: ReadonlyArray<Picture>): Promise<string> => {
  const parts: Array<string> = []
  for (const [at, each] of pictures.entries()) parts.push(await picture(each, at + 1))
  return `${[
    "# The laws of a receiver, in pictures",
    "For developers of a receiver; ten minutes, or one law. `conform` checks [these laws](laws.md#of-a-receiver). Each is shown with the smallest counterexample in a receiver with a planted bug: callbacks with their answers, or a picture. Laws 1 to 6 are of the specification, the others of pawl where it is silent.",
    "`conform URL --api-port 4011 --state STATE` stubs the service at `http://127.0.0.1:4011/api`, with the key `sandbox-key` and the secret of the sandbox or `PAWL_MERCHANT_SECRET`, and reads the status that the receiver reports at `STATE/{method}/{transactionId}` (JSON with a `status`, or 404); without `--state` only the laws about answers run. `--only 4`, `--only checksum`, `--only specification` and `--only pawl` select laws, `--seed` repeats a run, and `--settle-timeout` is the seconds until the receiver reports the status (20). A request that ends the receiver stops the run. The first failure is printed as a bash script. [Your CI](guides/conform-in-ci.md) runs it with `--junit FILE`.",
    ...parts
  ].join("\n\n")}\n`
}
