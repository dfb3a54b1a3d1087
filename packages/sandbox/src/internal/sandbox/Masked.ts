/**
 * Masks the values of secret members for the console: card numbers, security codes, tokens, secrets
 * and checksums. Returns undefined for a text with a letter as an escape, in which such members
 * cannot be found.
 */
export const masked = (text: string): string | undefined =>
  text === "" || escapedLetter.test(text)
    ? undefined
    : text.replace(secrets, '$1"•••"').replace(cardNumber, "•••")

const escapedLetter = /\\u00[0-7]/iu

const secrets =
  /("(?:[a-z]*secret|[a-z]*token|checksum|(?:card_?)?number|pan|cvv|cvc|ssn|identityCode|jwt)"\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|[^\s,{}[\]]+)/giu

/** A card number in groups of four digits, in any member. */
const cardNumber = /\b[0-9]{4}(?:[ -][0-9]{4}){2,3}(?:[ -][0-9]{1,3})?\b/gu
