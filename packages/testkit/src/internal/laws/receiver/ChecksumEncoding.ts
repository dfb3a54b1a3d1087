/**
 * Encoding of a checksum: `write` takes the canonical base64, and `shellFilter` is the same as a
 * shell command. The header is left out if `write` returns undefined.
 */
export interface ChecksumEncoding {
  readonly note: string
  readonly write: (canonical: string) => string | undefined
  readonly shellFilter: string
}

const encoding = (
  note: string,
  shellFilter: string,
  write: ChecksumEncoding["write"]
): ChecksumEncoding => Object.freeze({ note, write, shellFilter })

export const exact = encoding("unchanged", "", (canonical) => canonical)

export const missing = encoding("without a checksum", "", () => undefined)

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
/** Two of the six bits of the last character are unused. */
const lastCharacters = Array.from(alphabet).filter((_, at) => at % 4 === 0)
const next = (letter: string): string => alphabet[alphabet.indexOf(letter) + 1] ?? letter

/** Many wrong encodings decode to the correct digest. */
export const wrong: ReadonlyArray<ChecksumEncoding> = [
  missing,
  encoding("with an empty checksum", "sed 's/.*//'", () => ""),
  encoding("with the first half of its checksum", "cut -c1-22", (text) => text.slice(0, 22)),
  encoding("with its checksum in lower case", "tr A-Z a-z", (text) => text.toLowerCase()),
  encoding("with its checksum unpadded", "tr -d '='", (text) => text.replace("=", "")),
  encoding("with its checksum in base64url", "tr '+/' '-_' | tr -d '='", (text) =>
    text.replaceAll("+", "-").replaceAll("/", "_").replace("=", "")
  ),
  encoding(
    "with a space in its checksum",
    "sed 's/./& /10'",
    (text) => `${text.slice(0, 10)} ${text.slice(10)}`
  ),
  encoding(
    "with a no-break space after its checksum",
    "sed 's/$/\\xa0/'",
    (text) => `${text}\u00a0`
  ),
  encoding("with more after its checksum", "sed 's/$/AAAA/'", (text) => `${text}AAAA`),
  encoding(
    "with a spare bit of its checksum set",
    `sed -E '${lastCharacters.map((last) => `s|${last}=$|${next(last)}=|;t`).join(";")}'`,
    (text) => `${text.slice(0, 42)}${next(text.slice(42, 43))}=`
  ),
  encoding("with its checksum twice", "sed 's/.*/&, &/'", (text) => `${text}, ${text}`),
  encoding("with its checksum in hex", "base64 -d | od -An -v -tx1 | tr -d ' \\n'", (text) =>
    Array.from(atob(text), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("")
  )
]
