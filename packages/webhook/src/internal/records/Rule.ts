/** Rules, which change documents. */
import type { Text } from "./Records.ts"

export interface Outcome<Value, A> {
  /** The new value: the same one changes nothing, and undefined deletes the document. */
  readonly value: Value | undefined
  readonly result: A
  /** Texts that are removed before those of `put` are written. */
  readonly remove?: ReadonlyArray<string> | undefined
  readonly put?: ReadonlyArray<Text> | undefined
  /** Whether the change wakes the workers of this process. */
  readonly wakes?: boolean | undefined
}

/**
 * Function that changes a document. `version` is that of its commit, which other changes of the
 * document may share. A rule that deletes a document also removes its texts, because a later change
 * may make it again.
 */
export type Rule<Value, A> = (value: Value | undefined, version: number) => Outcome<Value, A>

/** Runs rules one after the other. The last that names a text counts. */
export const fold = (
  rules: ReadonlyArray<Rule<unknown, unknown>>,
  base: unknown,
  version: number
) => {
  let value = base
  let wakes = false
  const texts = new Map<string, Text | undefined>()
  const results = rules.map((rule) => {
    const outcome = rule(value, version)
    value = outcome.value
    wakes ||= outcome.wakes === true
    outcome.remove?.forEach((name) => texts.set(name, undefined))
    outcome.put?.forEach((text) => texts.set(text.name, text))
    return outcome.result
  })
  const isChanged = value !== base || texts.size > 0
  return { value, wakes, texts, results, isChanged }
}
