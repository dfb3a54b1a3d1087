/** The faults of settings: one sentence for each. A sentence never has the value. */
import * as Data from "effect/Data"

export class InvalidSettings extends Data.TaggedError("InvalidSettings")<{
  readonly sentences: ReadonlyArray<string>
}> {
  override get message() {
    return this.sentences.join("\n")
  }
}

/**
 * List of faults. Only the first fault of a setting is listed, because it is the one to correct.
 */
export interface Faults {
  readonly sentences: ReadonlyArray<string>
  /** Says that a setting cannot be used, with advice; `say` adds another statement. */
  readonly refuse: (setting: string, advice: string) => void
  readonly say: (setting: string, statement: string) => void
  readonly unless: (holds: boolean, sentence: string) => void
  /** Lists no fault of a setting. */
  readonly skip: (setting: string) => void
}

/** Makes a list without faults. `nameOf` returns the name of a setting that a person knows. */
export const make = (nameOf: (setting: string) => string = (setting) => setting): Faults => {
  const sentences: Array<string> = []
  const named = new Set<string>()
  const say = (setting: string, statement: string) => {
    if (!named.has(setting)) sentences.push(`${nameOf(setting)} ${statement}.`)
    named.add(setting)
  }
  return {
    sentences,
    say,
    refuse: (setting, advice) => say(setting, `cannot be used: ${advice}`),
    unless: (holds, sentence) => {
      if (!holds) sentences.push(sentence)
    },
    skip: (setting) => named.add(setting)
  }
}
