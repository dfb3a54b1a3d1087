/**
 * HTML that cannot be written unescaped.
 *
 * **Details**
 *
 * What is put into an `html` template is text, and is escaped, unless it is HTML made by another one.
 * Every attribute of ours is in double quotes, so the same escape serves both. (Effect's own templates
 * do not escape.)
 */

/** A piece of HTML, well escaped. Only `html` makes one. */
export interface Html {
  readonly text: string
  readonly [made]: true
}

declare const made: unique symbol

/** What may stand in a template; `undefined` and `false` are nothing. */
export type Piece = Html | string | number | undefined | false | ReadonlyArray<Piece>

/** Writes HTML, with everything in it escaped that is not HTML already. */
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
