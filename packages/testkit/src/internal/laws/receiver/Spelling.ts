/**
 * The ways to write a checksum, of which one is right.
 *
 * @since 0.1.0
 */

/**
 * A way to write a checksum: `write` takes the canonical base64, and `filter` is the same in a shell.
 * Nothing is written where `write` returns undefined.
 *
 * @category models
 * @since 0.1.0
 */
export interface Spelling {
  readonly note: string
  readonly write: (canonical: string) => string | undefined
  readonly filter: string
}

const spelling = (note: string, filter: string, write: Spelling["write"]): Spelling =>
  Object.freeze({ note, write, filter })

/**
 * The one that is right: base64 with its padding.
 *
 * @category constants
 * @since 0.1.0
 */
export const exact = spelling("as it is", "", (canonical) => canonical)

/**
 * No checksum at all.
 *
 * @category constants
 * @since 0.1.0
 */
export const missing = spelling("without a checksum", "", () => undefined)

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
/** Of the last letter of a SHA-256 in base64 two bits are spare, and nothing is said by them. */
const lasts = Array.from(alphabet).filter((_, at) => at % 4 === 0)
const next = (letter: string): string => alphabet[alphabet.indexOf(letter) + 1] ?? letter

/**
 * All that are wrong. Many decode to the very digest.
 *
 * @category constants
 * @since 0.1.0
 */
export const wrong: ReadonlyArray<Spelling> = [
  missing,
  spelling("with an empty checksum", "sed 's/.*//'", () => ""),
  spelling("with the first half of its checksum", "cut -c1-22", (text) => text.slice(0, 22)),
  spelling("with its checksum in lower case", "tr A-Z a-z", (text) => text.toLowerCase()),
  spelling("with its checksum unpadded", "tr -d '='", (text) => text.replace("=", "")),
  spelling("with its checksum in base64url", "tr '+/' '-_' | tr -d '='", (text) =>
    text.replaceAll("+", "-").replaceAll("/", "_").replace("=", "")
  ),
  spelling(
    "with a space in its checksum",
    "sed 's/./& /10'",
    (text) => `${text.slice(0, 10)} ${text.slice(10)}`
  ),
  spelling(
    "with a no-break space after its checksum",
    "sed 's/$/\\xa0/'",
    (text) => `${text}\u00a0`
  ),
  spelling("with more after its checksum", "sed 's/$/AAAA/'", (text) => `${text}AAAA`),
  spelling(
    "with a spare bit of its checksum set",
    `sed -E '${lasts.map((last) => `s|${last}=$|${next(last)}=|;t`).join(";")}'`,
    (text) => `${text.slice(0, 42)}${next(text.slice(42, 43))}=`
  ),
  spelling("with its checksum twice", "sed 's/.*/&, &/'", (text) => `${text}, ${text}`),
  spelling("with its checksum in hex", "base64 -d | od -An -v -tx1 | tr -d ' \\n'", (text) =>
    Array.from(atob(text), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("")
  )
]
