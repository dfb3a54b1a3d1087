/**
 * HTML templates that escape every value except another template; Effect's own templates do not
 * escape. Attributes are always in double quotes, so one escape serves text and attributes.
 */

/** Escaped HTML, which only `html` makes. */
export interface Html {
  readonly text: string
  readonly [made]: true
}

declare const made: unique symbol

/** Value of a template; `undefined` and `false` write nothing. */
export type Piece = Html | string | number | undefined | false | ReadonlyArray<Piece>

export const html = (template: TemplateStringsArray, ...pieces: ReadonlyArray<Piece>): Html =>
  new Made(template.map((text, at) => text + write(pieces[at])).join(""))

class Made implements Html {
  readonly text: string
  declare readonly [made]: true

  constructor(text: string) {
    this.text = text
  }
}

const write = (piece: Piece): string => {
  if (piece === undefined || piece === false) return ""
  if (typeof piece === "string" || typeof piece === "number") return escape(String(piece))
  return piece instanceof Made ? piece.text : (piece as ReadonlyArray<Piece>).map(write).join("")
}

const escape = (text: string): string =>
  text.replace(/[&<>"']/gu, (character) => `&#${character.codePointAt(0)};`)
