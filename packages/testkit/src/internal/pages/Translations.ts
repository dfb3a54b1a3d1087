/**
 * The texts of the hosted page in its languages.
 */
import { en } from "./English.ts"
import { fr } from "./French.ts"
import { de } from "./German.ts"
import { es } from "./Spanish.ts"

/** A language of the page. */
export type Language = keyof typeof translations

/**
 * Returns the language of a page: the first supported one of those requested, else English. A header like
 * `de-CH,fr;q=0.8` is read in its order.
 */
export const languageOf = (lang: string | undefined, acceptLanguage = ""): Language => {
  const requested = [lang ?? "", ...acceptLanguage.split(",")].map((tag) =>
    tag.trim().slice(0, 2).toLowerCase()
  )
  return requested.find(isLanguage) ?? "en"
}

const isLanguage = (tag: string): tag is Language => Object.hasOwn(translations, tag)

/** The texts of every language. */
export const translations = { en, de, es, fr }

/** Replaces each `{name}` in a text with its value. */
export const fillIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/gu, (_, name: string) => values[name] ?? "")
