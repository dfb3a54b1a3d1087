/**
 * Removes the values of a request from the texts of a service that quotes them.
 *
 * **Details**
 *
 * A value is replaced as it is, in base64, or as a number in groups. The whole text is replaced if it has
 * an escaped value, or if its digits, however read, have a number of 8 digits or more, or the first 11
 * digits of one: the service may cut what it quotes.
 */

/** The most characters of a result, and of a value: an access token has at most 8,192. */
const [maxText, maxValue] = [1024, 16_384]

/** Reads the first 1,024 characters, and a value that begins in them. */
export const redaction = (all: ReadonlyArray<string>): ((text: string) => string) => {
  const values = all.map((value) => value.slice(0, maxValue))
  const verbatim = values
    .flatMap((value) => [value, ...base64(value)])
    .filter((value) => value.length > 2)
    .toSorted((a, b) => b.length - a.length)
  const escaped = verbatim
    .map((value) => unescaped(value, control))
    .filter((value) => value.length > 2)
  const numbers = values
    .map((value) => value.replace(/[\s\p{P}]/gu, ""))
    .filter((value) => /^[0-9]{8,}$/u.test(value))
  // A longer pattern is too large. The first digits of such a number are found all the same.
  const grouped = numbers
    .filter((number) => number.length <= 64)
    .map((number) => new RegExp(Array.from(number).join("[ -]?"), "gu"))
  const written = numbers.flatMap((number) =>
    codes.map((code) => Array.from(number.slice(0, 11), code).join(""))
  )
  return (text) => {
    const replaced = [...verbatim, ...grouped].reduce<string>(
      (before, value) => before.replaceAll(value, mark),
      text.slice(0, maxText + maxValue)
    )
    // A value may be cut at the end of a long text.
    const shown = text.length > maxValue ? Math.max(0, replaced.length - maxValue) : maxText
    const rest = replaced.slice(0, shown)
    const plain = unescaped(rest.replaceAll(mark, " "), control)
    return escaped.some((value) => plain.includes(value)) || hasNumber(rest, written, 2)
      ? mark
      : rest
  }
}

const mark = "…"

/**
 * Returns a value in base64 without the last characters, which depend on the text behind the value.
 */
const base64 = (value: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(value)
  return bytes.length < 8
    ? []
    : [btoa(String.fromCharCode(...bytes.subarray(0, bytes.length - (bytes.length % 3))))]
}

const codeIn = (base: number, width: number) => (digit: string) =>
  (Number(digit) + 48).toString(base).padStart(width, "0")

/** How a digit is written in digits: as it is, and as the number of its character. */
const codes: ReadonlyArray<(digit: string) => string> = [
  (digit) => digit,
  ...[2, 3, 4].map((width) => codeIn(16, width)),
  (digit) => `3${digit}00`,
  ...[2, 3].flatMap((width) => [codeIn(10, width), codeIn(8, width)]),
  codeIn(2, 8)
]

/** Compares the digits of a text as it is, and decoded up to `depth` times. */
const hasNumber = (text: string, numbers: ReadonlyArray<string>, depth: number): boolean => {
  const plain = unescaped(text)
  const digits = [text, plain].map((each) => each.replace(/[^0-9]/gu, "")).join(" ")
  return (
    numbers.some((number) => digits.includes(number)) ||
    (depth > 0 && decoded(plain).some((each) => hasNumber(each, numbers, depth - 1)))
  )
}

const control = /\p{Cc}/gu
const markup = /\p{Cc}(?:\[[0-9;]*[a-z])?|<[^<>]*>/giu

const unescaped = (text: string, removed = markup, rounds = 8): string => {
  const plain = text
    .normalize("NFKC")
    .replace(/[^\P{Nd}0-9]/gu, (digit) => String(valueOf(digit.codePointAt(0) ?? 0)))
    .replace(/(?:%[0-9a-f]{2})+/giu, (bytes) =>
      utf8.decode(Uint8Array.from(bytes.slice(1).split("%"), (byte) => Number.parseInt(byte, 16)))
    )
    .replace(
      /[\\%]u([0-9a-f]{4})|\\u\{0*([0-9a-f]{1,5})\}|\\x([0-9a-f]{2})|&#x0*([0-9a-f]{1,5});?/giu,
      (_, ...codes: ReadonlyArray<string | undefined>) =>
        String.fromCodePoint(Number.parseInt(codes.slice(0, 4).find(isText) ?? "", 16))
    )
    .replace(/&#0*([0-9]{1,6});?/gu, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(amp|lt|gt|quot|apos);/giu, (_, name: string) => named[name.toLowerCase()] ?? "")
    .replace(/\\(?:(["'/\\])|[bfnrt])/gu, "$1")
    .replace(removed, "")
  return plain === text || rounds === 0 ? plain : unescaped(plain, removed, rounds - 1)
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }
const utf8 = new TextDecoder()
const isText = (code: string | undefined) => code !== undefined

/** The value of a digit of any script: the ten digits of a script are neighbours. */
const valueOf = (code: number): number =>
  /^\p{Nd}$/u.test(String.fromCodePoint(code - 1)) ? valueOf(code - 1) + 1 : 0

/** From each place at which bytes of base64 or hexadecimal may begin. */
const decoded = (text: string): ReadonlyArray<string> => {
  const base64 = text
    .replace(/-/gu, "+")
    .replace(/_/gu, "/")
    .replace(/[^A-Za-z0-9+/]/gu, "")
  const hex = text.replace(/[^0-9a-f]/giu, "")
  return [
    ...[0, 1, 2, 3].map((at) => {
      const rest = `${base64.slice(at)}AAA`
      const bytes = atob(rest.slice(0, rest.length - (rest.length % 4)))
      return utf8.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
    }),
    ...[0, 1].map((at) => {
      const bytes = hex.slice(at).match(/../gu) ?? []
      return utf8.decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)))
    })
  ]
}
