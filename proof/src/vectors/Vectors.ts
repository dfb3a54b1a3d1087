/**
 * Vectors: inputs of the verifier and of the state model with the packages' results.
 * `docs/vectors.md` has the format.
 */
import { type Method } from "@pawl/core/Kind"
import type { Sign } from "@pawl/core/Checksum"
import * as Evidence from "@pawl/core/Evidence"
import { keyed } from "@pawl/core/NodeHmac"
import type { Status } from "@pawl/core/Status"
import { verifyWith } from "@pawl/webhook/VerifyCallback"
import * as Redacted from "effect/Redacted"
import * as Struct from "effect/Struct"
import { document, quarantine, requestDocument } from "./documents.ts"
import * as Sent from "./Sent.ts"

export interface CallbackInput {
  readonly about: string
  readonly secrets: readonly [current: string, previous?: string]
  readonly query: string
  readonly body: string
  readonly checksum: string | null
}

export interface State {
  readonly evidence: number
  readonly read: Evidence.Read | null
}

export interface JoinInput {
  readonly left: State
  readonly right: State
}

export interface StandingInput {
  readonly evidence: number
  readonly read: Status | null
  readonly policy: Evidence.Policy
}

export type Event =
  | { readonly callback: Status }
  | { readonly response: Status }
  | { readonly read: Status; readonly askedAt: number }

export interface HistoryInput {
  readonly about: string
  readonly policy: Evidence.Policy
  readonly toldBefore: Status | null
  readonly events: ReadonlyArray<Event>
}

export const signOf = (secret: string): Sign => keyed(Redacted.make(secret))

export const queryOf = (method: Method): string =>
  method === "card" ? "paymentMethod=card" : "paymentMethod=apm&apmType=PIX"

const callback = (input: CallbackInput) => {
  const [current, previous] = input.secrets
  const result = verifyWith({
    current: signOf(current),
    previous: previous === undefined ? undefined : signOf(previous)
  })({
    method: "POST",
    search: `?${input.query}`,
    contentType: "application/json",
    contentEncoding: undefined,
    checksum: input.checksum ?? undefined,
    body: new TextEncoder().encode(input.body)
  })
  if ("reason" in result) return { answer: result.status }
  const { account, amount, currency, transactionId } = result.signed
  const signed = [account, amount, currency, transactionId]
  return { answer: 200, signed, kind: result.kind, claim: result.claim ?? null }
}

const join = ({ left, right }: JoinInput): State => ({
  evidence: Evidence.join(left.evidence, right.evidence),
  read: Evidence.joinRead(left.read ?? undefined, right.read ?? undefined) ?? null
})

const standing = ({ evidence, policy, read }: StandingInput) => {
  const { conflict, confirmed, rank, status } = Evidence.standing(
    evidence,
    read ?? undefined,
    policy
  )
  return { status: status ?? null, rank, confirmed, conflict }
}

const observed = (event: Event): State => {
  if ("callback" in event) return { evidence: Evidence.claimed(event.callback), read: null }
  if ("response" in event) return { evidence: Evidence.confirmed(event.response), read: null }
  const { askedAt, read } = event
  return { evidence: Evidence.confirmed(read), read: { status: read, askedAt } }
}

const history = (input: HistoryInput) => {
  const told: Array<Status> = []
  let state: State = { evidence: Evidence.none, read: null }
  for (const event of input.events) {
    state = join({ left: state, right: observed(event) })
    const now = Evidence.standing(state.evidence, state.read?.status, input.policy)
    const next = Evidence.news(now, told.at(-1) ?? input.toldBefore ?? undefined)
    if (next !== undefined) told.push(next)
  }
  return { told }
}

/** The groups of vectors, each with what computes its results. */
const results = {
  callbacks: callback,
  requests: Sent.request,
  urls: Sent.url,
  tokens: Sent.token,
  forwards: Sent.forward,
  documents: document,
  requestDocuments: requestDocument,
  quarantines: quarantine,
  joins: join,
  standings: standing,
  histories: history
}

export type Inputs = {
  readonly [Group in keyof typeof results]: ReadonlyArray<Parameters<(typeof results)[Group]>[0]>
}

type Vectors = Readonly<Record<string, ReadonlyArray<object>>>

export const vectorsOf = (inputs: Inputs): Vectors =>
  Object.fromEntries(
    Struct.keys(results).map((group) => {
      const resultOf = results[group] as (input: object) => object
      return [group, inputs[group].map((input) => ({ ...input, result: resultOf(input) }))]
    })
  )

export const print = (vectors: Vectors): string => {
  const groups = Object.entries(vectors).map(
    ([name, group]) =>
      `${JSON.stringify(name)}: [\n${group.map((vector) => JSON.stringify(vector)).join(",\n")}\n]`
  )
  return `{\n${groups.join(",\n")}\n}\n`
}
