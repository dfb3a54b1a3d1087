/**
 * Removes the values of a request from texts that the service sends back.
 *
 * **Details**
 *
 * A service may quote a number in another form: `4242 4242 4242 4242`, `4242-4242-…`, `%34%32…`, `&#52;&#50;…`, full
 * width, or base64. A value with 8 digits or more is therefore looked for in the decoded text, with up to three
 * separators between two digits. A text that has it is returned decoded.
 */

/** Makes the function that replaces values in a text. */
export const make = (values: ReadonlyArray<string>): ((text: string) => string) => {
  const verbatim = values
    .flatMap((value) => [value, ...base64(value)])
    .filter((value) => value.length > 2)
    .toSorted((a, b) => b.length - a.length)
  const numbers = values
    .map((value) => value.replace(/[\s\p{P}]/gu, ""))
    .filter((value) => /^[0-9]{8,}$/u.test(value))
    .map((value) => new RegExp(Array.from(value).join("[\\s\\p{P}\\p{S}\\p{C}]{0,3}"), "gu"))
  const replaceNumbers = (text: string): string => {
    const plain = decode(text)
    const rest = numbers.reduce((before, number) => before.replace(number, mark), plain)
    return rest === plain ? text : rest
  }
  return (text) =>
    verbatim.reduce((rest, value) => rest.replaceAll(value, mark), replaceNumbers(text))
}

const mark = "…"

/** Returns the base64 of a long value without its last characters, which depend on the text behind it. */
const base64 = (value: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(value)
  return bytes.length < 8
    ? []
    : [btoa(String.fromCharCode(...bytes.subarray(0, bytes.length - (bytes.length % 3))))]
}

/** Decodes ASCII in the forms of URLs, HTML and programming languages. Any other encoded character becomes a space. */
const decode = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(
      /%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|&(?:#x([0-9a-f]+)|#([0-9]+)|[a-z]+);/giu,
      (_, url?: string, x?: string, u?: string, html?: string, decimal?: string) => {
        const code = decimal ?? Number.parseInt(url ?? x ?? u ?? html ?? "20", 16)
        return Number(code) < 0x80 ? String.fromCharCode(Number(code)) : " "
      }
    )
