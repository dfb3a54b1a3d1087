/**
 * Percent-encodes the characters that the HTTP binding of CloudEvents allows in no header, and `|`,
 * which `bodyOf` escapes too.
 */
export const headerText = (text: string): string =>
  text.replaceAll(/[^\u0021-\u007e]|["%|]/gu, encodeURIComponent)
