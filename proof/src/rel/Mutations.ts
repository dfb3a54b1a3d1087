/**
 * Callbacks that somebody changed: the signed fields, their spelling, or the header.
 */
import { signedNames } from "@pawl/core/Callback"
import type { Method } from "@pawl/core/Kind"
import { createHmac } from "node:crypto"
import type { Chance } from "./Chance.ts"
import { type Callback, searchOf, secret, sign } from "./Service.ts"

/** A genuine callback in pieces: its signed fields as texts, in the order they are signed in. */
export interface Genuine {
  readonly method: Method
  readonly texts: readonly [string, string, string, string]
}

/** What somebody made of it; `checksum` is undefined where there is no header. */
export interface Mutated extends Omit<Callback, "checksum"> {
  readonly checksum: string | undefined
  /** Whether it comes through HTTP as it is: a header's white space around does not. */
  readonly isPostable: boolean
}

/** A member of a JSON object, its value as JSON text. */
type Member = readonly [string, string]

export const genuine = (chance: Chance): Genuine => ({
  method: chance.pick(["card", "apm"]),
  texts: [
    chance.pick(["4711", "mid-1", "merchant_01"]),
    `${chance.below(100_000)}.${chance.below(10)}${chance.below(10)}`,
    chance.pick(["EUR", "USD", "BRL", "JPY"]),
    String(100_001 + chance.below(900_000))
  ]
})

const membersOf = ({ method, texts }: Genuine): Array<Member> =>
  texts.map((text, at) => [signedNames[method][at] ?? "", JSON.stringify(text)])

const compose = (
  { method }: Genuine,
  members: ReadonlyArray<Member>,
  checksum: string | undefined
): Mutated => {
  const more: ReadonlyArray<Member> = [["transactionStatus", '"SUCCEED"']]
  const body = [...members, ...more].map(([key, value]) => `${JSON.stringify(key)}:${value}`)
  return {
    search: searchOf(method),
    body: `{${body.join()}}`,
    checksum,
    isPostable: checksum === undefined || /^[!-~](?:[ -~]*[!-~])?$/u.test(checksum)
  }
}

/** The callback as the service sent it. */
export const unchanged = (from: Genuine): Callback => {
  const { body, search } = compose(from, membersOf(from), undefined)
  return { search, body, checksum: sign(from.texts) }
}

const letters = Array.from("0123456789.-+eE |,\u00a0\u0000\u001f\u200b٣３aZ/=")

/** Changes a text somewhere; never gives it back as it was. */
const scratch = (text: string, chance: Chance): string => {
  const at = chance.below(text.length + 1)
  const letter = chance.pick(letters)
  const changed = chance.pick([
    text.slice(0, at) + letter + text.slice(at),
    text.slice(0, at) + letter + text.slice(at + 1),
    text.slice(0, at) + text.slice(at + 1),
    text.slice(0, at) + text.charAt(at) + text.slice(at),
    text.toLowerCase(),
    `0${text}`,
    `${text}0`,
    ` ${text}`
  ])
  return changed === text ? `${text}0` : changed
}

type Fields = (texts: Genuine["texts"], chance: Chance) => ReadonlyArray<string>

/** Ways to change what the four fields say. */
const ofTexts: ReadonlyArray<Fields> = [
  (texts, chance) => {
    const at = chance.below(4)
    return texts.map((text, index) => (index === at ? scratch(text, chance) : text))
  },
  // The texts joined are the same, and their borders elsewhere.
  ([account, amount, ...rest]) => [`${account}|${amount}`, ...rest, ""],
  ([account, amount, currency, id]) => [account, `${amount}|${currency}`, "", id],
  ([account, amount, currency, id]) => [
    account + amount.slice(0, 1),
    amount.slice(1),
    currency,
    id
  ],
  ([account, amount, currency, id]) => [account, amount, currency + id.slice(0, 1), id.slice(1)],
  ([account, amount, currency, id]) => [account, currency, amount, id],
  ([account, amount, currency, id]) => [id === account ? `${id}0` : id, amount, currency, account],
  ([account, amount, currency, id]) => [account, `${amount}0`, currency, id],
  ([account, , currency, id], chance) => [
    account,
    `${1_000_000 + chance.below(1e6)}.00`,
    currency,
    id
  ]
]

type Members = (members: ReadonlyArray<Member>, chance: Chance) => ReadonlyArray<Member>

