/**
 * One small change of a text.
 */

/** The characters from `start` to `end` become `text`. */
export interface Edit {
  readonly operator: string
  readonly start: number
  readonly end: number
  readonly text: string
}

export const apply = (
  source: string,
  { end, start, text }: Edit,
  [from, to]: readonly [number, number] = [0, source.length]
): string => `${source.slice(from, start)}${text}${source.slice(end, to)}`

export const shift = (edits: ReadonlyArray<Edit>, by: number): ReadonlyArray<Edit> =>
  edits.map((edit) => ({ ...edit, start: edit.start + by, end: edit.end + by }))
