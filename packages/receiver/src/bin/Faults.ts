/**
 * The faults of settings: one sentence for each setting that cannot be used. A sentence never has the value.
 */
import * as Data from "effect/Data"

/** Error raised when settings are missing or invalid: one sentence for each. */
export class InvalidSettings extends Data.TaggedError("InvalidSettings")<{
  readonly sentences: ReadonlyArray<string>
}> {
  override get message() {
    return this.sentences.join("\n")
  }
}

/**
 * A list of faults. The first fault of a setting is the one to correct, so further ones of it are not listed.
 *
 * - `refuse` adds that a setting cannot be used, with advice; `say` adds another statement about it.
 * - `unless` adds a sentence if its rule does not hold.
 * - `skip` lists no fault of a setting.
 */
export interface Faults {
  readonly sentences: ReadonlyArray<string>
  readonly refuse: (setting: string, advice: string) => void
  readonly say: (setting: string, statement: string) => void
  readonly unless: (holds: boolean, sentence: string) => void
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