/** Ways to write a field that leave its text, or something like it. */
const ofMembers: ReadonlyArray<Members> = [
  (members, chance) => change(members, chance, (value) => `[${value}]`),
  (members, chance) => change(members, chance, (value) => `{"0":${value}}`),
  (members, chance) =>
    change(members, chance, () => chance.pick(["null", "true", "{}", "[]", '""'])),
  (members, chance) => change(members, chance, (value) => `${value.slice(0, -1)}\\u0000"`),
  (members, chance) => change(members, chance, (value) => `${value.slice(0, -1)}\\ud800"`),
  (members, chance) =>
    change(members, chance, () => `${1 + chance.below(1e6)}e${chance.below(400)}`),
  (members, chance) => members.toSpliced(chance.below(4), 1),
  (members, chance) => [...members, [chance.pick(members)[0], '"another"']],
  (members, chance) => [[chance.pick(members)[0], '"another"'], ...members],
  (members, chance) => rename(members, chance, (name) => name.toUpperCase()),
  (members, chance) => rename(members, chance, (name) => `${name} `),
  (members, chance) => rename(members, chance, () => "__proto__")
]

const change = (
  members: ReadonlyArray<Member>,
  chance: Chance,
  write: (value: string) => string
): ReadonlyArray<Member> => {
  const at = chance.below(members.length)
  return members.map(([name, value], index) => [name, index === at ? write(value) : value])
}

const rename = (
  members: ReadonlyArray<Member>,
  chance: Chance,
  write: (name: string) => string
): ReadonlyArray<Member> => {
  const at = chance.below(members.length)
  return members.map(([name, value], index) => [index === at ? write(name) : name, value])
}

type Header = (checksum: string, chance: Chance, from: Genuine) => string | undefined

/** Ways to change the header, among them every other spelling of the digest. */
const ofHeader: ReadonlyArray<Header> = [
  (checksum, chance) => {
    const at = chance.below(checksum.length)
    const letter = chance.pick(
      Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    )
    return (
      checksum.slice(0, at) +
      (letter === checksum.charAt(at) ? "_" : letter) +
      checksum.slice(at + 1)
    )
  },
  (checksum, chance) => checksum.slice(0, chance.below(checksum.length)),
  (checksum, chance) => scratch(checksum, chance),
  (checksum) => checksum.replace(/=+$/u, ""),
  (checksum) => `${checksum}=`,
  (checksum) => `${checksum}, ${checksum}`,
  (checksum) => `sha256=${checksum}`,
  (checksum) => Buffer.from(checksum, "base64").toString("hex"),
  (checksum) => Buffer.from(checksum, "base64").toString("latin1"),
  (checksum) => checksum.toLowerCase(),
  (checksum, chance) => checksum + chance.pick([" ", "\t", "\u00a0", "\n", "AAAA", "\u0000"]),
  // The last letter has bits that say nothing.
  (checksum) => checksum.replace(/.=$/u, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}=`),
  () => undefined,
  () => "",
  (_, chance) => chance.pick(["A".repeat(44), `${"A".repeat(43)}=`, "x".repeat(10_000)]),
  (_, __, { texts }) => sign(texts, "another-secret"),
  (_, __, { texts }) => sign(texts, `${secret}\n`),
  (_, __, { texts }) => sign(texts, ""),
  (_, __, { texts: [account, amount, currency, id] }) => sign([account, id, amount, currency]),
  (_, __, { texts }) => sign([...texts, "SUCCEED"]),
  (_, __, { texts }) => createHmac("sha256", secret).update(texts.join("")).digest("base64"),
  (_, __, { texts: [account, amount, currency, id] }) => sign([account, amount, currency, `${id}0`])
]

/** Returns what one attacker makes of a callback: its fields, their spelling, or its header. */
export const mutate = (from: Genuine, chance: Chance): Mutated => {
  const checksum = sign(from.texts)
  const what = chance.below(5)
  if (what < 2) {
    const texts = chance.pick(ofTexts)(from.texts, chance)
    const members = membersOf(from).map(([name], at): Member => [
      name,
      JSON.stringify(texts[at] ?? "")
    ])
    return compose(from, members, checksum)
  }
  if (what === 2) return compose(from, chance.pick(ofMembers)(membersOf(from), chance), checksum)
  const header = chance.pick(ofHeader)(checksum, chance, from)
  return compose(from, membersOf(from), header === checksum ? `${header}A` : header)
}
