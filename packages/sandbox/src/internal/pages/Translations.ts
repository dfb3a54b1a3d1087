/**
 * The texts of the hosted page in its languages.
 */
import { en } from "./English.ts"
import { fr } from "./French.ts"
import { de } from "./German.ts"
import { es } from "./Spanish.ts"

export type Language = keyof typeof translations

/**
 * Returns the requested language, else the supported one that the browser prefers, else English.
 * The header is read by its weights: `fr;q=0.5,de-CH` is German.
 */
export const languageOf = (lang: string | undefined, acceptLanguage = ""): Language => {
  const accepted = acceptLanguage.split(",").map((range) => {
    const [tag = "", weight = "1"] = range.split(/;\s*q=/iu)
    return { tag, weight: Number(weight) || 0 }
  })
  const preferred = accepted
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
  return [lang ?? "", ...preferred.map(({ tag }) => tag)].map(primary).find(isLanguage) ?? "en"
}

export const untranslated = (lang: string | undefined): string | undefined =>
  lang === undefined || isLanguage(primary(lang)) ? undefined : lang

const primary = (tag: string): string => tag.trim().slice(0, 2).toLowerCase()

const isLanguage = (tag: string): tag is Language => Object.hasOwn(translations, tag)

export const translations = { en, de, es, fr }

export const fillIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/gu, (_, name: string) => values[name] ?? "")
