/** The field of a fact in the document of a transaction. */
import type { Event, Kept } from "../rule/Fact.ts"
import { deadLetters, kinds, statuses } from "./Codes.ts"
import { number, numberIn, text, textIn } from "./Fields.ts"

const separator = ","

export const write = (fact: Kept, base: number): string => {
  const { at, count, from, lastAt } = fact
  let line = number(fact.number) + separator + number(at, base) + separator + wordsOf(fact)
  if (count !== 1) line += `${separator}k${number(count)}`
  if (lastAt === undefined) line += `${separator}l`
  else if (lastAt !== at) line += `${separator}l${number(lastAt, base)}`
  if (from !== undefined) line += `${separator}f${kinds.of(from)}`
  return line
}

const noText = "-"

const part = (value: string | undefined): string =>
  value === undefined ? noText : `+${text(value)}`

const partIn = (value: string | undefined): string | undefined =>
  value === undefined || value === noText ? undefined : textIn(value.slice(1))

const wordsOf = (event: Event): string => {
  switch (event.fact) {
    case "registered":
      return `r${kinds.of(event.kind)}${event.status === undefined ? "" : statuses.of(event.status)}`
    case "accepted":
      return `b${statuses.of(event.status)}`
    case "asked":
      return `a${event.kind === undefined ? noText : kinds.of(event.kind)}${resultOf(event.result)}`
    case "called": {
      const read = event.read === undefined ? noText : statuses.of(event.read)
      return `c${statuses.of(event.to)}${read}${number(event.evidence)}.${number(event.sequence)}`
    }
    case "told":
    case "failed":
      return `${event.fact === "told" ? "t" : "x"}${statuses.of(event.to)}${number(event.sequence)}`
    case "parked":
      return `p${deadLetters.of(event.reason)}${event.to === undefined ? "" : statuses.of(event.to)}`
    case "redriven":
      return `v${part(event.by)}\t${part(event.why)}`
    case "more":
      return "m"
  }
}

const resultOf = (result: string): string => {
  const code = (statuses.of as (word: string) => string | undefined)(result)
  return code === undefined ? `.${part(result)}` : code
}

/** Reads a fact; undefined for one of a newer version. */
export const read = (line: string, base: number): Kept | undefined => {
  const [place, time, words = "", ...others] = line.split(separator)
  const at = numberIn(time, base)
  const event = eventOf(words, at)
  if (event === undefined) return undefined
  let [count, lastAt, from]: [number, number | undefined, Kept["from"]] = [1, at, undefined]
  for (const other of others) {
    const value = other.slice(1)
    if (other.startsWith("k")) count = numberIn(value)
    else if (other.startsWith("l")) lastAt = value === "" ? undefined : numberIn(value, base)
    else if (other.startsWith("f")) from = kinds.in(value)
    else return undefined
  }
  return { ...event, lastAt, count, number: numberIn(place), from }
}

/** Reads the number of any fact. */
export const numberOf = (line: string): number => numberIn(line.split(separator)[0])

const optionalStatus = (code: string | undefined) =>
  code === undefined || code === noText ? undefined : statuses.in(code)

const eventOf = (words: string, at: number): Event | undefined => {
  const [code, one, two] = words
  switch (code) {
    case "r":
      return { fact: "registered", kind: kinds.in(one), status: optionalStatus(two), at }
    case "b":
      return { fact: "accepted", status: statuses.in(one), at }
    case "a": {
      const result = two === "." ? textIn(words.slice(4)) : statuses.in(two)
      return { fact: "asked", result, kind: one === noText ? undefined : kinds.in(one), at }
    }
    case "c": {
      const [evidence, sequence] = words.slice(3).split(".")
      const decision = { evidence: numberIn(evidence), read: optionalStatus(two) }
      return {
        fact: "called",
        sequence: numberIn(sequence),
        to: statuses.in(one),
        ...decision,
        at
      }
    }
    case "t":
    case "x": {
      const told = { sequence: numberIn(words.slice(2)), to: statuses.in(one), at }
      return { fact: code === "t" ? "told" : "failed", ...told }
    }
    case "p":
      return { fact: "parked", reason: deadLetters.in(one), to: optionalStatus(two), at }
    case "v": {
      const [by, why] = words.slice(1).split("\t")
      return { fact: "redriven", by: partIn(by), why: partIn(why), at }
    }
    case "m":
      return { fact: "more", at }
    case undefined:
    default:
      return undefined
  }
}
