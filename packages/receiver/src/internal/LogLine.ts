/**
 * A log entry as a line on a terminal: the time, the level, the message, and the rest as
 * `name=value`.
 */
import { clean, hidden } from "@pawl/core/internal/Printable"
import type * as Logger from "effect/Logger"

type Entry = ReturnType<typeof Logger.formatStructured.log>

const colours: Readonly<Record<string, string>> = { WARN: "33", ERROR: "31", FATAL: "31" }

export const make =
  (isColoured: boolean) =>
  ({ annotations, cause, level, message, timestamp }: Entry): string => {
    const colour = isColoured ? colours[level] : undefined
    const parts = [message].flat().map(textOf)
    const rest = Object.entries(annotations).map(([name, value]) => `${name}=${textOf(value)}`)
    const line = [timestamp.slice(11, 23), level.padEnd(5), ...parts, ...rest].map(clean).join(" ")
    const all = [line, ...(cause?.split("\n") ?? []).map((each) => `  ${clean(each)}`)].join("\n")
    return colour === undefined ? all : `\u001B[${colour}m${all}\u001B[0m`
  }

const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return JSON.stringify(value) ?? "undefined"
  }
  const { _tag, ...members } = value as Readonly<Record<string, unknown>>
  const texts = Object.entries(members).map(([name, member]) =>
    name === "reason" ? textOf(member) : `${name}=${textOf(member)}`
  )
  return _tag === undefined ? texts.join(" ") : `${textOf(_tag)}: ${texts.join(" ")}`
}

/** Escapes the hidden characters in a JSON text. */
export const escaped = (json: string): string =>
  json.replaceAll(hidden, (all) => Array.from(all, escapeOf).join(""))

const escapeOf = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
